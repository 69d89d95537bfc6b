/** The first import in a fresh process: the package, and the dependencies that it imports, alone. */

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { summary } from './measure.mjs'

const RUNS = 15

export async function coldImports(root) {
  const own = [pathToFileURL(join(root, 'dist/index.js')).href]
  const rows = [
    ['the dependencies that `.` imports', dependencies(root)],
    ['`.`, dependencies included', own],
  ]
  const taken = new Map(rows.map(([name]) => [name, []]))
  for (let run = 0; run < RUNS; run += 1) {
    for (const [name, modules] of rows) taken.get(name).push(importing(modules, root))
  }
  return new Map(rows.map(([name]) => [name, summary(taken.get(name))]))
}

/** Everything outside of Node that the entry and its chunks import, as the build saw it. */
function dependencies(root) {
  const { outputs } = JSON.parse(readFileSync(join(root, '.cache/build/esm.json'), 'utf8'))
  const found = new Set()
  const seen = new Set()
  const visit = (file) => {
    if (seen.has(file)) return
    seen.add(file)
    for (const { path, external } of outputs[file].imports) {
      if (external !== true) visit(path)
      else if (!path.startsWith('node:')) found.add(path)
    }
  }
  visit('dist/index.js')
  return [...found]
}

/** Microseconds of the imports, as the child itself measures them, by the clock and by the processor. */
function importing(modules, root) {
  const program = `
    const used = process.cpuUsage()
    const began = performance.now()
    for (const name of ${JSON.stringify(modules)}) await import(name)
    const clock = (performance.now() - began) * 1000
    const { user, system } = process.cpuUsage(used)
    console.log(JSON.stringify({ clock, processor: user + system }))`
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', program], { cwd: root })
  return JSON.parse(said.toString())
}
