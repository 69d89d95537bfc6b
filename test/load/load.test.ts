import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import type { Result } from '../../src/contract/outcome.js'
import type { Session, Store } from '../../src/contract/session.js'
import { definePolicy } from '../../src/policy/define.js'
import { jsonlStore } from '../../src/store/jsonl.js'
import { memoryStore } from '../../src/store/memory.js'
import { scriptedResponder } from '../../src/testing/scripted-responder.js'
import type { TraceRecord } from '../../src/trace/records.js'
import { aHost, aWorkspace } from './host.js'

const FULL = process.env['SIXGATE_SOAK'] === '1'
const WORKSPACE = aWorkspace()
vi.setConfig({ testTimeout: FULL ? 600_000 : 60_000 })

/** The path asks for one call in twenty; what else a policy says of it changes while calls run. */
const ASKS = 20
/** The figure is about load, not about how much one person is asked. */
const budgets = { asksPending: 'unlimited', asksPerHour: 'unlimited' } as const
const POLICIES = [
  definePolicy({
    budgets,
    workMode: 'full',
    rules: ['ask read(ask/**)'],
    toolApproval: 'accept_all',
  }),
  definePolicy({
    budgets,
    workMode: 'full',
    rules: ['ask read(ask/**)', 'deny read(some/**)'],
    toolApproval: 'accept_all',
  }),
  definePolicy({
    budgets,
    workMode: 'full',
    rules: ['ask read(ask/**)', 'allow work', 'deny read(other/**)'],
  }),
]

describe('many calls, while the policy changes every ten milliseconds', () => {
  it('all end once, and none starts under an old revision, when they come at once', async () => {
    const calls = FULL ? 10_000 : 1_000
    expectSoundness(await load({ calls, wave: calls, store: memoryStore() }))
  })

  it('all end once, and none starts under an old revision, when they come in waves', async () => {
    expectSoundness(await load({ calls: FULL ? 10_000 : 1_000, wave: 50, store: memoryStore() }))
  })

  it('all end once, and none starts under an old revision, in files', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sixgate-load-store-'))
    const calls = FULL ? 1_000 : 400
    try {
      expectSoundness(await load({ calls, wave: 5, store: jsonlStore(folder) }))
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

interface Load {
  readonly calls: number
  /** How many calls arrive before timers get a turn: policies move between two waves, at most. */
  readonly wave: number
  readonly store: Store
}

interface Loaded {
  readonly calls: number
  readonly results: readonly Result<unknown>[]
  /** How many calls were under way at the same time, at most. */
  readonly atOnce: number
  /** The revision that the executor saw in its first statement, by call. */
  readonly starts: ReadonlyMap<string, string>
  readonly asked: number
  readonly moves: number
  readonly records: readonly TraceRecord[]
  readonly rejections: readonly unknown[]
  readonly ms: number
}

async function load({ calls, wave, store }: Load): Promise<Loaded> {
  const starts = new Map<string, string>()
  const rejections: unknown[] = []
  const note = (reason: unknown): void => void rejections.push(reason)
  process.on('unhandledRejection', note)
  const responder = scriptedResponder(
    async ({ callId }) => {
      await sleep(Number(callId.slice(1)) % 7)
      return { answer: 'approve' }
    },
    { kind: 'human' },
  )
  const { sixgate, records } = aHost({
    workspace: WORKSPACE,
    policy: at(0),
    store,
    paths: 'real',
    responder,
    execute: async (callId) => {
      expect(starts.has(callId)).toBe(false)
      starts.set(callId, session.revision)
      if (starts.size % 3 === 0) await sleep(3)
      return null
    },
  })
  const session = await sixgate.session()
  const began = performance.now()
  const all = runAll(session, { calls, wave })
  let isOver = false
  let moves = 0
  const changes: Promise<unknown>[] = []
  const changing = (async () => {
    while (!isOver) {
      await sleep(10)
      moves += 1
      // In force at once; its record may take longer than the next ten milliseconds.
      changes.push(sixgate.replacePolicy(session, at(moves % POLICIES.length)))
    }
  })()
  const { results, atOnce } = await all
  const ms = performance.now() - began
  isOver = true
  await changing
  await Promise.all(changes)
  await session.close()
  await sleep(0)
  process.off('unhandledRejection', note)
  const asked = responder.requests.length
  const written = await records()
  await sixgate[Symbol.asyncDispose]()
  return { calls, results, atOnce, starts, asked, moves, records: written, rejections, ms }
}

async function runAll(
  session: Session,
  { calls, wave }: Pick<Load, 'calls' | 'wave'>,
): Promise<Pick<Loaded, 'results' | 'atOnce'>> {
  const runs: Promise<Result<unknown>>[] = []
  let [under, atOnce] = [0, 0]
  for (let index = 0; index < calls; index += 1) {
    if (index % wave === 0) await turn()
    under += 1
    atOnce = Math.max(atOnce, under)
    const call = { tool: 'work', args: { path: pathOf(index) }, callId: `c${index}` }
    runs.push(session.run(call).finally(() => (under -= 1)))
  }
  return { results: await Promise.all(runs), atOnce }
}

function expectSoundness(loaded: Loaded): void {
  const { calls, results, starts, records, rejections } = loaded
  const ids = Array.from({ length: calls }, (_, index) => `c${index}`)
  const terminals = countBy(records, 'terminal')
  const ends = countBy(records, 'step_result')
  const intents = new Map(
    records.flatMap((one) => (one.kind === 'intent' ? [[one.call_id as string, one]] : [])),
  )

  expect(rejections).toEqual([])
  expect(results.map((result) => result.callId)).toEqual(ids)
  expect(ids.filter((id) => terminals.get(id) !== 1)).toEqual([])
  expect(ids.filter((id) => (ends.get(id) ?? 0) !== (intents.has(id) ? 1 : 0))).toEqual([])
  const stale = [...starts].filter(([id, seen]) => intents.get(id)?.policy_revision !== seen)
  expect(stale).toEqual([])
  for (const result of results) expectRecorded(result, loaded)
  expect(starts.size).toBeGreaterThan(0)
  expect(loaded.moves).toBeGreaterThan(1)
  expect(loaded.asked).toBeGreaterThanOrEqual(calls / ASKS)
  report(loaded)
}

/** What the caller was told is what the records say. */
function expectRecorded(result: Result<unknown>, { starts }: Loaded): void {
  const hasStarted = starts.has(result.callId)
  switch (result.status) {
    case 'ok':
      expect(hasStarted).toBe(true)
      break
    case 'denied':
      expect(hasStarted).toBe(false)
      expect(result.reason).not.toBe('audit_unavailable')
      break
    case 'revoked':
      expect(hasStarted).toBe(result.started)
      break
    case 'cancelled':
    case 'error':
    case 'killed':
    case 'suspended':
    case 'timeout':
      expect(result.status).toBe('ok, denied or revoked')
  }
}

function countBy(
  records: readonly TraceRecord[],
  kind: 'terminal' | 'step_result',
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const record of records) {
    if (record.kind !== kind) continue
    counts.set(record.call_id, (counts.get(record.call_id) ?? 0) + 1)
  }
  return counts
}

function report({ calls, results, atOnce, asked, moves, ms }: Loaded): void {
  const of = (status: string): number => results.filter((result) => result.status === status).length
  const ends = `${of('ok')} ok, ${of('denied')} denied, ${of('revoked')} revoked`
  process.stdout.write(
    `property: ${calls} cases, ${atOnce} at once, ${ends}, ${asked} asked, ${moves} policies, ${Math.round(ms)} ms\n`,
  )
}

function pathOf(index: number): string {
  if (index % ASKS === 0) return `ask/${index}`
  return `${index % 3 === 0 ? 'some' : index % 3 === 1 ? 'other' : 'plain'}/${index}`
}

function at(index: number): (typeof POLICIES)[number] {
  const policy = POLICIES[index]
  if (policy === undefined) throw new TypeError('no such policy')
  return policy
}
