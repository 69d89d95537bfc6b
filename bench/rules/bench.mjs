/**
 * `npm run bench:rules`: the rule layer beside four other engines on the same rules and calls, growth, load,
 * shell text, hostile inputs and deep sessions. Ratios of medians within one run. The engines are installed
 * by `npm ci --prefix bench/rules` when they are missing; nothing else is fetched.
 */

import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cpus, release } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { parse } from 'unbash'
import { measure } from '../measure.mjs'
import { median, ratio, table, time } from './tables.mjs'
import { HOSTILE, KIB, SHELL_POLICY, TEXTS } from './texts.mjs'
import { callsOf, generator, oracle, ruleText, rulesOf } from './work.mjs'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const HERE = join(ROOT, 'bench/rules')
const CALLS = 1000
/** Of an engine that takes longer than a tenth of a millisecond a call, only so many are timed. */
const FEW = 100

if (!existsSync(join(HERE, 'node_modules'))) {
  console.log('installing the engines to compare with: npm ci --prefix bench/rules')
  execFileSync('npm', ['ci', '--prefix', HERE, '--no-audit', '--no-fund'], { stdio: 'inherit' })
}
// One of the engines tells every step to the console, which would be most of what it costs.
console.debug = () => undefined
const { peersOf } = await import('./peers.mjs')
const OUT = join(ROOT, '.cache/bench/rules.mjs')
await bundle()
const inner = await import(pathToFileURL(OUT).href)

async function bundle() {
  await build({
    entryPoints: [join(HERE, 'inner.ts')],
    outfile: OUT,
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    logLevel: 'error',
  })
}

/** The same 1,000 rules and 1,000 distinct calls for everybody, every answer compared with the oracle. */
async function peers() {
  const random = generator(1)
  const rules = rulesOf(1000, random)
  const calls = callsOf(CALLS, rules, random)
  const expected = calls.map((call) => oracle(rules, call))
  const texts = rules.map(ruleText)
  const engines = await peersOf(rules)
  const own = inner.load(texts)
  const roots = inner.otherRoots()
  await compare('sixgate, rule layer', calls, expected, (call) =>
    inner.decide(own, inner.questionOf(call, inner.otherRoots())),
  )
  for (const [name, decide] of Object.entries(engines)) {
    await compare(name, calls, expected, decide)
  }
  const others = Object.entries(engines).map(([name, decide]) => ({
    name,
    per: FEW,
    run: over(calls.slice(0, FEW), decide),
  }))
  await compared('the rule layer and four other engines, 1,000 rules, 1,000 distinct calls', [
    {
      name: 'sixgate, rule layer, calls seen before',
      per: CALLS,
      run: anew(own, calls, () => roots),
    },
    {
      name: 'sixgate, rule layer, calls never seen',
      per: CALLS,
      run: anew(own, calls, inner.otherRoots),
    },
    ...others,
  ])
  // A session afterwards: what the compiler learns from it about calls is not to slow the rule layer alone.
  const session = await inner.session({ workMode: 'full', network: 'on', rules: texts })
  const checked = async ({ tool, arg }) => {
    const { visits } = await session.check({ tool, args: { arg } })
    const said = visits.find(({ layer }) => layer === 'user_rule')?.decision
    return said === 'no_match' ? 'none' : said
  }
  await compare('sixgate, check', calls, expected, checked)
  await compared('check of all six layers and the same engines', [
    { name: 'sixgate, check, six layers', per: CALLS, run: over(calls, checked) },
    ...others,
  ])
}

/** A table with the ratios to each row of our own. */
async function compared(title, rows) {
  const results = await measure(rows, { rounds: 4, samples: 6 })
  const own = rows.map(({ name }) => name).filter((name) => name.startsWith('sixgate'))
  console.log(`\n## ${title}\n`)
  table(
    ['engine', 'a call', ...own.map((name) => `× ${name.slice('sixgate, '.length)}`)],
    rows.map(({ name }) => {
      const { processor } = results.get(name)
      const ratios = own.map((one) => ratio(processor / results.get(one).processor))
      return [name, time(processor), ...ratios]
    }),
  )
}

async function compare(name, calls, expected, decide) {
  let wrong = 0
  for (const [index, call] of calls.entries()) {
    if ((await decide(call)) !== expected[index]) wrong += 1
  }
  console.log(`${name}: ${calls.length} answers, ${wrong} wrong`)
  if (wrong > 0) process.exitCode = 1
}

function over(calls, decide) {
  return async () => {
    for (const call of calls) {
      const said = decide(call)
      if (said instanceof Promise) await said
    }
  }
}

/** Each pass with fresh subjects; under other folders nothing of the pass before is remembered either. */
function anew(rules, calls, rootsOf) {
  const passes = []
  return () => {
    const next = passes.pop()
    if (next !== undefined) {
      for (const question of next) inner.decide(rules, question)
      return
    }
    for (let pass = 0; pass < 64; pass += 1) {
      const roots = rootsOf()
      passes.push(calls.map((call) => inner.questionOf(call, roots)))
    }
  }
}

/** Single calls by the clock: the middle of all of them, for 100 and for 10,000 rules, in turns. */
async function growth() {
  const sizes = [100, 1000, 10_000].map((size) => {
    const random = generator(size)
    const rules = rulesOf(size, random)
    const calls = callsOf(CALLS, rules, random)
    return { size, own: inner.load(rules.map(ruleText)), calls, cold: [], warm: [] }
  })
  for (let pass = 0; pass < 30; pass += 1) {
    for (const { own, calls, cold, warm } of sizes) {
      const roots = inner.otherRoots()
      const questions = calls.map((call) => inner.questionOf(call, roots))
      globalThis.gc?.()
      for (const into of [cold, warm]) {
        for (const question of questions) {
          const began = process.hrtime.bigint()
          inner.decide(own, question)
          // The first passes compile the code.
          if (pass >= 5) into.push(Number(process.hrtime.bigint() - began) / 1000)
        }
      }
    }
  }
  console.log('\n## growth with the number of rules: the middle of single calls, by the clock\n')
  const first = sizes[0]
  table(
    ['rules', 'never seen', '× 100 rules', 'seen before', '× 100 rules'],
    sizes.map(({ size, cold, warm }) => [
      size.toLocaleString('en'),
      time(median(cold)),
      ratio(median(cold) / median(first.cold)),
      time(median(warm)),
      ratio(median(warm) / median(first.warm)),
    ]),
  )
}

/** A fresh process each, everything imported before: the first load, and the tenth. */
async function load() {
  const program = `
    import { load, decide, questionOf, otherRoots } from ${JSON.stringify(pathToFileURL(OUT).href)}
    import { generator, ruleText, rulesOf } from ${JSON.stringify(pathToFileURL(join(HERE, 'work.mjs')).href)}
    const texts = rulesOf(Number(process.argv[1]), generator(7)).map(ruleText)
    const took = (work) => {
      const used = process.cpuUsage()
      const began = performance.now()
      work()
      const clock = performance.now() - began
      const { user, system } = process.cpuUsage(used)
      return [clock, (user + system) / 1000]
    }
    const document = JSON.stringify(texts.map((match) => ({ id: match, effect: 'allow', match })))
    const unit = Array.from({ length: 9 }, () => took(() => JSON.stringify(JSON.parse(document)))[1])
    const first = took(() => load(texts))
    for (let pass = 0; pass < 8; pass += 1) load(texts)
    let own
    const tenth = took(() => { own = load(texts) })
    const call = questionOf({ tool: 'read', arg: 'src/a/b.ts' }, otherRoots())
    const call1 = took(() => decide(own, call))
    console.log(JSON.stringify([...first, ...tenth, ...call1, unit.sort((a, b) => a - b)[4]]))`
  const rows = []
  for (const size of [100, 1000, 10_000]) {
    const runs = Array.from({ length: 7 }, () => {
      const args = ['--input-type=module', '-e', program, String(size)]
      return JSON.parse(execFileSync(process.execPath, args, { cwd: ROOT }).toString())
    })
    const [clock, first, , tenth, , call, unit] = [0, 1, 2, 3, 4, 5, 6].map((at) =>
      median(runs.map((run) => run[at])),
    )
    const columns = [clock, first, tenth, call].map((value) => time(1000 * value))
    rows.push([size.toLocaleString('en'), ...columns, ratio(first / unit), ratio(tenth / unit)])
  }
  console.log(
    '\n## loading a policy: `definePolicy`, uniting, revision, binding; JSON: parsing and writing its rules\n',
  )
  table(
    [
      'rules',
      'first, clock',
      'first, processor',
      'tenth, processor',
      'first call after it',
      'first, × JSON',
      'tenth, × JSON',
    ],
    rows,
  )
}

/** All take turns, so that each finds the caches and the machine as the others do. */
function shell() {
  const decide = inner.shellDecision(SHELL_POLICY)
  const works = {
    'bare parse': parse,
    'parse to decision, texts seen before': decide,
    'parse to decision, texts never seen': decide,
    'analysis alone': inner.analyse,
  }
  const taken = new Map(Object.keys(works).map((name) => [name, []]))
  for (let pass = 0; pass < 4000; pass += 1) {
    // A last line of comment makes a text that nobody has seen.
    const fresh = TEXTS.map((text) => `${text}\n# ${pass}`)
    for (const [name, work] of Object.entries(works)) {
      const texts = name.endsWith('before') ? TEXTS : fresh
      const began = process.hrtime.bigint()
      for (const text of texts) work(text)
      const each = Number(process.hrtime.bigint() - began) / 1000 / TEXTS.length
      // The first passes compile the code.
      if (pass >= 1000) taken.get(name).push(each)
    }
  }
  const unit = median(taken.get('bare parse'))
  console.log(`\n## shell text, ${TEXTS.length} everyday texts, 20 rules\n`)
  table(
    ['work', 'a text, clock', '× bare parse'],
    [...taken].map(([name, times]) => [name, time(median(times)), ratio(median(times) / unit)]),
  )
}

async function hostile() {
  const rules = [
    ...['rm -rf:*', '*secret*', '**key**z**', '* --force *'].map((text) => `deny bash(${text})`),
    ...['**a**b**c**d', '*a*a*a*a*b', '**aaaa**b'].map((text) => `ask mcp__srv__tool(${text})`),
    ...['**/secret/**', '**/*a*b*c*/**', '/*a*a*a*b', '**/a?a?a?b'].flatMap((text) => [
      `deny read(${text})`,
      `ask write(${text})`,
    ]),
    'allow bash(cat:*)',
    ...rulesOf(1000, generator(3)).map(ruleText),
  ]
  const session = await inner.session({ workMode: 'full', network: 'on', rules })
  const rows = []
  for (const [name, tool, arg] of HOSTILE) {
    let said = ''
    const run = async () => {
      const { visits } = await session.check({ tool, args: { arg } })
      // A call that no rule judged would say nothing of the rules.
      const judged = visits.find(({ layer }) => layer === 'user_rule')
      said = `${judged?.decision ?? 'not judged'} ${judged?.matchedRule ?? ''}`.trim()
    }
    for (let pass = 0; pass < 3; pass += 1) await run()
    const taken = []
    for (let pass = 0; pass < 9; pass += 1) {
      const used = process.cpuUsage()
      await run()
      const { user, system } = process.cpuUsage(used)
      taken.push(user + system)
    }
    rows.push([name, `${(arg.length / KIB).toFixed(0)} KiB`, said, time(median(taken))])
  }
  console.log('\n## hostile inputs: one `check`, 1,000 rules and patterns of many stars\n')
  table(['input', 'size', 'the rules say', 'processor'], rows)
}

/** Ten sessions deep, each with a hundred rules of its own, against one session with a hundred. */
async function depth() {
  const random = generator(11)
  const parts = Array.from({ length: 10 }, () => rulesOf(100, random).map(narrowing))
  const calls = callsOf(CALLS, rulesOf(1000, generator(12)), random)
  const rows = [1, 2, 5, 10].map((deep) => {
    const own = inner.loadDeep(parts.slice(0, deep).map((part) => part.map(ruleText)))
    return { name: `depth ${deep}`, deep, per: CALLS, run: unseen(own, calls) }
  })
  const results = await measure(rows, { rounds: 4, samples: 16 })
  const unit = results.get('depth 1').processor
  console.log('\n## sessions below sessions, 100 rules each, calls never seen\n')
  table(
    ['session', 'a call, processor', '× depth 1', '× linear'],
    rows.map(({ name, deep }) => {
      const { processor } = results.get(name)
      return [name, time(processor), ratio(processor / unit), ratio(processor / unit / deep)]
    }),
  )
}

/** A delegation adds no allow rules that count. */
function narrowing(rule) {
  return rule.effect === 'allow' ? { ...rule, effect: 'ask' } : rule
}

const only = process.argv.slice(2)
const PARTS = { peers, growth, load, shell, hostile, depth }
console.log(
  `the machine: ${cpus().length} cores, ${process.platform} ${release().split('-')[0]}, Node ${process.versions.node}`,
)
for (const [name, part] of Object.entries(PARTS)) {
  if (only.length === 0 || only.includes(name)) await part()
}
process.exit(0)
