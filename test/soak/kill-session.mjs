/** `node test/soak/kill-session.mjs [cases] [seed]`: ends in `kill-session: N cases, 0 failed`. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'tsup'

const cases = Number(process.argv[2] ?? 200)
const seed = Number(process.argv[3] ?? Date.now() % 2 ** 32)
const here = fileURLToPath(new URL('.', import.meta.url))
const outDir = await mkdtemp(join(tmpdir(), 'sixgate-kill-session-bundle-'))

try {
  await build({
    entry: [join(here, 'kill-session-child.ts'), join(here, 'kill-session-cases.ts')],
    outDir,
    format: 'esm',
    outExtension: () => ({ js: '.mjs' }),
    noExternal: [/./],
    config: false,
    silent: true,
  })
  const { killSession } = await import(pathToFileURL(join(outDir, 'kill-session-cases.mjs')).href)
  const child = join(outDir, 'kill-session-child.mjs')
  const failures = await killSession({ cases, seed, child })
  for (const failure of failures) console.error(failure)
  console.log(`seed ${seed}`)
  console.log(`kill-session: ${cases} cases, ${failures.length} failed`)
  process.exitCode = failures.length === 0 ? 0 : 1
} finally {
  await rm(outDir, { recursive: true })
}
