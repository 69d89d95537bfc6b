/** Rules learned by attack, each held through the public API: H-04, H-06, H-07, H-09, H-10, H-11, H-14. */

import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Ticket } from '../../src/contract/approval.js'
import type { Suspended } from '../../src/contract/outcome.js'
import type { CallRequest, Session } from '../../src/contract/session.js'
import type { Tool } from '../../src/contract/tool.js'
import { canonicalDigest } from '../../src/encoding/canonical.js'
import { fold } from '../../src/pipeline/fold.js'
import { LAYERS } from '../../src/pipeline/layers.js'
import type { AnyLayer } from '../../src/pipeline/layer.js'
import type { BoundMatch } from '../../src/policy/effective-policy.js'
import { nodePathResolver } from '../../src/platform/node-path-resolver.js'
import type { PathResolver } from '../../src/platform/path-resolver.js'
import { definePolicy } from '../../src/policy/define.js'
import { createNativeSandbox } from '../../src/sandbox/select.js'
import { fakeClock } from '../../src/testing/fake-clock.js'
import { aQuestion } from '../builders/question.js'
import {
  aGate,
  aResponder,
  aTool,
  NO,
  OPEN,
  YES,
  type Host,
  type HostParts,
} from '../builders/session.js'
import { failingStore, watchedStore } from './adversaries.js'
import { ofKind, useHosts } from './hosts.js'

const { inMemory, onDisk } = useHosts()
const ME = { kind: 'human', id: 'me' } as const
const PROBE: CallRequest = { callId: 'c1', tool: 'probe', args: { n: 1 } }
const ASK = { ...OPEN, toolApproval: 'always_ask' } as const

async function suspended(session: Session, call: CallRequest): Promise<Suspended> {
  const outcome = await session.evaluate(call)
  if (outcome.status !== 'suspended') throw new Error(`not suspended but ${outcome.status}`)
  return outcome
}

describe('[H-04] a tool that is not the one that was registered', () => {
  /** As `defineTool` would make it, but not frozen. */
  function soft(ran: string[]): { -readonly [K in keyof Tool]: Tool[K] } {
    return {
      name: 'probe',
      description: 'harmless',
      inputSchema: z.unknown(),
      runsIn: 'process',
      always: [],
      needs: () => [],
      execute: () => void ran.push('judged'),
    }
  }
  const changes: readonly [string, (tool: ReturnType<typeof soft>, ran: string[]) => void][] = [
    ['a changed description', (tool) => (tool.description = 'something else')],
    ['a changed version', (tool) => (tool.version = '2')],
    ['a changed place', (tool) => (tool.runsIn = 'sandbox')],
    ['changed needs', (tool) => (tool.needs = () => [{ kind: 'text', text: 'x' }])],
    ['a changed schema', (tool) => (tool.inputSchema = z.string())],
    ['more that it always needs', (tool) => (tool.always = ['fs.read'])],
    ['an added annotation', (tool) => (tool.annotations = { readOnlyHint: true })],
    ['a swapped executor', (tool, ran) => (tool.execute = () => void ran.push('swapped'))],
  ]

  it.each(changes)('%s is denied before anything is run', async (_, change) => {
    const ran: string[] = []
    const tool = soft(ran)
    const { session } = inMemory({ tools: [tool] })
    const live = await session()
    await live.run({ ...PROBE, callId: 'before' })

    change(tool, ran)
    const result = await live.run(PROBE)

    expect(result).toMatchObject({
      status: 'denied',
      layer: 'work_mode',
      matchedRule: 'builtin:tool_changed',
    })
    expect(ran).toEqual(['judged'])
    expect(await live.check(PROBE)).toMatchObject({ decision: 'deny' })
  })

  it.each(changes)('%s between evaluate and dispatch is denied as well', async (_, change) => {
    const ran: string[] = []
    const tool = soft(ran)
    const { session, records } = inMemory({ tools: [tool] })
    const live = await session()
    const outcome = await live.evaluate(PROBE)

    change(tool, ran)
    const result = outcome.status === 'admitted' ? await live.dispatch(outcome.admission) : outcome

    expect(result).toMatchObject({ status: 'denied', matchedRule: 'builtin:tool_changed' })
    expect(ran).toEqual([])
    expect(ofKind(await records(live), 'intent')).toEqual([])
  })

  it('is denied after the yes that somebody gave to the old one', async () => {
    const ran: string[] = []
    const tool = soft(ran)
    const gate = aGate()
    const responder = aResponder(async () => {
      await gate.promise
      return YES
    })
    const { session } = inMemory({ policy: ASK, tools: [tool], responder })
    const live = await session()
    const running = live.run(PROBE)
    await responder.firstAsk

    tool.execute = () => void ran.push('swapped')
    gate.open()

    expect(await running).toMatchObject({ status: 'denied', matchedRule: 'builtin:tool_changed' })
    expect(ran).toEqual([])
  })
})

describe('[H-06] a call outside every sandbox', () => {
  const ESCAPE: CallRequest = {
    callId: 'c1',
    tool: 'bash',
    args: {
      command: 'echo ran > marker',
      sandbox_permissions: 'require_escalated',
      justification: 'the build needs it',
    },
  }
  const parts = (more: HostParts = {}): HostParts => ({ sandbox: createNativeSandbox(), ...more })
  const marker = ({ ground }: Host): string | null => ground.text(join(ground.workspace, 'marker'))

  it.each([
    ['host.escape', ['fs.read', 'fs.write', 'process.exec', 'external.effect']],
    ['fs.write', ['fs.read', 'process.exec', 'external.effect', 'host.escape']],
    ['fs.read', ['fs.write', 'process.exec', 'external.effect', 'host.escape']],
    ['external.effect', ['fs.read', 'fs.write', 'process.exec', 'host.escape']],
  ] as const)('is denied without %s before anybody is asked', async (_, capabilities) => {
    const responder = aResponder(() => YES)
    const policy = { network: 'on', toolApproval: 'accept_all', capabilities } as const
    const host = inMemory(parts({ policy, responder }))
    const live = await host.session()

    const result = await live.run(ESCAPE)

    expect(result).toMatchObject({ status: 'denied', matchedRule: 'builtin:missing_capability' })
    expect(responder.asked).toEqual([])
    expect(marker(host)).toBeNull()
  })

  it('is denied without network before anybody is asked', async () => {
    const responder = aResponder(() => YES)
    const host = inMemory(parts({ policy: { ...OPEN, network: 'off' }, responder }))

    const result = await (await host.session()).run(ESCAPE)

    expect(result).toMatchObject({ status: 'denied', matchedRule: 'builtin:network_off' })
    expect(responder.asked).toEqual([])
    expect(marker(host)).toBeNull()
  })

  it('[S1-41] is shown in fixed words and runs on the host only after a yes of a human', async () => {
    const responder = aResponder(() => YES)
    const host = inMemory(parts({ responder }))
    const live = await host.session()

    const result = await live.run(ESCAPE)

    expect(result).toMatchObject({ status: 'ok', value: { exitCode: 0 } })
    expect(marker(host)).toBe('ran\n')
    expect(responder.asked[0]).toMatchObject({
      warning: 'no sandbox, full network, full file access',
      risk: 'high',
      escalations: ['host_execution'],
      sandbox: { driver: 'none' },
      justification: { author: 'model', text: 'the build needs it' },
    })
    expect(ofKind(await host.records(live), 'intent')[0]?.sandbox).toMatchObject({ driver: 'none' })
    expect((await live.chain('c1'))[0]).toMatchObject({
      layer: 'sandbox',
      matched_rule: 'builtin:approved_unconfined',
    })
  })

  it.each(['script', 'policy', 'model', 'parent'] as const)(
    'is not for a responder of kind %s',
    async (kind) => {
      const responder = aResponder(() => YES, kind)
      const host = inMemory(parts({ responder }))

      const result = await (await host.session()).run(ESCAPE)

      expect(result).toMatchObject({ status: 'denied', matchedRule: 'builtin:no_responder' })
      expect(responder.asked).toEqual([])
      expect(marker(host)).toBeNull()
    },
  )

  it('does not run for a ticket that anybody but a human answered', async () => {
    const host = inMemory(parts({ responder: 'suspend' }))
    const live = await host.session()
    const { ticket } = await suspended(live, ESCAPE)

    const byScript = await host.sixgate.resolve(ticket, ESCAPE, YES, { kind: 'script', id: 'ci' })
    const flips = ['script', 'human', 'human', 'human']
    const lying = {
      id: 'liar',
      get kind() {
        return flips.shift() as 'human'
      },
    }
    const byLiar = await host.sixgate.resolve(ticket, ESCAPE, YES, lying)

    expect([byScript.status, byLiar.status]).toEqual(['suspended', 'suspended'])
    expect(marker(host)).toBeNull()
    const byHuman = await host.sixgate.resolve(ticket, ESCAPE, YES, ME)
    expect(byHuman.status).toBe('admitted')
  })

  it('a responder that changes its kind later stays what it was', async () => {
    const responder = { kind: 'script' as 'script' | 'human', ask: () => Promise.resolve(YES) }
    const host = inMemory(parts({ responder }))
    const live = await host.session()
    responder.kind = 'human'

    expect(await live.run(ESCAPE)).toMatchObject({ matchedRule: 'builtin:no_responder' })
    expect(marker(host)).toBeNull()
  })

  it('starts nowhere but inside the workspace: another folder was never shown', async () => {
    const responder = aResponder(() => YES)
    const host = inMemory(parts({ responder }))
    const live = await host.session()
    const { outside } = host.ground
    const args = { ...(ESCAPE.args as object), cwd: outside }

    const result = await live.run({ ...ESCAPE, args })

    expect(result.status).not.toBe('ok')
    expect(host.ground.text(join(outside, 'marker'))).toBeNull()
  })

  it('[S1-41] needs a justification', async () => {
    const responder = aResponder(() => YES)
    const host = inMemory(parts({ responder }))
    const args = { ...(ESCAPE.args as object), justification: '  ' }

    const result = await (await host.session()).run({ ...ESCAPE, args })

    expect(result).toMatchObject({ matchedRule: 'builtin:invalid_escalation' })
    expect(responder.asked).toEqual([])
  })

  it('is offered when the sandbox is missing and the policy says ask_host, and not else', async () => {
    const plain = { ...ESCAPE, args: { command: 'echo ran > marker' } }
    const sandbox = createNativeSandbox({ launcher: '/nonexistent' })
    const responder = aResponder(() => YES)
    const asking = inMemory({
      sandbox,
      responder,
      policy: { ...OPEN, sandbox: { onUnavailable: 'ask_host' } },
    })
    const denying = inMemory({ sandbox, responder: aResponder(() => YES) })

    const denied = await (await denying.session()).run(plain)
    const ran = await (await asking.session()).run(plain)

    expect(denied).toMatchObject({ status: 'denied', matchedRule: 'builtin:sandbox_unavailable' })
    expect(marker(denying)).toBeNull()
    expect(ran.status).toBe('ok')
    expect(marker(asking)).toBe('ran\n')
    expect(responder.asked[0]).toMatchObject({
      escalations: ['unconfined_fallback'],
      warning: 'no sandbox, full network, full file access',
    })
  })
})

describe('[H-07] what is too large to be judged', () => {
  const long = 'x'.repeat(65 * 1024)
  const texts = (args: unknown): { kind: 'text'; text: string }[] =>
    (args as { texts: string[] }).texts.map((text) => ({ kind: 'text', text }))

  it.each([
    ['a subject of 65 KiB', [long]],
    ['257 subjects', Array.from({ length: 257 }, (_, n) => `t${n}`)],
  ])('%s meets every deny and ask of its tool, and no allow', async (_, given) => {
    const call = { callId: 'c1', tool: 'probe', args: { texts: given } }
    const judge = async (rules: readonly string[]): Promise<unknown> => {
      const { session, records } = inMemory({
        policy: { ...OPEN, toolApproval: 'deny_unlisted', rules },
        tools: [aTool(() => 'ran', { needs: texts })],
      })
      const live = await session()
      const outcome = await live.run(call)
      const nodes = ofKind(await records(live), 'decision')
      return [outcome.status, nodes.find((node) => node.layer === 'user_rule')]
    }

    expect(await judge(['deny probe(other)', 'allow probe'])).toMatchObject([
      'denied',
      { decision: 'deny', matched_rule: 'deny probe(other)', reason_code: 'oversize' },
    ])
    expect(await judge(['ask probe(other)', 'allow probe'])).toMatchObject([
      'denied',
      { decision: 'ask', matched_rule: 'ask probe(other)', reason_code: 'oversize' },
    ])
    expect(await judge(['allow probe', 'deny read(x)'])).toMatchObject([
      'denied',
      { decision: 'no_match', matched_rule: null, reason_code: 'oversize' },
    ])
  })

  it('just under the limits is judged as anything else', async () => {
    const { session } = inMemory({
      policy: { ...OPEN, toolApproval: 'deny_unlisted', rules: ['allow probe'] },
      tools: [aTool(() => 'ran', { needs: texts })],
    })
    const given = ['x'.repeat(64 * 1024), ...Array.from({ length: 255 }, (_, n) => `t${n}`)]

    const result = await (await session()).run({ ...PROBE, args: { texts: given } })

    expect(result).toMatchObject({ status: 'ok', value: 'ran' })
  })

  it('opens no path of the library behind 256 others', async () => {
    const paths = Array.from({ length: 256 }, (_, n) => `f${n}`)
    const host = onDisk({
      tools: [
        aTool((_, { files }) => files.read('../ledger/ledger.json'), {
          needs: () =>
            [...paths, '../ledger/ledger.json'].map((path) => ({
              kind: 'path',
              access: 'read',
              path,
            })),
        }),
      ],
      responder: aResponder(() => YES),
    })

    const result = await (await host.session()).run(PROBE)

    expect(result.status).not.toBe('ok')
  })
})

describe('[H-09] a part that throws', () => {
  const thrower = (): never => {
    throw new Error('broken')
  }
  const broken: BoundMatch = {
    text: 'broken',
    argumentFree: false,
    namesTool: () => true,
    proves: thrower,
    suspects: thrower,
  }
  const path = { kind: 'path', access: 'read', path: 'a.txt' } as const

  function verdict(effect: 'allow' | 'ask' | 'deny', where: 'match' | 'except'): string {
    const question = aQuestion({
      policy: {
        workMode: 'full',
        toolApproval: 'always_ask',
        rules: [{ id: 'r1', effect, match: 'read(a.txt)', except: ['read(never)'] }],
      },
      call: { needs: [path] },
    })
    const [rule] = question.policy.rules
    if (rule === undefined) throw new Error('no rule')
    const bad = where === 'match' ? { ...rule, match: broken } : { ...rule, except: [broken] }
    const { visits } = fold({ ...question, policy: { ...question.policy, rules: [bad] } })
    return visits.find((visit) => visit.layer === 'user_rule')?.decision ?? 'none'
  }

  it('counts as matching in a deny or an ask, and as not matching in an allow', () => {
    expect(verdict('deny', 'match')).toBe('deny')
    expect(verdict('ask', 'match')).toBe('ask')
    expect(verdict('allow', 'match')).toBe('no_match')
  })

  it('takes nothing out of a deny or an ask when it is an exception, and does of an allow', () => {
    expect(verdict('deny', 'except')).toBe('deny')
    expect(verdict('ask', 'except')).toBe('ask')
    expect(verdict('allow', 'except')).toBe('no_match')
  })

  it('denies when it is a layer, whichever of the six', () => {
    for (const [index, layer] of LAYERS.entries()) {
      const layers = [...LAYERS] as AnyLayer[]
      layers[index] = { ...layer, decide: thrower }
      const question = aQuestion({
        policy: { workMode: 'full', rules: ['ask read(a.txt)'] },
        call: { needs: [path] },
        facts: {
          answer: {
            verdict: 'approved',
            by: 'human',
            covers: [{ layer: 'user_rule', matchedRule: 'ask read(a.txt)', escalation: null }],
          },
        },
      })

      const ended = fold(question, layers)

      const isReached = layer.name !== 'tool_approval'
      expect(ended.status).toBe('denied')
      if (!isReached) continue
      expect(ended).toMatchObject({
        by: { layer: layer.name, matchedRule: 'builtin:layer_fault', reason: 'layer_fault' },
      })
    }
  })
})

describe('[H-10] what is shown', () => {
  it('keeps foreign text apart, escaped and counted, and is bound by its digest', async () => {
    const hostile = `ls\u202e; \u001b[2Jrm -rf ${'a'.repeat(50_000)}`
    const tools = [aTool(() => 'ran', { needs: () => [{ kind: 'text', text: hostile }] })]
    const responder = aResponder(() => YES)
    const { session, records } = inMemory({ policy: ASK, tools, responder })
    const live = await session()
    await live.run(PROBE)

    const [request] = responder.asked
    const { displayDigest, ...shown } = request ?? {}
    const [text] = request?.texts ?? []

    expect(text?.author).toBe('model')
    expect(text?.text).toContain('\\u{202e}')
    expect(text?.text).toContain('\\u{1b}')
    for (const raw of ['\u202e', '\u001b']) expect(text?.text).not.toContain(raw)
    expect(text?.hidden).toBeGreaterThan(1_000)
    expect(request?.action).not.toContain('rm')
    expect(Object.isFrozen(request)).toBe(true)
    expect(displayDigest).toBe(canonicalDigest(shown))
    expect(ofKind(await records(live), 'approval')[0]?.display_digest).toBe(displayDigest)
  })
})

describe('[H-11] a ticket', () => {
  async function asking(more: HostParts = {}): Promise<{
    readonly host: Host
    readonly live: Session
    readonly ticket: Ticket
    readonly ran: string[]
  }> {
    const ran: string[] = []
    const tools = [aTool(() => void ran.push('ran'))]
    const host = inMemory({ policy: ASK, responder: 'suspend', tools, ...more })
    const live = await host.session()
    const { ticket } = await suspended(live, PROBE)
    return { host, live, ticket, ran }
  }

  it('comes back through JSON as it left', async () => {
    const { host, live, ticket, ran } = await asking()
    const travelled = JSON.parse(JSON.stringify(ticket)) as Ticket

    const outcome = await host.sixgate.resolve(travelled, PROBE, YES, ME)
    const result = outcome.status === 'admitted' ? await live.dispatch(outcome.admission) : outcome

    expect(result.status).toBe('ok')
    expect(ran).toEqual(['ran'])
    const chain = [...(await live.chain('c1'))].reverse()
    expect(chain.map((node) => node.layer)).toEqual([
      'work_mode',
      'network',
      'user_rule',
      'tool_approval',
      'approval_response',
      'sandbox',
    ])
  })

  it('leaves only after its nodes are on the medium', async () => {
    const written: string[] = []
    const store = watchedStore(async ({ kinds, durability }, next) => {
      await next()
      written.push(...kinds.map((kind) => `${kind} ${durability}`))
    })
    const { ticket } = await asking({ store })

    expect(written.slice(-5)).toEqual([
      ...Array.from({ length: 4 }, () => 'decision durable'),
      'pending durable',
    ])
    expect(ticket.trace_head_id).not.toBe('')
  })

  it('does not leave at all when they cannot be written, now or at a replay', async () => {
    const store = failingStore(({ kinds }) => kinds.includes('decision'))
    const responder = aResponder(() => YES)
    for (const asked of ['suspend', responder] as const) {
      const { session } = inMemory({
        policy: ASK,
        responder: asked,
        store,
        tools: [aTool(() => 0)],
      })
      const live = await session()
      const outcomes = [await live.evaluate(PROBE), await live.evaluate(PROBE)]
      for (const one of outcomes) {
        expect(one).toMatchObject({ status: 'denied', reason: 'audit_unavailable' })
      }
    }
    expect(responder.asked).toEqual([])
  })

  it('that is forged or edited in any field changes nothing and is recorded', async () => {
    const { host, live, ticket } = await asking()
    const edits = Object.keys(ticket).map((key) => {
      const value: unknown = Reflect.get(ticket, key)
      return { ...ticket, [key]: typeof value === 'number' ? value + 1 : `${String(value)}0` }
    })
    const other = await asking()
    const forgeries: readonly unknown[] = [
      ...edits.filter((one) => one.session_id === live.id),
      { ...ticket, extra: 1 },
      { ...ticket, mac: undefined },
      { ...other.ticket, session_id: live.id },
    ]

    for (const forged of forgeries) {
      const outcome = await host.sixgate.resolve(forged as Ticket, PROBE, YES, ME)
      expect(outcome.status).not.toBe('admitted')
    }

    const noted = ofKind(await host.records(live), 'unauthenticated_answer')
    expect(noted).toHaveLength(forgeries.length)
    expect(ofKind(await host.records(live), 'approval')).toEqual([])
    expect((await host.sixgate.resolve(ticket, PROBE, YES, ME)).status).toBe('admitted')
  })

  it.each([
    ['null', null],
    ['a text', 'ticket'],
    ['a list', []],
    ['a revoked proxy', revoked()],
    ['a throwing getter', throwing('session_id')],
  ])('that is %s is refused, never a rejection', async (_, ticket: unknown) => {
    const { host } = await asking()

    const outcome = await host.sixgate.resolve(ticket as Ticket, PROBE, YES, ME)

    expect(outcome).toMatchObject({ status: 'denied', layer: 'guard' })
  })

  it('of another session settles its own call only', async () => {
    const host = inMemory({ policy: ASK, responder: 'suspend', tools: [aTool(() => 'ran')] })
    const [one, other] = [await host.session(), await host.session()]
    const { ticket } = await suspended(one, PROBE)
    await suspended(other, PROBE)

    const outcome = await host.sixgate.resolve(ticket, PROBE, YES, ME)

    expect(outcome.status).toBe('admitted')
    expect((await other.evaluate(PROBE)).status).toBe('suspended')
    const elsewhere = inMemory({ policy: ASK, responder: 'suspend', tools: [aTool(() => 'ran')] })
    await elsewhere.session()
    expect(await elsewhere.sixgate.resolve(ticket, PROBE, YES, ME)).toMatchObject({
      status: 'denied',
      reason: 'session_closed',
    })
  })

  it('needs the same call handed in again', async () => {
    const { host, live, ticket } = await asking()
    const others: readonly unknown[] = [
      { ...PROBE, args: { n: 2 } },
      { ...PROBE, tool: 'read' },
      { ...PROBE, callId: 'c2' },
      { ...PROBE, cwd: '/' },
      { ...PROBE, args: throwing('n') },
      null,
      undefined,
      revoked(),
      throwing('args'),
      throwing('callId'),
    ]

    for (const other of others) {
      const outcome = await host.sixgate.resolve(ticket, other as CallRequest, YES, ME)
      expect(outcome.status).toBe('suspended')
    }

    expect(ofKind(await host.records(live), 'unauthenticated_answer')).toHaveLength(others.length)
    const unnamed = { ...PROBE, callId: undefined }
    expect((await host.sixgate.resolve(ticket, unnamed, YES, ME)).status).toBe('admitted')
  })

  it.each([
    ['nothing', undefined],
    ['a text', 'approve'],
    ['yes', { answer: 'yes' }],
    ['true', { answer: true }],
    ['a revoked proxy', revoked()],
    ['a throwing getter', throwing('answer')],
  ])('answered with %s stays open', async (_, answer: unknown) => {
    const { host, ticket } = await asking()

    const outcome = await host.sixgate.resolve(ticket, PROBE, answer as typeof YES, ME)

    expect(outcome.status).toBe('suspended')
  })

  it.each([
    ['nobody', undefined],
    ['an unknown kind', { kind: 'robot', id: 'x' }],
    ['a kind without an id', { kind: 'human' }],
    ['a revoked proxy', revoked()],
    ['a throwing getter', throwing('kind')],
  ])('answered by %s stays open', async (_, by: unknown) => {
    const { host, ticket } = await asking()

    const outcome = await host.sixgate.resolve(ticket, PROBE, YES, by as typeof ME)

    expect(outcome.status).toBe('suspended')
  })

  it('that expired denies, whoever says what', async () => {
    const clock = fakeClock()
    const policy = { ...ASK, approvalResponse: { policy: 'prompt', timeoutMs: 1_000 } } as const
    const { host, live, ticket, ran } = await asking({ ports: { clock }, policy })
    clock.advance(1_000)

    const late = await host.sixgate.resolve(ticket, PROBE, YES, ME)

    expect(late).toMatchObject({ status: 'denied', reason: 'expired' })
    expect(await live.evaluate(PROBE)).toMatchObject({ status: 'denied', reason: 'expired' })
    expect(ran).toEqual([])
  })

  it('answered a second time changes nothing: what stands is given back', async () => {
    const { host, live, ticket, ran } = await asking()
    const first = await host.sixgate.resolve(ticket, PROBE, YES, ME)
    const second = await host.sixgate.resolve(ticket, PROBE, NO, ME)

    expect(second).toEqual(first)
    if (first.status === 'admitted') await live.dispatch(first.admission)
    expect(await host.sixgate.resolve(ticket, PROBE, NO, ME)).toMatchObject({
      reason: 'already_dispatched',
    })
    expect(ran).toEqual(['ran'])
    expect(ofKind(await host.records(live), 'approval')).toHaveLength(1)
  })

  it('answered under a policy that asks more is asked once more, and then denied', async () => {
    const { host, live, ticket } = await asking()
    const more = (id: string): ReturnType<typeof definePolicy> =>
      definePolicy({ ...ASK, rules: [{ id, effect: 'ask', match: 'probe' }] })
    await host.sixgate.replacePolicy(live, more('first'))

    const again = await host.sixgate.resolve(ticket, PROBE, YES, ME)
    await host.sixgate.replacePolicy(live, more('second'))
    const last =
      again.status === 'suspended'
        ? await host.sixgate.resolve(again.ticket, PROBE, YES, ME)
        : again

    expect(again.status).toBe('suspended')
    expect(last).toMatchObject({ status: 'denied', reason: 'stale' })
  })

  it('answered under a policy that denies now is denied', async () => {
    const { host, live, ticket, ran } = await asking()
    await host.sixgate.replacePolicy(live, definePolicy({ ...ASK, rules: ['deny probe'] }))

    const outcome = await host.sixgate.resolve(ticket, PROBE, YES, ME)

    expect(outcome).toMatchObject({ status: 'denied', matchedRule: 'deny probe' })
    expect(ran).toEqual([])
  })
})

describe('[H-14] a dispatch', () => {
  it('uses its admission, folds again, writes both records at once, compares, starts', async () => {
    const order: string[] = []
    const store = watchedStore(async ({ kinds, durability }, next) => {
      await next()
      order.push(`${kinds.join('+')} ${durability}`)
    })
    const { session } = inMemory({
      store,
      policy: { ...OPEN, sandbox: { readable: [] } },
      tools: [
        aTool(() => void order.push('start'), {
          needs: () => [{ kind: 'path', access: 'read', path: 'a.txt' }],
        }),
      ],
      ports: {
        paths: countingPaths(() => void order.push('facts')),
      },
    })
    const live = await session()
    const outcome = await live.evaluate(PROBE)
    order.length = 0

    if (outcome.status !== 'admitted') throw new Error(outcome.message)
    const running = live.dispatch(outcome.admission)
    await expect(live.dispatch(outcome.admission)).rejects.toMatchObject({ code: 'already_used' })
    await running

    const [first] = order
    expect(first).toBe('facts')
    expect(order.filter((one) => one !== 'facts')).toEqual([
      'intent+terminal durable',
      'start',
      'step_result written',
    ])
  })

  it('does not start when revision, signal or session moved while the record was written', async () => {
    for (const moved of ['revision', 'signal', 'close'] as const) {
      const abort = new AbortController()
      const move = { now: (): void => undefined }
      const moves: Promise<unknown>[] = []
      const ran: string[] = []
      const store = watchedStore(async ({ kinds }, next) => {
        await next()
        if (kinds.includes('intent')) move.now()
      })
      const host = inMemory({ store, tools: [aTool(() => void ran.push('ran'))] })
      const live = await host.session()
      move.now = () => {
        if (moved === 'signal') abort.abort()
        if (moved === 'close') moves.push(live.close())
        if (moved === 'revision') {
          moves.push(
            host.sixgate.replacePolicy(live, definePolicy({ ...OPEN, rules: ['ask read'] })),
          )
        }
      }

      const result = await live.run({ ...PROBE, signal: abort.signal })
      move.now = () => undefined
      await Promise.all(moves)

      expect(result).toMatchObject({
        status: moved === 'revision' ? 'revoked' : 'cancelled',
        started: false,
        effects: 'none',
      })
      expect(ran).toEqual([])
      expect(ofKind(await host.records(live), 'step_result')).toMatchObject([{ started: false }])
    }
  })
})

function countingPaths(note: () => void): PathResolver {
  const real = nodePathResolver()
  return {
    ...real,
    resolve(path) {
      note()
      return real.resolve(path)
    },
  }
}

function revoked(): unknown {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}

function throwing(key: string): unknown {
  return Object.defineProperty({}, key, {
    enumerable: true,
    get() {
      throw new TypeError('a getter')
    },
  })
}
