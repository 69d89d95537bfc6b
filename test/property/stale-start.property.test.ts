import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import type { Policy } from '../../src/contract/policy.js'
import type { Session } from '../../src/contract/session.js'
import { AdmissionError } from '../../src/core/errors.js'
import { definePolicy } from '../../src/policy/define.js'
import { scriptedResponder } from '../../src/testing/scripted-responder.js'
import type { TraceRecord } from '../../src/trace/records.js'
import { cases } from '../builders/cases.js'
import { aHost, aWorkspace, type Host } from '../load/host.js'
import { microtasks, MOMENTS, movingStore, type Moment, type Watch } from '../load/moving-store.js'

const RUN = cases(100_000)
// What hangs still ends, on a machine that is busy with other things as well.
vi.setConfig({ testTimeout: 20 * RUN.numRuns })
const WORKSPACE = aWorkspace()

/** Every one of them is another revision; some deny what others admit, one asks. */
const POLICIES: readonly Policy[] = [
  definePolicy({ workMode: 'full', toolApproval: 'accept_all' }),
  definePolicy({ workMode: 'full', rules: ['allow work'] }),
  definePolicy({ workMode: 'full', rules: ['deny read(**/a)'], toolApproval: 'accept_all' }),
  definePolicy({ workMode: 'plan', rules: ['allow work'] }),
  definePolicy({ workMode: 'full', rules: ['ask work'] }),
]

describe('a policy that moves while a call starts', () => {
  it('never starts a tool under the old revision', async () => {
    const seen = { started: 0, revoked: 0, moves: 0 }
    const never = fc.asyncProperty(scenarios(), async (scenario) => {
      const { starts, records, moves } = await play(scenario)

      seen.started += starts.length
      seen.revoked += expectNoStaleStart(starts, records)
      seen.moves += moves
    })
    await fc.assert(never, RUN)
    expect(seen.started).toBeGreaterThan(RUN.numRuns / 10)
    expect(seen.revoked).toBeGreaterThan(RUN.numRuns / 10)
    expect(seen.moves).toBeGreaterThan(RUN.numRuns / 2)
  })
})

/** What the executor saw in its very first statement. */
interface Start {
  readonly callId: string
  readonly revision: string
}

interface Move {
  readonly policy: number
  /** The how-manieth write of the run, counted from its opening, and when around it. */
  readonly write: number
  readonly moment: Moment
}

interface Scenario {
  readonly calls: readonly ('a' | 'b')[]
  readonly first: number
  readonly moves: readonly Move[]
  /** Moves that no write has to do with, after so many microtasks. */
  readonly strays: readonly { readonly policy: number; readonly turns: number }[]
  readonly slowness: number
}

function scenarios(): fc.Arbitrary<Scenario> {
  const policy = fc.nat(POLICIES.length - 1)
  return fc.record({
    calls: fc.array(fc.constantFrom('a' as const, 'b' as const), { minLength: 1, maxLength: 3 }),
    first: policy,
    moves: fc.array(
      fc.record({
        policy,
        write: fc.integer({ min: 1, max: 6 }),
        moment: fc.constantFrom(...MOMENTS),
      }),
      { maxLength: 3 },
    ),
    strays: fc.array(fc.record({ policy, turns: fc.nat(60) }), { maxLength: 1 }),
    slowness: fc.nat(6),
  })
}

interface Played {
  readonly starts: readonly Start[]
  readonly records: readonly TraceRecord[]
  readonly moves: number
}

/** What happens in the scenario that is being played; a host serves many, one after the other. */
interface Stage {
  readonly watch: Watch
  readonly slowness: number
  readonly start: (callId: string) => void
}

async function play({ calls, first, moves, strays, slowness }: Scenario): Promise<Played> {
  const starts: Start[] = []
  const moving: Promise<unknown>[] = []
  let writes = 0
  let session: Session | undefined
  const { host, setStage } = hostOf(first)
  const move = (policy: number): void => {
    if (session !== undefined) moving.push(host.sixgate.replacePolicy(session, at(policy)))
  }
  setStage({
    slowness,
    watch: (moment) => {
      for (const one of moves) if (one.write === writes && one.moment === moment) move(one.policy)
      if (moment === 'after') writes += 1
    },
    start: (callId) => starts.push({ callId, revision: session?.revision ?? 'none' }),
  })
  const opened = await host.sixgate.session()
  session = opened
  const runs = calls.map((path, index) => run(opened, { path, callId: `c${index}` }))
  for (const { policy, turns } of strays) moving.push(microtasks(turns).then(() => move(policy)))
  await Promise.all(runs)
  session = undefined
  await Promise.all(moving)
  await opened.close()
  return { starts, records: await host.records(), moves: moving.length }
}

interface Stand {
  readonly host: Host
  readonly setStage: (stage: Stage) => void
  scenarios: number
}

const stands = new Map<number, Stand>()

/** A memory store keeps every run, so a long series takes new ones. */
function hostOf(first: number): Stand {
  const known = stands.get(first)
  if (known !== undefined && known.scenarios < 200) {
    known.scenarios += 1
    return known
  }
  let stage: Stage | undefined
  const host = aHost({
    workspace: WORKSPACE,
    paths: 'memory',
    policy: at(first),
    store: movingStore(
      (...what) => stage?.watch(...what),
      () => stage?.slowness ?? 0,
    ),
    responder: scriptedResponder(() => ({ answer: 'approve' }), { kind: 'human' }),
    execute: (callId) => stage?.start(callId),
  })
  const stand: Stand = { host, scenarios: 1, setStage: (next) => (stage = next) }
  stands.set(first, stand)
  return stand
}

/** Evaluates and dispatches; nothing but an admission can be refused by an exception. */
async function run(
  session: Session,
  { path, callId }: { readonly path: string; readonly callId: string },
): Promise<void> {
  const outcome = await session.evaluate({ tool: 'work', args: { path }, callId })
  if (outcome.status !== 'admitted') return
  try {
    await session.dispatch(outcome.admission)
  } catch (fault) {
    expect(fault).toBeInstanceOf(AdmissionError)
  }
}

/** Gives how many calls were written down and then not started. */
function expectNoStaleStart(starts: readonly Start[], records: readonly TraceRecord[]): number {
  const intents = new Map<string, string>()
  const stopped = new Set<string>()
  let inForce = ''
  for (const record of records) {
    if (record.kind === 'run_open') inForce = record.policy_revision
    if (record.kind === 'policy_change') {
      expect(record.from).toBe(inForce)
      inForce = record.to
    }
    if (record.kind === 'intent') {
      expect(intents.has(record.call_id)).toBe(false)
      intents.set(record.call_id, record.policy_revision)
      // A record is made in the moment it is chained: one that names another revision may not start.
      if (record.policy_revision !== inForce) stopped.add(record.call_id)
    }
  }
  const ends = records.flatMap((record) => (record.kind === 'step_result' ? [record] : []))
  for (const { callId, revision } of starts) {
    expect(revision).toBe(intents.get(callId))
    expect(stopped.has(callId)).toBe(false)
  }
  const unstarted = ends.filter((end) => !end.started)
  for (const { call_id } of unstarted) {
    expect(starts.some((start) => start.callId === call_id)).toBe(false)
  }
  expect(ends.length).toBe(intents.size)
  expect(starts.length + unstarted.length).toBe(intents.size)
  return unstarted.length
}

function at(index: number): Policy {
  const policy = POLICIES[index]
  if (policy === undefined) throw new TypeError('no such policy')
  return policy
}
