/** `node test/soak/kill-store.mjs [cases] [seed]`: ends in `kill-store: N cases, 0 failed`. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'tsup'

const cases = Number(process.argv[2] ?? 200)
const seed = Number(process.argv[3] ?? Date.now() % 2 ** 32)
const here = fileURLToPath(new URL('.', import.meta.url))
const outDir = await mkdtemp(join(tmpdir(), 'sixgate-kill-bundle-'))

try {
  await build({
    entry: [join(here, 'kill-store-child.ts'), join(here, 'kill-store-cases.ts')],
    outDir,
    format: 'esm',
    outExtension: () => ({ js: '.mjs' }),
    noExternal: [/./],
    config: false,
    silent: true,
  })
  const { killStore } = await import(pathToFileURL(join(outDir, 'kill-store-cases.mjs')).href)
  const child = join(outDir, 'kill-store-child.mjs')
  const failures = await killStore({ cases, seed, child })
  for (const failure of failures) console.error(failure)
  console.log(`seed ${seed}`)
  console.log(`kill-store: ${cases} cases, ${failures.length} failed`)
  process.exitCode = failures.length === 0 ? 0 : 1
} finally {
  await rm(outDir, { recursive: true })
}
