/**
 * `npm run bench:sandbox [-- rounds]`: what a sandboxed `true` costs in one run, rows taking turns: bare, in
 * namespaces alone, in the sandbox, there with a network grant that was made ahead, in
 * @anthropic-ai/sandbox-runtime, and with more and more protected paths.
 */

import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const rounds = Number(process.argv[2] ?? 50)
const TRUE = '/bin/true'
const UNIT = 'spawn of `true`'
const OURS = 'sixgate'
const GRANTED = 'sixgate with a prewarmed grant'
const OTHER = '@anthropic-ai/sandbox-runtime'
const PROTECTED = [0, 25, 100]
const BARE = ['--unshare-all', '--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc']
const folder = await realpath(await mkdtemp(join(tmpdir(), 'sixgate-bench-')))

try {
  const { createNativeSandbox, openSandbox } = await built()
  const workspace = await laid('ws', 0)
  const driver = createNativeSandbox()
  const sandbox = await openSandbox({ workspace, driver })
  if (sandbox.report.status !== 'ready') throw new TypeError(sandbox.report.cause)
  const rows = [
    { name: UNIT, run: () => spawned(TRUE, []) },
    { name: 'bare bwrap', run: () => spawned('/usr/bin/bwrap', [...BARE, TRUE]) },
    { name: OURS, run: () => inside(sandbox) },
    ...granted(sandbox, driver),
    ...(await other(workspace)),
  ]
  const paths = []
  for (const count of PROTECTED) {
    const own = await openSandbox({ workspace: await laid(`repos-${count}`, count) })
    paths.push({ name: `${count} repositories below`, count, run: () => inside(own) })
  }
  print(await taken([...rows, ...paths]), paths)
} finally {
  await rm(folder, { recursive: true, force: true })
}

// sandbox-runtime keeps servers open.
process.exit()

async function built() {
  const outfile = join(folder, 'sandbox.mjs')
  await build({
    entryPoints: ['src/sandbox/entry.ts'],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    logLevel: 'error',
  })
  return import(pathToFileURL(outfile).href)
}

async function laid(name, repositories) {
  const workspace = join(folder, name)
  mkdirSync(workspace)
  for (let at = 0; at < repositories; at += 1) {
    const inner = join(workspace, `part-${at}`)
    execFileSync('git', ['init', '-q', inner])
  }
  return workspace
}

async function inside(sandbox, grant) {
  const run = await sandbox.exec({ argv: [TRUE], grant })
  if (run.exitCode !== 0) throw new TypeError(`true ended with ${run.exitCode}`)
  return run
}

/**
 * The same command with one origin that it may reach, an address that needs no lookup. Its network is made
 * ahead, outside of what is timed.
 */
function granted({ exec, report }, { networks }) {
  const { status, cause } = report.guarantees.network_grant
  if (status !== 'enforced') {
    console.log(`${GRANTED}: left out, ${cause}`)
    return []
  }
  const run = async () => {
    const { grant } = await inside({ exec }, { host: '192.0.2.1', port: 443 })
    if (grant === undefined) throw new TypeError('the command had no grant')
  }
  return [{ name: GRANTED, prepare: networks.prewarm, run }]
}

/** The same command through the other library, as its own host would run it: no domain, this workspace. */
async function other(workspace) {
  try {
    const { SandboxManager } = await import(OTHER)
    await SandboxManager.initialize({
      network: { allowedDomains: [], deniedDomains: [] },
      filesystem: { denyRead: [], allowWrite: [workspace], denyWrite: [] },
    })
    const run = async () => {
      const text = await SandboxManager.wrapWithSandbox(TRUE)
      await spawned('/bin/bash', ['-c', text], workspace)
    }
    await run()
    return [{ name: OTHER, run }]
  } catch (error) {
    console.log(`${OTHER}: left out, ${String(error).split('\n')[0]}`)
    return []
  }
}

function spawned(program, args, cwd) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
    child.on('error', reject)
    child.on('close', (code) => {
      if (code === 0) resolve()
      else reject(new TypeError(`${program} ended with ${code}`))
    })
  })
}

async function taken(rows) {
  const times = new Map(rows.map(({ name }) => [name, []]))
  for (const { run } of rows) await run()
  for (let round = 0; round < rounds; round += 1) {
    for (const { name, run, prepare } of rows) {
      await prepare?.()
      const begun = performance.now()
      await run()
      times.get(name).push(performance.now() - begun)
      // What would be made in the background for a next round is made now: no other row is to pay for it.
      await prepare?.()
    }
  }
  return times
}

function print(times, paths) {
  const at = (name, share) => {
    const sorted = times.get(name).toSorted((a, b) => a - b)
    return sorted[Math.floor((sorted.length - 1) * share)]
  }
  const median = (name) => at(name, 0.5)
  const load = loadavg()[0].toFixed(1)
  console.log(`${rounds} rounds, ${availableParallelism()} processors, load ${load}`)
  for (const name of times.keys()) {
    const times = (median(name) / median(UNIT)).toFixed(2)
    const ms = (share) => at(name, share).toFixed(1)
    console.log(
      `${name}: fastest ${ms(0)} ms, median ${ms(0.5)} ms, p95 ${ms(0.95)} ms, ${times} x`,
    )
  }
  judge(`${OURS} at most 6 x ${UNIT}`, median(OURS) / median(UNIT), 6)
  for (const [name, most] of [
    [OURS, 0.4],
    [GRANTED, 0.5],
  ]) {
    if (!times.has(OTHER) || !times.has(name)) continue
    judge(`${name} at most ${most} x ${OTHER}`, median(name) / median(OTHER), most)
  }
  const [none, some, most] = paths
  const per = (more, less) => (median(more.name) - median(less.name)) / (more.count - less.count)
  console.log(
    `a protected path: ${per(some, none).toFixed(3)} ms of the first, ${per(most, some).toFixed(3)} ms of the rest`,
  )
}

function judge(what, found, most) {
  console.log(`${found <= most ? 'held' : 'MISSED'}: ${what}: ${found.toFixed(2)}`)
}
