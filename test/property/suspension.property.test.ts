import fc from 'fast-check'
import { afterAll, describe, expect, it, vi } from 'vitest'
import type { Answer, Ticket } from '../../src/contract/approval.js'
import type { Outcome } from '../../src/contract/outcome.js'
import type { PolicyInput } from '../../src/contract/policy.js'
import type { CallRequest, Session, Sixgate } from '../../src/contract/session.js'
import type { ResponderKind } from '../../src/core/facts.js'
import { definePolicy } from '../../src/policy/define.js'
import { scriptedResponder } from '../../src/testing/scripted-responder.js'
import type { DecisionNode } from '../../src/trace/records.js'
import { cases } from '../builders/cases.js'
import { aHost, aWorkspace, type Work } from '../load/host.js'

const RUN = cases(100_000)
// What hangs still ends, on a machine that is busy with other things as well.
vi.setConfig({ testTimeout: 20 * RUN.numRuns })
const WORKSPACE = aWorkspace()
const PLANS = fc.sample(plans(), { numRuns: 40, seed: RUN.seed })
const hosts = new Map<string, Promise<Pair>>()
let calls = 0

afterAll(async () => {
  for (const pair of hosts.values()) await (await pair).close()
})

/** A session keeps its calls until it ends, so a long run opens new ones. */
const CALLS_EACH = 200

describe('a suspended call', () => {
  it('goes the way it would have gone straight through, over a ticket that was JSON', async () => {
    let suspensions = 0
    const same = fc.asyncProperty(samples(), async ({ plan, kind, args, answer }) => {
      const { suspending, straight } = await pairOf(plan, kind)
      calls += 1
      const call = { tool: 'work', args, callId: `c${calls}` }
      straight.answers.set(call.callId, answer)

      // Each sample is a turn of its own: what was refused before is no part of it.
      for (const { sixgate, session } of [suspending, straight]) sixgate.userTurn(session)
      const first = await suspending.session.evaluate(call)
      const before = suspending.take(call)
      const last = await resolved(suspending.sixgate, call, first, { answer, kind })
      const after = suspending.take(call)
      const direct = await straight.session.evaluate(call)
      const walked = straight.take(call)

      expect(walked.slice(0, before.length)).toEqual(before)
      if (first.status === 'suspended' && isUnanswerable(direct)) {
        // Its yes changes nothing; its no is a no. A session that has nobody else denies at once.
        expect(last.status).toBe(answer.answer === 'approve' ? 'suspended' : 'denied')
        expect(after.length).toBe(answer.answer === 'approve' ? 0 : 1)
        return
      }
      expect(last.status).toBe(direct.status)
      if (last.status === 'denied') expect(last).toEqual(direct)
      expect([...before, ...after]).toEqual(walked)
      if (first.status === 'suspended') suspensions += 1
      else expect(after).toEqual([])
    })
    await fc.assert(same, RUN)
    expect(suspensions).toBeGreaterThan(RUN.numRuns / 10)
  })

  it('is on record as it was seen: walking back gives the same nodes', async () => {
    expect(hosts.size).toBeGreaterThan(0)
    for (const pair of hosts.values()) await expectRecorded(await pair)
  })
})

async function expectRecorded({ suspending, straight }: Pair): Promise<void> {
  for (const { session, last } of [suspending, straight]) {
    const chain = await session.chain(last().id)
    expect([...chain].reverse().map(spoken)).toEqual(last().nodes)
  }
}

/** The question is for people, and whoever answers is none. */
function isUnanswerable(direct: Outcome): boolean {
  return direct.status === 'denied' && direct.reason === 'no_responder'
}

interface Plan {
  readonly policy: PolicyInput
}

function plans(): fc.Arbitrary<Plan> {
  const rules = [
    'deny work(**/locked/**)',
    'ask read(**/src/**)',
    'allow read(@workspace)',
  ] as const
  return fc.record({
    policy: fc.record<PolicyInput>({
      workMode: fc.constantFrom('ro', 'rw', 'full'),
      rules: fc.subarray([...rules, 'ask write(@workspace)', 'deny read(**/secret/**)']),
      toolApproval: fc.constantFrom('whitelist_accept', 'always_ask', 'accept_all'),
      approvalResponse: fc.constantFrom('prompt', 'prompt', 'prompt', 'never'),
    }),
  })
}

interface Sample {
  readonly plan: Plan
  readonly kind: ResponderKind
  readonly args: Work
  readonly answer: Answer
}

function samples(): fc.Arbitrary<Sample> {
  return fc.record({
    plan: fc.constantFrom(...PLANS),
    kind: fc.constantFrom<ResponderKind>('human', 'human', 'script'),
    args: fc.record({
      path: fc.constantFrom('src/a', 'secret/k', 'locked/x', 'b', '.git/config', '/etc/hosts'),
      access: fc.constantFrom('read' as const, 'write' as const),
      escalates: fc.oneof(fc.constant(false), fc.constant(false), fc.constant(true)),
    }),
    answer: fc.constantFrom<Answer>(
      { answer: 'approve' },
      { answer: 'approve' },
      { answer: 'reject' },
    ),
  })
}

/** Hands everything in again as a host would that kept it as text. */
async function resolved(
  sixgate: Sixgate,
  call: CallRequest,
  first: Outcome,
  { answer, kind }: Pick<Sample, 'answer' | 'kind'>,
): Promise<Outcome> {
  if (first.status !== 'suspended') return first
  const ticket = roundTrip<Ticket>(first.ticket)
  return sixgate.resolve(ticket, roundTrip(call), answer, { kind, id: 'somebody' })
}

/** One session, the answers it will give, and the nodes it has written. */
interface Side {
  readonly sixgate: Sixgate
  readonly session: Session
  readonly answers: Map<string, Answer>
  /** Nodes of the call since the last `take`, without what differs between any two runs. */
  readonly take: (call: { readonly callId: string }) => readonly Spoken[]
  /** The last call and all of its nodes. */
  readonly last: () => { readonly id: string; readonly nodes: readonly Spoken[] }
}

interface Pair {
  readonly suspending: Side
  readonly straight: Side
  readonly close: () => Promise<void>
}

async function pairOf(plan: Plan, kind: ResponderKind): Promise<Pair> {
  const key = JSON.stringify([plan, kind])
  const known = await hosts.get(key)
  if (known !== undefined && known.straight.answers.size < CALLS_EACH) return known
  if (known !== undefined) {
    await expectRecorded(known)
    await known.close()
  }
  const fresh = openPair(plan, kind)
  hosts.set(key, fresh)
  return fresh
}

async function openPair({ policy }: Plan, kind: ResponderKind): Promise<Pair> {
  const suspending = await openSide(policy, 'suspend')
  const straight = await openSide(policy, kind)
  return {
    suspending,
    straight,
    close: async () => {
      await suspending.sixgate[Symbol.asyncDispose]()
      await straight.sixgate[Symbol.asyncDispose]()
    },
  }
}

const UNLIMITED = { asksPending: 'unlimited', asksPerHour: 'unlimited' } as const

async function openSide(policy: PolicyInput, by: 'suspend' | ResponderKind): Promise<Side> {
  const answers = new Map<string, Answer>()
  const { sixgate } = aHost({
    workspace: WORKSPACE,
    paths: 'memory',
    policy: definePolicy({ ...policy, budgets: UNLIMITED }),
    responder:
      by === 'suspend'
        ? by
        : scriptedResponder(({ callId }) => answers.get(callId) ?? { answer: 'reject' }, {
            kind: by,
          }),
    execute: () => null,
  })
  let fresh: DecisionNode[] = []
  let last: ReturnType<Side['last']> = { id: '', nodes: [] }
  sixgate.on('decision', (node) => fresh.push(node))
  return {
    sixgate,
    session: await sixgate.session(),
    answers,
    take({ callId }) {
      const nodes = fresh.filter((node) => node.call_id === callId).map(spoken)
      fresh = []
      last = { id: callId, nodes: last.id === callId ? [...last.nodes, ...nodes] : nodes }
      return nodes
    },
    last: () => last,
  }
}

type Spoken = Pick<DecisionNode, 'layer' | 'decision' | 'matched_rule' | 'policy_revision'>

function spoken({ layer, decision, matched_rule, policy_revision }: DecisionNode): Spoken {
  return { layer, decision, matched_rule, policy_revision }
}

function roundTrip<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T
}
