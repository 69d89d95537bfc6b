/**
 * `npm run soak [-- <row>…]`: the rows of reliability in full; each ends in `<row>: N cases, 0 failed`.
 * `SIXGATE_SEED` repeats a run.
 */

import { spawn } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const OUT = join(ROOT, '.cache/soak')
const MINUTES = 60_000
const seed = Number(process.env.SIXGATE_SEED ?? Math.floor(Math.random() * 2 ** 31))

const ROWS = {
  fold: () => properties('test/property/fold', 'test/property/suspension'),
  faults: () => properties('test/property/faults'),
  'stale-start': () => properties('test/property/stale-start', 'test/load/moving-policy'),
  load: () => properties('test/load/load'),
  'kill-store': () => killing('kill-store', 'killStore', 200),
  'kill-session': () => killing('kill-session', 'killSession', 200),
  'kill-sandbox': () => killing('kill-sandbox', 'killSandbox', 200),
  invariants: () => properties('test/property/delegation'),
  races: () => properties('test/property/tighten-race'),
  reference: () => properties('test/reference/differential'),
  'shell-fuzz': () => properties('test/property/shell-fuzz'),
  'shell-opinions': () => properties('test/shell/opinions'),
  'rule-index': () => properties('test/property/rule-index'),
  'rule-fuzz': () => fuzzing('fuzz-rules', 'fuzzRules', 1_000_000),
  'policy-fuzz': () => fuzzing('fuzz-policy', 'fuzzPolicies', 1_000_000),
  'records-fuzz': () => fuzzing('fuzz-records', 'fuzzRecords', 1_000_000),
  mediator: () => fuzzing('fuzz-mediator', 'fuzzMediator', 1_000_000),
}

const asked = process.argv.slice(2)
const unknown = asked.filter((name) => !(name in ROWS))
if (unknown.length > 0) {
  console.error(`no such row: ${unknown.join(', ')}; there are ${Object.keys(ROWS).join(', ')}`)
  process.exit(64)
}

let isSound = true
for (const name of asked.length > 0 ? asked : Object.keys(ROWS)) {
  const began = performance.now()
  const { cases, failed } = await ROWS[name]()
  // A row that looked at nothing has shown nothing.
  isSound &&= failed === 0 && cases > 0
  console.log(`${name}: took ${Math.round((performance.now() - began) / 1000)} s`)
  console.log(`${name}: ${cases} cases, ${failed} failed`)
}
process.exitCode = isSound ? 0 : 1

/** Suites that say `property: N cases` and take the full figure from SIXGATE_SOAK. */
async function properties(...suites) {
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs')
  const args = ['run', ...suites, '--no-file-parallelism', `--testTimeout=${60 * MINUTES}`]
  const { code, said } = await run([vitest, ...args], { SIXGATE_SOAK: '1' })
  const counts = [...said.matchAll(/^property: (\d+) cases/gm)].map(([, count]) => Number(count))
  const tests = / (\d+) failed\s*$/m.exec(said)
  const failed = Number(tests?.[1] ?? 0)
  return { cases: counts.reduce((sum, count) => sum + count, 0), failed: failed || (code && 1) }
}

/** Processes that are killed at random moments: `<file>-child` is what dies, `<file>-cases` the judge. */
async function killing(file, name, cases) {
  const [judge, child] = await bundled(`${file}-cases`, `${file}-child`)
  const failures = await (await import(pathToFileURL(judge).href))[name]({ cases, seed, child })
  return told(cases, failures, `SIXGATE_SEED=${seed}`)
}

async function fuzzing(file, name, cases) {
  const [fuzzer] = await bundled(file)
  const module = await import(pathToFileURL(fuzzer).href)
  const { failures, refused, slowestMs } = module[name](cases, seed)
  const note = `SIXGATE_SEED=${seed}, ${refused} refused, slowest ${slowestMs.toFixed(1)} ms`
  return told(cases, failures, note)
}

function told(cases, failures, note) {
  for (const failure of failures.slice(0, 20)) console.error(failure)
  console.log(note)
  return { cases, failed: failures.length }
}

async function bundled(...files) {
  await mkdir(OUT, { recursive: true })
  await build({
    entryPoints: files.map((file) => join(ROOT, `test/soak/${file}.ts`)),
    outdir: OUT,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    logLevel: 'error',
  })
  return files.map((file) => join(OUT, `${file}.mjs`))
}

function run(args, environment) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, {
      cwd: ROOT,
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let said = ''
    child.stdout.setEncoding('utf8')
    child.stdout.on('data', (text) => {
      said += text
      process.stdout.write(text)
    })
    child.on('close', (code) => resolve({ code: code ?? 1, said }))
  })
}
