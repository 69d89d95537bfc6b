/** What a boundary costs: `true` started bare, in namespaces alone, and in the whole sandbox. */

import { spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'

export async function sandboxRows({ openSandbox }, scratch) {
  const workspace = join(scratch, 'boxed')
  mkdirSync(workspace)
  const unit = 'spawn of `true`'
  const handle = await openSandbox({ workspace })
  const rows = [
    { name: unit, run: () => spawned('/usr/bin/true', []) },
    {
      name: 'bare `bwrap --unshare-all`',
      run: () => spawned('bwrap', ['--unshare-all', '--ro-bind', '/', '/', '/usr/bin/true']),
    },
  ]
  if (handle.report.status !== 'ready') {
    console.log(`the sandbox is left out: ${handle.report.cause ?? 'no driver'}`)
    return { unit, rows: rows.slice(0, 1) }
  }
  const boxed = async () => {
    const result = await handle.exec({ command: 'true' })
    if (result.exitCode !== 0) throw new TypeError(`true ended with ${result.exitCode}`)
  }
  return { unit, rows: [...rows, { name: 'sandboxed `true`, through bash', run: boxed }] }
}

function spawned(program, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    child.on('error', reject)
    child.on('close', (code) => {
      if (code === 0) resolve()
      else reject(new TypeError(`${program} ended with ${code}`))
    })
  })
}
