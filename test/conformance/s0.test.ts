/** The six layers and their trace, rows S0-01 to S0-17, through the public API and the records on disk. */

import { describe, expect, it } from 'vitest'
import type { CallRequest } from '../../src/contract/session.js'
import { ConfigError, RecordError } from '../../src/core/errors.js'
import { LAYER_NAMES } from '../../src/core/layer-name.js'
import { definePolicy } from '../../src/policy/define.js'
import { walkBack } from '../../src/trace/chain.js'
import type { DecisionNode, TraceRecord } from '../../src/trace/records.js'
import { aGate, aResponder, aTool, NO, OPEN, YES, type HostParts } from '../builders/session.js'
import { failingStore, watchedStore } from './adversaries.js'
import { ofKind, useHosts } from './hosts.js'

const { onDisk: host, inMemory: memoryHost } = useHosts()

const READ: CallRequest = { callId: 'c1', tool: 'read', args: { file_path: 'a.txt' } }
const WRITE: CallRequest = {
  callId: 'c1',
  tool: 'write',
  args: { file_path: 'b.txt', content: 'new' },
}

function layersOf(nodes: readonly DecisionNode[]): readonly string[] {
  return [...nodes].reverse().map((node) => `${node.layer} ${node.decision}`)
}

describe('layers', () => {
  it('[S0-01] are visited in their one order, up to the start of the tool', async () => {
    const { session, records } = host({
      policy: { ...OPEN, rules: ['ask write(@workspace)'] },
      responder: aResponder(() => YES),
    })
    const live = await session()

    const result = await live.run(WRITE)

    expect(result.status).toBe('ok')
    expect(layersOf(await live.chain('c1'))).toEqual([
      'work_mode allow',
      'network no_match',
      'user_rule ask',
      'approval_response allow',
      'sandbox allow',
    ])
    const kinds = (await records(live)).map((record) => record.kind)
    expect(kinds.slice(kinds.indexOf('intent'))).toEqual(['intent', 'terminal', 'step_result'])
    expect(LAYER_NAMES).toEqual([
      'work_mode',
      'network',
      'user_rule',
      'tool_approval',
      'approval_response',
      'sandbox',
    ])
  })

  it('[S0-01] cannot be reordered or dropped by a policy', () => {
    for (const key of ['layers', 'order', 'skip', 'disable']) {
      const input = { [key]: ['sandbox'] } as never
      expect(() => definePolicy(input)).toThrow(ConfigError)
    }
  })

  it("[S0-02] read the actor's own policy, and an unknown session dispatches nothing", async () => {
    const one = host()
    const other = host({ policy: { ...OPEN, workMode: 'plan' } })
    const [open, plan] = [await one.session(), await other.session()]

    const denied = await plan.run(WRITE)
    const admitted = await open.evaluate(WRITE)
    const stolen =
      admitted.status === 'admitted' ? plan.dispatch(admitted.admission) : Promise.resolve()

    expect(denied).toMatchObject({ status: 'denied', matchedRule: 'builtin:missing_capability' })
    await expect(stolen).rejects.toMatchObject({ code: 'other_session' })
    const ticket = { session_id: 'nobody', call_id: 'c1' } as never
    const answered = await one.sixgate.resolve(ticket, WRITE, YES, { kind: 'human', id: 'me' })
    expect(answered).toMatchObject({ status: 'denied', reason: 'session_closed' })
    expect(one.ground.text(`${one.ground.workspace}/b.txt`)).toBeNull()
    expect(other.ground.text(`${other.ground.workspace}/b.txt`)).toBeNull()
  })
})

describe('a call', () => {
  it('[S0-03] carries one call id through every node and its event', async () => {
    const { session, records } = host()
    const live = await session()

    await live.run(READ)
    await live.run({ ...READ, callId: undefined })

    const written = await records(live)
    const ids = ofKind(written, 'decision').map((node) => node.call_id)
    expect(new Set(ids).size).toBe(2)
    for (const id of ids) {
      expect(ofKind(written, 'terminal').filter((one) => one.call_id === id)).toHaveLength(1)
    }
  })

  it('[S0-03] refuses a reused id and leaves the first chain as it is', async () => {
    const { session, records } = host()
    const live = await session()
    await live.evaluate(READ)
    const before = (await records(live)).length

    const others = await Promise.all([
      live.evaluate({ ...READ, args: { file_path: 'b.txt' } }),
      live.evaluate({ ...READ, tool: 'write' }),
      live.evaluate({ ...READ, cwd: '.' }),
      live.evaluate({ ...WRITE }),
    ])

    for (const other of others) {
      expect(other).toMatchObject({
        status: 'denied',
        layer: 'guard',
        matchedRule: 'builtin:call_id_reused',
        reason: 'call_id_reused',
      })
    }
    expect((await records(live)).length).toBe(before)
    expect((await live.run(READ)).status).toBe('ok')
  })

  it('[H-03] shares its id with no call of another session', async () => {
    const { session, sixgate } = host()
    const [one, other] = [await session(), await sixgate.session()]

    const results = [await one.run(READ), await other.run({ ...WRITE, callId: 'c1' })]

    expect(results.map((result) => result.status)).toEqual(['ok', 'ok'])
    expect((await one.chain('c1'))[0]?.node_id).not.toBe((await other.chain('c1'))[0]?.node_id)
  })

  it('[S0-16] has exactly one terminal event, however often it is evaluated', async () => {
    const { session, records } = host({ policy: { ...OPEN, rules: ['deny write(@workspace)'] } })
    const live = await session()
    await live.run(READ)

    const again = [await live.evaluate(READ), await live.run(READ)]
    const denials = [
      await live.evaluate({ ...WRITE, callId: 'c2' }),
      await live.evaluate({ ...WRITE, callId: 'c2' }),
    ]

    for (const one of again) {
      expect(one).toMatchObject({ status: 'denied', reason: 'already_dispatched', layer: 'guard' })
    }
    expect(denials[0]).toEqual(denials[1])
    expect(ofKind(await records(live), 'terminal').map((one) => one.event)).toEqual([
      'dispatch_started',
      'denied',
    ])
  })

  it('[S0-16] that never got its event is an open chain, and the end of the run says so', async () => {
    const { session, records } = host()
    const live = await session()
    await live.evaluate(READ)

    await live.close()

    expect((await records(live)).at(-1)).toMatchObject({ kind: 'run_end', undispatched: ['c1'] })
    await expect(live.chain('c1')).resolves.toHaveLength(5)
  })
})

describe('a node', () => {
  it('[S0-04] has an id of its own', async () => {
    const { session, records } = host()
    const live = await session()
    for (const callId of ['c1', 'c2', 'c3']) await live.run({ ...READ, callId })

    const ids = ofKind(await records(live), 'decision').map((node) => node.node_id)

    expect(ids.length).toBe(15)
    expect(new Set(ids).size).toBe(15)
  })

  it('[S0-04] whose id stands twice in a ledger makes the chain unreadable', async () => {
    const { session, records } = host()
    const live = await session()
    await live.run(READ)
    const written = await records(live)
    const twin = ofKind(written, 'decision')[1]

    const forged = [...written, { ...twin, matched_rule: null, decision: 'no_match' }]

    await expect(walkBack(linesOf(forged), 'c1')).rejects.toMatchObject({ code: 'duplicate_node' })
  })

  it('[S0-05] names the node directly before it, and the root names none', async () => {
    const { session } = host()
    const live = await session()
    await live.run(READ)

    const chain = await live.chain('c1')

    expect(chain.map((node) => node.parent_id)).toEqual([
      ...chain.slice(1).map((node) => node.node_id),
      null,
    ])
  })

  it('[S0-06] [S0-07] [S0-08] says which layer decided what by which rule', async () => {
    const { session, records } = host({
      policy: { ...OPEN, rules: ['ask write(b.txt)', 'deny write(c.txt)', 'allow write(d.txt)'] },
      responder: aResponder(() => YES),
    })
    const live = await session()
    await live.run(READ)
    await live.run({ ...WRITE, callId: 'c2' })
    await live.run({ ...WRITE, callId: 'c3', args: { file_path: 'c.txt', content: '' } })
    await live.run({ ...WRITE, callId: 'c4', args: { file_path: 'd.txt', content: '' } })

    const nodes = ofKind(await records(live), 'decision')

    expect(new Set(nodes.map((node) => node.layer))).toEqual(new Set(LAYER_NAMES))
    expect(new Set(nodes.map((node) => node.decision))).toEqual(
      new Set(['allow', 'ask', 'deny', 'no_match']),
    )
    for (const node of nodes) expect(node.matched_rule === null).toBe(node.decision === 'no_match')
    expect(
      nodes.filter((node) => node.layer === 'user_rule').map((node) => node.matched_rule),
    ).toEqual([null, 'ask write(b.txt)', 'deny write(c.txt)', 'allow write(d.txt)'])
    expect(nodes.find((node) => node.layer === 'tool_approval')?.matched_rule).toBe(
      'default:accept_all',
    )
  })

  it('[S0-09] keeps the revision it was decided under when the policy moves during the call', async () => {
    const gate = aGate()
    const responder = aResponder(async () => {
      await gate.promise
      return YES
    })
    const { session, sixgate } = host({
      policy: { ...OPEN, rules: ['ask write(@workspace)'] },
      responder,
    })
    const live = await session()
    const first = live.revision
    const running = live.run(WRITE)
    await responder.firstAsk
    await sixgate.replacePolicy(
      live,
      definePolicy({ ...OPEN, rules: ['ask write(@workspace)', 'deny read(x)'] }),
    )
    gate.open()

    const result = await running

    const chain = [...(await live.chain('c1'))].reverse()
    expect(result.status).toBe('ok')
    expect(chain.slice(0, 3).map((node) => node.policy_revision)).toEqual([first, first, first])
    expect(chain.slice(3).map((node) => node.policy_revision)).toEqual(
      chain.slice(3).map(() => live.revision),
    )
    expect(layersOf(await live.chain('c1'))).toEqual([
      'work_mode allow',
      'network no_match',
      'user_rule ask',
      'work_mode allow',
      'network no_match',
      'user_rule ask',
      'approval_response allow',
      'sandbox allow',
    ])
  })

  it('[S0-10] exists only for a stage that was reached: a deny at layer 2 leaves two', async () => {
    const { session, records } = host({
      policy: { ...OPEN, network: 'off' },
      tools: [aTool(() => 'reached', { needs: () => [{ kind: 'host', host: 'example.com' }] })],
    })
    const live = await session()

    const result = await live.run({ callId: 'c1', tool: 'probe', args: {} })

    expect(result).toMatchObject({ status: 'denied', layer: 'network' })
    expect(layersOf(await live.chain('c1'))).toEqual(['work_mode no_match', 'network deny'])
    expect(ofKind(await records(live), 'decision')).toHaveLength(2)
  })
})

describe('a terminal event', () => {
  it('[S0-11] [S0-14] has its five fields, and repeats nothing of the policy', async () => {
    const { session, records } = host({ policy: { ...OPEN, rules: ['deny write(@workspace)'] } })
    const live = await session()
    await live.run(READ)
    await live.run({ ...WRITE, callId: 'c2' })

    const events = ofKind(await records(live), 'terminal')

    const envelope = ['epoch', 'kind', 'mono_us', 'prev', 'run_id', 'seq', 'v', 'wall_ms']
    const own = ['call_id', 'event', 'event_id', 'timestamp', 'trace_head_id']
    expect(events.map((one) => one.event)).toEqual(['dispatch_started', 'denied'])
    for (const event of events) {
      expect(Object.keys(event).sort()).toEqual([...envelope, ...own].sort())
      expect(event.timestamp).toBe(new Date(event.timestamp).toISOString())
    }
  })

  it('[S0-12] of a denial points at the node that decided', async () => {
    const { session, records } = host({ policy: { ...OPEN, rules: ['deny write(@workspace)'] } })
    const live = await session()
    await live.run(WRITE)

    const [event] = ofKind(await records(live), 'terminal')
    const [head] = await live.chain('c1')

    expect(event?.trace_head_id).toBe(head?.node_id)
    expect(head).toMatchObject({ layer: 'user_rule', matched_rule: 'deny write(@workspace)' })
  })

  it('[S0-13] of a dispatch points at the last layer, and is on the medium before the tool starts', async () => {
    const seen: (readonly string[])[] = []
    const stores: (readonly string[])[] = []
    const store = watchedStore(async ({ kinds, durability }, next) => {
      await next()
      stores.push([...kinds, durability])
    })
    const { session } = memoryHost({
      store,
      tools: [aTool(() => void seen.push(stores.at(-1) ?? []))],
    })
    const live = await session()

    await live.run({ callId: 'c1', tool: 'probe', args: {} })

    expect(seen).toEqual([['intent', 'terminal', 'durable']])
    expect((await live.chain('c1'))[0]?.layer).toBe('sandbox')
  })

  it('[S0-13] that cannot be written stops the dispatch', async () => {
    const ran: string[] = []
    const { session, ground } = memoryHost({
      store: failingStore(({ kinds }) => kinds.includes('intent')),
      tools: [aTool(() => ran.push('ran'))],
    })
    const live = await session()
    const outcome = await live.evaluate({ callId: 'c1', tool: 'probe', args: {} })

    const result = outcome.status === 'admitted' ? await live.dispatch(outcome.admission) : outcome
    const later = await live.run({ callId: 'c2', tool: 'probe', args: {} })

    expect(outcome.status).toBe('admitted')
    for (const one of [result, later]) {
      expect(one).toMatchObject({ status: 'denied', layer: 'guard', reason: 'audit_unavailable' })
    }
    expect(ran).toEqual([])
    expect(ground.text(`${ground.workspace}/b.txt`)).toBeNull()
    await expect(live.close()).rejects.toMatchObject({ code: 'writer_poisoned' })
  })
})

describe('reading back', () => {
  it('[S0-15] gives the path that was taken', async () => {
    const { session } = host({ policy: { ...OPEN, toolApproval: 'deny_unlisted' } })
    const live = await session()
    await live.run(WRITE)

    expect(layersOf(await live.chain('c1'))).toEqual([
      'work_mode allow',
      'network no_match',
      'user_rule no_match',
      'tool_approval deny',
    ])
  })

  it('[S0-15] reports a broken link and never fills it', async () => {
    const { session, records } = host()
    const live = await session()
    await live.run(READ)
    await live.run({ ...READ, callId: 'c2' })
    const written = await records(live)
    const nodes = ofKind(written, 'decision')
    const [first, second] = nodes
    const foreign = nodes.find((node) => node.call_id === 'c2')
    const without = (lost: TraceRecord | undefined): readonly TraceRecord[] =>
      written.filter((one) => one !== lost)
    const relinked = (parent: string | null | undefined): readonly TraceRecord[] =>
      written.map((one) => (one === second ? ({ ...one, parent_id: parent } as TraceRecord) : one))
    const reheaded = (head: string | undefined): readonly TraceRecord[] =>
      written.map((one) =>
        one.kind === 'terminal' && one.call_id === 'c1'
          ? ({ ...one, trace_head_id: head } as TraceRecord)
          : one,
      )
    const event = ofKind(written, 'terminal')[0]

    const codes = await Promise.all(
      [
        without(second),
        without(first),
        relinked(foreign?.node_id),
        relinked(nodes[3]?.node_id),
        relinked('nowhere'),
        reheaded('nowhere'),
        reheaded(foreign?.node_id),
        [...written, { ...event } as TraceRecord],
      ].map((forged) => codeOf(walkBack(linesOf(forged), 'c1'))),
    )

    expect(codes).toEqual([
      'missing_parent',
      'missing_parent',
      'foreign_parent',
      'cyclic_chain',
      'missing_parent',
      'missing_head',
      'foreign_head',
      'second_terminal',
    ])
    await expect(live.chain('c9')).rejects.toMatchObject({ code: 'unknown_call' })
    await expect(live.chain(undefined as never)).rejects.toBeInstanceOf(RecordError)
  })
})

describe('a question', () => {
  const ASK: HostParts['policy'] = { ...OPEN, rules: ['ask write(@workspace)'] }

  it('[S0-17] ends nothing: its answer is a node of its own', async () => {
    const [yes, no] = [
      host({ policy: ASK, responder: aResponder(() => YES) }),
      host({ policy: ASK, responder: aResponder(() => NO) }),
    ]
    const [agreed, refused] = [await yes.session(), await no.session()]

    const results = [await agreed.run(WRITE), await refused.run(WRITE)]

    expect(results[0]).toMatchObject({ status: 'ok' })
    expect(results[1]).toMatchObject({ status: 'denied', reason: 'rejected' })
    expect(layersOf(await agreed.chain('c1')).slice(2)).toEqual([
      'user_rule ask',
      'approval_response allow',
      'sandbox allow',
    ])
    expect(layersOf(await refused.chain('c1')).slice(2)).toEqual([
      'user_rule ask',
      'approval_response deny',
    ])
    expect(ofKind(await no.records(refused), 'approval')).toMatchObject([{ verdict: 'reject' }])
  })

  it('[S0-17] waiting adds no node, and no answer in time denies', async () => {
    const responder = aResponder(() => new Promise(() => undefined))
    const one = host({
      policy: { ...ASK, approvalResponse: { policy: 'prompt', timeoutMs: 60 } },
      responder,
    })
    const live = await one.session()
    const pending = live.evaluate(WRITE)
    await responder.firstAsk
    const waiting = ofKind(await one.records(live), 'decision')

    const outcome = await pending

    expect(waiting.map((node) => node.layer)).toEqual(['work_mode', 'network', 'user_rule'])
    expect(outcome).toMatchObject({
      status: 'denied',
      layer: 'approval_response',
      matchedRule: 'default:prompt',
      reason: 'expired',
    })
  })

  it('[S0-17] that nobody can be asked is denied at layer 5', async () => {
    const [nobody, never] = [
      host({ policy: ASK }),
      host({ policy: { ...ASK, approvalResponse: 'never' }, responder: aResponder(() => YES) }),
    ]

    const outcomes = [
      await (await nobody.session()).evaluate(WRITE),
      await (await never.session()).evaluate(WRITE),
    ]

    expect(outcomes).toMatchObject([
      { layer: 'approval_response', matchedRule: 'builtin:no_responder', reason: 'no_responder' },
      { layer: 'approval_response', matchedRule: 'default:never', reason: 'never' },
    ])
  })
})

describe('the executor', () => {
  it('[S0-35] is not offered what the policy does not grant, and [S0-36] checks again', async () => {
    const one = host({ policy: { ...OPEN, workMode: 'plan' } })
    const live = await one.session()

    const result = await live.run(WRITE)

    expect(live.visibleTools().map((tool) => tool.name)).toEqual(['read'])
    expect(result).toMatchObject({ status: 'denied', matchedRule: 'builtin:missing_capability' })
    expect(one.ground.text(`${one.ground.workspace}/b.txt`)).toBeNull()
  })

  it('[S0-35] keeps a tool with an argument-scoped deny visible, and hides one denied as a whole', async () => {
    const visible = async (policy: HostParts['policy']): Promise<readonly string[]> => {
      const live = await host({ policy }).session()
      return live.visibleTools().map((tool) => tool.name)
    }

    expect(await visible({ ...OPEN, rules: ['deny write(b.txt)'] })).toContain('write')
    expect(await visible({ ...OPEN, rules: ['deny write'] })).not.toContain('write')
    expect(
      await visible({
        ...OPEN,
        toolApproval: { policy: 'deny_unlisted', whitelist: ['read'] },
        rules: ['ask bash(ls)'],
      }),
    ).toEqual(['bash', 'read'])
  })

  it('[S0-36] folds once more at dispatch: what was admitted before is denied now', async () => {
    const { session, sixgate, records, ground } = host()
    const live = await session()
    const outcome = await live.evaluate(WRITE)
    await sixgate.replacePolicy(live, definePolicy({ ...OPEN, workMode: 'plan' }))

    const result = outcome.status === 'admitted' ? await live.dispatch(outcome.admission) : outcome

    expect(outcome.status).toBe('admitted')
    expect(result).toMatchObject({ status: 'denied', matchedRule: 'builtin:missing_capability' })
    expect(ofKind(await records(live), 'intent')).toEqual([])
    expect(ofKind(await records(live), 'terminal').map((one) => one.event)).toEqual(['denied'])
    expect(ground.text(`${ground.workspace}/b.txt`)).toBeNull()
  })

  it('[S0-37] confines a shell command by the boundary, not by its text', async () => {
    const { createNativeSandbox } = await import('../../src/sandbox/select.js')
    const one = host({ policy: OPEN, sandbox: createNativeSandbox() })
    const live = await one.session()
    const { workspace, outside } = one.ground

    const result = await live.run({
      callId: 'c1',
      tool: 'bash',
      args: { command: `touch inside; touch ${outside}/escaped; id -u` },
    })

    expect(result.status).toBe('ok')
    expect(one.ground.text(`${workspace}/inside`)).toBe('')
    expect(one.ground.text(`${outside}/escaped`)).toBeNull()
    expect(ofKind(await one.records(live), 'intent')[0]?.sandbox?.driver).toBe('bubblewrap')
  })

  it('[S0-37] denies a shell command without a driver, and nothing runs on the host', async () => {
    const one = host({ policy: OPEN })
    const live = await one.session()

    const result = await live.run({ callId: 'c1', tool: 'bash', args: { command: 'touch ran' } })

    expect(result).toMatchObject({ status: 'denied', matchedRule: 'builtin:sandbox_unavailable' })
    expect(one.ground.text(`${one.ground.workspace}/ran`)).toBeNull()
  })
})

async function* linesOf(records: readonly object[]): AsyncGenerator<Uint8Array> {
  const { canonicalBytes } = await import('../../src/encoding/canonical.js')
  for (const record of records) yield canonicalBytes(record)
}

function codeOf(rejected: Promise<unknown>): Promise<unknown> {
  return rejected.then(
    () => 'read',
    (error: unknown) => (error as RecordError).code,
  )
}
