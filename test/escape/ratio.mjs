/** `node test/escape/ratio.mjs [rounds]`: what a sandboxed `true` costs against a bare one, in one run. */

import { spawn } from 'node:child_process'
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'tsup'

const rounds = Number(process.argv[2] ?? 100)
const folder = await realpath(await mkdtemp(join(tmpdir(), 'sixgate-ratio-')))

try {
  await build({
    entry: { sandbox: 'src/sandbox/entry.ts' },
    outDir: join(folder, 'built'),
    format: 'esm',
    outExtension: () => ({ js: '.mjs' }),
    config: false,
    silent: true,
    dts: false,
  })
  const { openSandbox } = await import(pathToFileURL(join(folder, 'built/sandbox.mjs')).href)
  const sandbox = await openSandbox({ workspace: folder })
  const times = { bare: [], sandboxed: [] }
  for (let round = 0; round < rounds; round++) {
    times.bare.push(await timed(bare))
    times.sandboxed.push(await timed(() => sandbox.exec({ argv: ['/bin/true'] })))
  }
  for (const [name, at] of [
    ['fastest', 0],
    ['quartile', 0.25],
    ['median', 0.5],
  ]) {
    const [plain, inside] = [quantile(times.bare, at), quantile(times.sandboxed, at)]
    const ratio = (inside / plain).toFixed(1)
    console.log(
      `${name}: bare ${plain.toFixed(1)} ms, sandboxed ${inside.toFixed(1)} ms, ${ratio} x`,
    )
  }
} finally {
  await rm(folder, { recursive: true })
}

function bare() {
  return new Promise((resolve) => spawn('/bin/true').once('close', resolve))
}

async function timed(run) {
  const begun = performance.now()
  await run()
  return performance.now() - begun
}

function quantile(all, at) {
  return all.toSorted((a, b) => a - b)[Math.floor(all.length * at)]
}
