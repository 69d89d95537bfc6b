/**
 * `npm run bench`: medians and ratios of one run. Sessions, stores and the sandbox come from the built
 * package; what is not a public name (the fold, the guard, the digest) is bundled from src at the start.
 */

import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { cpus, release, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { coldImports } from './cold-import.mjs'
import { durableRows } from './durable.mjs'
import { measure } from './measure.mjs'
import { sandboxRows } from './sandboxed.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'sixgate-bench-')))
const inner = await bundled()
const dist = (name) => import(pathToFileURL(join(ROOT, `dist/${name}.js`)).href)

try {
  print('the machine', machine())
  const unit = 'SHA-256 of 400 bytes'
  const pure = await measure([...(await pureRows(unit)), ...(await sessionRows())])
  table('decisions', pure, { unit, by: 'processor' })
  const durable = await durableRows(await dist('index'), scratch)
  table('durable dispatch', await measure(durable.rows, { samples: 40 }), {
    unit: durable.unit,
    by: 'median',
  })
  print('bytes of a durable call', durable.bytes())
  await durable.close()
  const boxed = await sandboxRows(await dist('sandbox'), scratch)
  table('a sandboxed `true`', await measure(boxed.rows, { rounds: 6, samples: 8 }), {
    unit: boxed.unit,
    by: 'median',
  })
  table('cold import', await coldImports(ROOT), {
    unit: 'the dependencies that `.` imports',
    by: 'processor',
  })
} finally {
  rmSync(scratch, { recursive: true, force: true })
}

async function bundled() {
  const outfile = join(ROOT, '.cache/bench/inner.mjs')
  await build({
    entryPoints: [join(ROOT, 'bench/inner.ts')],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    logLevel: 'error',
  })
  return import(pathToFileURL(outfile).href)
}

async function pureRows(unit) {
  const { sha256, copyJson, canonicalText, questions } = inner
  const record = 'x'.repeat(400)
  const { allowed, denied } = questions()
  const args = { files: Array.from({ length: 16 }, (_, n) => ({ path: `src/${n}`, text: text() })) }
  const kilobytes = JSON.stringify(args).length / 1024
  const perKilobyte = (run) => ({ run, per: kilobytes })
  return [
    { name: unit, run: () => sha256(record) },
    { name: 'fold alone, 20 rules, allowed', run: allowed },
    { name: 'fold alone, 20 rules, denied', run: denied },
    {
      name: '`JSON.stringify` then `JSON.parse` of 1 KB',
      ...perKilobyte(() => JSON.parse(JSON.stringify(args))),
    },
    { name: '`structuredClone` of 1 KB', ...perKilobyte(() => structuredClone(args)) },
    { name: 'guard copy of 1 KB, checked and frozen', ...perKilobyte(() => copyJson(args)) },
    { name: 'canonical text of 1 KB', ...perKilobyte(() => canonicalText(args)) },
  ]
}

async function sessionRows() {
  const memory = await inner.memorySessions()
  const built = await builtSession()
  // A row that measures something else than its name says would be worse than none.
  await expectStatus(memory.evaluate('src/a.ts'), 'admitted')
  await expectStatus(memory.evaluate('secret/key'), 'denied')
  return [
    { name: 'record of a decision: six nodes and the event', run: await inner.recordings() },
    { name: 'check, paths from memory', run: () => memory.check('src/a.ts') },
    { name: 'traced decision, allowed, paths from memory', run: () => memory.evaluate('src/a.ts') },
    {
      name: 'traced decision, denied, paths from memory',
      run: () => memory.evaluate('secret/key'),
    },
    { name: 'check, paths from the disk', run: () => built('check', 'src/a.ts') },
    {
      name: 'traced decision, allowed, paths from the disk',
      run: () => built('evaluate', 'src/a.ts'),
    },
  ]
}

/** The public way in: a session of the built package over its memory store. */
async function builtSession() {
  const { createSixgate, definePolicy, defineTool, reads } = await dist('index')
  const { z } = await import('zod')
  const tool = defineTool({
    name: 'read',
    inputSchema: z.object({ path: z.string() }),
    needs: ({ path }) => reads(path),
    execute: () => null,
  })
  const open = () =>
    createSixgate({
      policy: definePolicy(inner.POLICY),
      workspace: scratch,
      tools: [tool],
    }).session()
  let session = await open()
  await expectStatus(session.evaluate({ tool: 'read', args: { path: 'src/a.ts' } }), 'admitted')
  let calls = 0
  return async (method, path) => {
    calls += 1
    if (calls % 2000 === 0) session = await open()
    return session[method]({ tool: 'read', args: { path } })
  }
}

async function expectStatus(outcome, status) {
  const given = (await outcome).status
  if (given !== status) throw new TypeError(`the call is ${given}, not ${status}`)
}

function text() {
  return 'a line of source, with "quotes" and a tab\t\n'.repeat(12)
}

/** `by`: what the ratios are of. What waits for a disk or another process is told by the clock. */
function table(title, results, { unit, by }) {
  const base = results.get(unit)?.[by] ?? Number.NaN
  console.log(`\n## ${title}\n`)
  console.log(
    `| work | processor | clock | clock, p95 | ${by === 'median' ? 'clock' : by}, × ${unit} |`,
  )
  console.log('| --- | --: | --: | --: | --: |')
  for (const [name, row] of results) {
    const cells = [name, time(row.processor), time(row.median), time(row.p95)]
    console.log(`| ${cells.join(' | ')} | ${ratio(row[by] / base)} |`)
  }
}

function ratio(value) {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3)
}

function time(microseconds) {
  if (microseconds < 1) return `${(microseconds * 1000).toFixed(0)} ns`
  if (microseconds < 1000) return `${microseconds.toPrecision(3)} µs`
  return `${(microseconds / 1000).toPrecision(3)} ms`
}

function print(name, value) {
  console.log(`${name}: ${value}`)
}

function machine() {
  return `${cpus().length} cores, ${process.platform} ${release().split('-')[0]}, Node ${process.versions.node}`
}
