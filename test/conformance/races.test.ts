/** Races, ends and interruptions: whatever happens between evaluate and the result, one chain and one end. */

import { describe, expect, it } from 'vitest'
import type { CallRequest, Session } from '../../src/contract/session.js'
import type { Outcome, Result, Suspended } from '../../src/contract/outcome.js'
import { definePolicy } from '../../src/policy/define.js'
import { nodePathResolver } from '../../src/platform/node-path-resolver.js'
import { fakeClock } from '../../src/testing/fake-clock.js'
import { aGate, aResponder, aTool, NO, OPEN, settled, YES } from '../builders/session.js'
import { failingStore, watchedStore } from './adversaries.js'
import { ofKind, useHosts } from './hosts.js'

const { inMemory } = useHosts()
const ME = { kind: 'human', id: 'me' } as const
const PROBE: CallRequest = { callId: 'c1', tool: 'probe', args: { n: 1 } }
const ASK = { ...OPEN, toolApproval: 'always_ask' } as const
const PLAN = { ...OPEN, workMode: 'plan', tools: 'none' } as const

function isStarted(result: Result<unknown>): boolean {
  return result.status === 'ok' || ('started' in result && result.started)
}

async function suspended(session: Session, call: CallRequest): Promise<Suspended> {
  const outcome = await session.evaluate(call)
  if (outcome.status !== 'suspended') throw new Error(`not suspended but ${outcome.status}`)
  return outcome
}

function dispatch(session: Session, outcome: Outcome): Promise<Result<unknown>> {
  return outcome.status === 'admitted'
    ? session.dispatch(outcome.admission)
    : Promise.resolve(outcome)
}

/** A tool that counts its starts and waits for its gate. */
function waitingTool(): {
  readonly tool: ReturnType<typeof aTool>
  readonly starts: () => number
  readonly started: Promise<void>
  readonly finish: (value: unknown) => void
} {
  const [begun, gate] = [aGate(), aGate<unknown>()]
  let starts = 0
  const tool = aTool(() => {
    starts += 1
    begun.open()
    return gate.promise
  })
  return { tool, starts: () => starts, started: begun.promise, finish: gate.open }
}

describe('one call id', () => {
  it('runs once under a hundred concurrent runs, and no run rejects', async () => {
    let starts = 0
    const { session } = inMemory({ tools: [aTool(() => (starts += 1))] })
    const live = await session()

    const results = await Promise.all(Array.from({ length: 100 }, () => live.run(PROBE)))

    expect(starts).toBe(1)
    expect(results.filter((one) => one.status === 'ok')).toHaveLength(1)
    for (const one of results.filter(({ status }) => status !== 'ok')) {
      expect(one).toMatchObject({ status: 'denied', reason: 'already_dispatched' })
    }
  })

  it('is never judged again once its admission was used, whatever replays are under way', async () => {
    const waiting = waitingTool()
    const { session, records } = inMemory({ tools: [waiting.tool] })
    const live = await session()
    const outcome = await live.evaluate(PROBE)

    const replays = Array.from({ length: 20 }, () => live.evaluate(PROBE))
    const running = dispatch(live, outcome)
    const more = Array.from({ length: 20 }, () => live.evaluate(PROBE))
    await Promise.all([...replays, ...more])
    await waiting.started
    const late = await live.evaluate(PROBE)
    waiting.finish('done')

    expect(await running).toMatchObject({ status: 'ok', value: 'done' })
    expect(late).toMatchObject({ reason: 'already_dispatched' })
    expect(waiting.starts()).toBe(1)
    expect(ofKind(await records(live), 'intent')).toHaveLength(1)
  })

  it('settles once under a hundred concurrent answers, and the first one wins', async () => {
    const { session, sixgate, records } = inMemory({
      policy: ASK,
      responder: 'suspend',
      tools: [aTool(() => 'ran')],
    })
    const live = await session()
    const { ticket } = await suspended(live, PROBE)

    const outcomes = await Promise.all(
      Array.from({ length: 100 }, (_, n) =>
        sixgate.resolve(ticket, PROBE, n === 0 ? NO : YES, { kind: 'human', id: `p${n}` }),
      ),
    )

    expect(new Set(outcomes.map((one) => one.status))).toEqual(new Set(['denied']))
    expect(ofKind(await records(live), 'approval')).toMatchObject([
      { verdict: 'reject', responder: { id: 'p0', attested: 'host' } },
    ])
    expect(ofKind(await records(live), 'terminal')).toHaveLength(1)
  })

  it('survives answers and replays at the same moment', async () => {
    for (const answer of [YES, NO]) {
      const { session, sixgate, records } = inMemory({
        policy: ASK,
        responder: 'suspend',
        tools: [aTool(() => 'ran')],
      })
      const live = await session()
      const { ticket } = await suspended(live, PROBE)

      await Promise.all(
        Array.from({ length: 40 }, async (_, n) => {
          await settled(n % 5)
          return n % 3 === 0 ? sixgate.resolve(ticket, PROBE, answer, ME) : live.evaluate(PROBE)
        }),
      )
      const result = await dispatch(live, await live.evaluate(PROBE))

      expect(result.status).toBe(answer === YES ? 'ok' : 'denied')
      expect(ofKind(await records(live), 'terminal')).toHaveLength(1)
      const next = answer === YES ? { status: 'suspended' } : { reason: 'already_rejected' }
      expect(await live.run({ ...PROBE, callId: 'c2' })).toMatchObject(next)
    }
  })

  it('takes no answer to an old question once it was dispatched without one', async () => {
    const { session, sixgate, records } = inMemory({
      policy: ASK,
      responder: 'suspend',
      tools: [aTool(() => 'ran')],
    })
    const live = await session()
    const { ticket } = await suspended(live, PROBE)
    await sixgate.replacePolicy(live, definePolicy(OPEN))
    const result = await dispatch(live, await live.evaluate(PROBE))
    await sixgate.replacePolicy(live, definePolicy({ ...OPEN, rules: ['deny probe'] }))

    const answers = [
      await sixgate.resolve(ticket, PROBE, NO, ME),
      await sixgate.resolve(ticket, PROBE, YES, ME),
    ]

    expect(result).toMatchObject({ status: 'ok', value: 'ran' })
    for (const one of answers) expect(one).toMatchObject({ reason: 'already_dispatched' })
    expect(ofKind(await records(live), 'terminal')).toHaveLength(1)
    await live.close()
    expect((await records(live)).at(-1)).toMatchObject({ kind: 'run_end' })
  })
})

describe('closing', () => {
  const moments = ['submit', 'judged', 'written', 'admitted', 'dispatching', 'running'] as const

  it.each(moments)('while a call is %s leaves one end, and the end stands last', async (moment) => {
    const waiting = waitingTool()
    const [reached, intent] = [aGate(), aGate()]
    const store = watchedStore(async ({ kinds }, next) => {
      await next()
      if (!kinds.includes('intent') || moment !== 'dispatching') return
      reached.open()
      await intent.promise
    })
    const { session, records, sixgate } = inMemory({ tools: [waiting.tool], store })
    const live = await session()

    const outcome = live.evaluate(PROBE)
    if (moment === 'judged') await settled(1)
    if (moment === 'written') await settled(3)
    if (moment !== 'submit' && moment !== 'judged' && moment !== 'written') await outcome
    const running = moment.includes('ing') ? outcome.then((one) => dispatch(live, one)) : outcome
    if (moment === 'running') await waiting.started
    if (moment === 'dispatching') await reached.promise
    const closing = live.close()
    await settled()
    intent.open()
    waiting.finish('late')
    const [result] = await Promise.all([running, closing])

    const written = await records(live)
    expect(written.at(-1)?.kind).toBe('run_end')
    expect(['admitted', 'denied', 'cancelled']).toContain(result.status)
    expect(await live.evaluate({ ...PROBE, callId: 'c2' })).toMatchObject({
      status: 'denied',
      reason: 'session_closed',
    })
    if (moment === 'dispatching') {
      expect(result).toMatchObject({ status: 'cancelled', started: false, effects: 'none' })
      expect(ofKind(written, 'step_result')).toMatchObject([{ started: false }])
      expect(waiting.starts()).toBe(0)
    }
    if (moment === 'running') {
      expect(ofKind(written, 'step_result')).toMatchObject([{ status: 'cancelled', started: true }])
      expect(ofKind(written, 'late_result')).toMatchObject([{ status: 'ok' }])
    }
    await sixgate[Symbol.asyncDispose]()
  })

  it('waits five seconds for what does not end, and then holds it in doubt', async () => {
    const clock = fakeClock()
    const waiting = waitingTool()
    const { session, records } = inMemory({ tools: [waiting.tool], ports: { clock } })
    const live = await session()
    const running = live.run(PROBE)
    await waiting.started

    const closing = live.close()
    await settled()
    clock.advance(5_000)
    await closing

    expect(await running).toMatchObject({ status: 'cancelled', started: true, effects: 'unknown' })
    expect((await records(live)).at(-1)).toMatchObject({ kind: 'run_end', in_doubt: ['c1'] })
    waiting.finish('far too late')
    await settled()
    expect((await records(live)).at(-1)?.kind).toBe('run_end')
  })

  it('holds in doubt what was cancelled before and still runs', async () => {
    const clock = fakeClock()
    const waiting = waitingTool()
    const abort = new AbortController()
    const { session, records } = inMemory({ tools: [waiting.tool], ports: { clock } })
    const live = await session()
    const running = live.run({ ...PROBE, signal: abort.signal })
    await waiting.started
    abort.abort()
    await running

    const closing = live.close()
    await settled()
    clock.advance(5_000)
    await closing

    expect((await records(live)).at(-1)).toMatchObject({ in_doubt: ['c1'] })
  })

  it('cancels questions, in evaluate and in dispatch, and records their ends', async () => {
    const both = aGate()
    const responder = aResponder(() => {
      if (responder.asked.length === 2) both.open()
      return new Promise(() => undefined)
    })
    const { session, records, sixgate } = inMemory({ responder, tools: [aTool(() => 'ran')] })
    const live = await session()
    const outcome = await live.evaluate(PROBE)
    await sixgate.replacePolicy(live, definePolicy(ASK))
    const dispatching = dispatch(live, outcome)
    const judging = live.evaluate({ ...PROBE, callId: 'c2' })
    await both.promise

    await live.close()

    for (const one of [await dispatching, await judging]) {
      expect(one).toMatchObject({ status: 'denied', reason: 'cancelled' })
    }
    const written = await records(live)
    expect(ofKind(written, 'approval').map((one) => one.verdict)).toEqual([
      'cancelled',
      'cancelled',
    ])
    expect(ofKind(written, 'terminal').map((one) => one.event)).toEqual(['denied', 'denied'])
    expect(written.at(-1)).toMatchObject({ kind: 'run_end', undispatched: [] })
  })

  it('answers what is suspended with a no, once, whoever closes how often', async () => {
    const { session, records, sixgate } = inMemory({
      policy: ASK,
      responder: 'suspend',
      tools: [aTool(() => 'ran')],
    })
    const live = await session()
    const { ticket } = await suspended(live, PROBE)

    const closes = Promise.all([live.close(), live.close('error'), sixgate[Symbol.asyncDispose]()])
    const answer = sixgate.resolve(ticket, PROBE, YES, ME)
    await closes

    expect((await answer).status).toBe('denied')
    const written = await records(live)
    expect(ofKind(written, 'run_end')).toHaveLength(1)
    expect(ofKind(written, 'terminal')).toMatchObject([{ event: 'denied' }])
    expect(await sixgate.resolve(ticket, PROBE, YES, ME)).toMatchObject({ status: 'denied' })
  })

  it('gives up its run even when the end cannot be written', async () => {
    let released = 0
    const store = failingStore(({ kinds }) => kinds.includes('run_end'))
    const inner = store.open
    const counting = {
      ...store,
      open: async (id: string) => {
        const ledger = await inner(id)
        return {
          ...ledger,
          createRun: async (run: Parameters<typeof ledger.createRun>[0]) => {
            const log = await ledger.createRun(run)
            return { ...log, close: () => ((released += 1), log.close()) }
          },
        }
      },
    }
    const { session, sixgate } = inMemory({ store: counting })
    const [one, other] = [await session(), await session()]

    await expect(sixgate[Symbol.asyncDispose]()).rejects.toMatchObject({ code: 'store_failed' })

    expect(released).toBe(2)
    expect((await one.evaluate(PROBE)).status).toBe('denied')
    expect((await other.evaluate(PROBE)).status).toBe('denied')
  })

  it('does not wait for a judgement that never comes', async () => {
    const clock = fakeClock()
    const real = nodePathResolver()
    const hangs = { resolve: real.resolve }
    const { session, records } = inMemory({
      ports: { clock, paths: { ...real, resolve: (path) => hangs.resolve(path) } },
    })
    const live = await session()
    hangs.resolve = () => new Promise(() => undefined)
    const never = live.evaluate({ callId: 'c1', tool: 'read', args: { file_path: 'a.txt' } })
    await settled()
    const closing = live.close()
    await settled()
    clock.advance(5_000)
    await closing

    expect((await records(live)).at(-1)?.kind).toBe('run_end')
    expect(await Promise.race([never, Promise.resolve('still judged')])).toBe('still judged')
  })
})

describe('a signal', () => {
  it('that fired before is a denial of the guard, and asks nobody', async () => {
    const responder = aResponder(() => YES)
    const { session } = inMemory({ policy: ASK, responder, tools: [aTool(() => 'ran')] })
    const live = await session()

    const outcome = await live.evaluate({ ...PROBE, signal: AbortSignal.abort() })

    expect(outcome).toMatchObject({
      status: 'denied',
      layer: 'guard',
      matchedRule: 'builtin:cancelled',
    })
    expect(responder.asked).toEqual([])
    expect(await live.chain('c1')).toHaveLength(1)
  })

  it('of a replay counts as well', async () => {
    const { session } = inMemory({ tools: [aTool(() => 'ran')] })
    const live = await session()
    await live.evaluate(PROBE)

    const outcome = await live.evaluate({ ...PROBE, signal: AbortSignal.abort() })

    expect(outcome).toMatchObject({ status: 'denied', matchedRule: 'builtin:cancelled' })
  })

  it('ends a question; the answer that comes later changes nothing', async () => {
    const gate = aGate()
    const responder = aResponder(async () => {
      await gate.promise
      return YES
    })
    const { session, records } = inMemory({ policy: ASK, responder, tools: [aTool(() => 'ran')] })
    const live = await session()
    const abort = new AbortController()
    const outcome = live.evaluate({ ...PROBE, signal: abort.signal })
    await responder.firstAsk

    abort.abort()
    const denied = await outcome
    gate.open()
    await settled()

    expect(denied).toMatchObject({ status: 'denied', reason: 'cancelled' })
    expect(ofKind(await records(live), 'approval')).toMatchObject([{ verdict: 'cancelled' }])
    expect(ofKind(await records(live), 'terminal')).toHaveLength(1)
  })

  it('is looked at before anybody is bothered', async () => {
    const abort = new AbortController()
    const responder = aResponder(() => YES)
    const store = watchedStore(async ({ kinds, durability }, next) => {
      await next()
      if (kinds.includes('decision') && durability === 'durable') abort.abort()
    })
    const { session } = inMemory({ policy: ASK, responder, store, tools: [aTool(() => 'ran')] })
    const live = await session()

    const outcome = await live.evaluate({ ...PROBE, signal: abort.signal })

    expect(outcome).toMatchObject({ status: 'denied', reason: 'cancelled' })
    expect(responder.asked).toEqual([])
  })

  it('is obeyed at every append of a call: nothing starts after it fired', async () => {
    for (let at = 1; at < 6; at += 1) {
      const abort = new AbortController()
      let starts = 0
      const store = watchedStore(async ({ index }, next) => {
        await next()
        if (index === at) abort.abort()
      })
      const { session, verify } = inMemory({
        policy: ASK,
        responder: aResponder(() => YES),
        store,
        tools: [aTool(() => void (starts += abort.signal.aborted ? 1 : 0))],
      })
      const live = await session()

      const result = await live.run({ ...PROBE, signal: abort.signal })

      expect(starts).toBe(0)
      if (abort.signal.aborted) expect(isStarted(result) && result.status !== 'ok').toBe(false)
      await verify()
    }
  })

  it.each([
    ['a look-alike', Object.create(AbortSignal.prototype)],
    ['a proxy', new Proxy(new AbortController().signal, {})],
    ['a proxy that throws', new Proxy(new AbortController().signal, { getPrototypeOf: throwing })],
    ['a text', 'signal'],
  ])('that is %s is refused or harmless, never a rejection', async (_, signal: unknown) => {
    const { session } = inMemory({ tools: [aTool(() => 'ran')] })
    const live = await session()

    const result = await live.run({ ...PROBE, signal: signal as AbortSignal })

    expect(['denied', 'ok']).toContain(result.status)
  })
})

function throwing(): never {
  throw new TypeError('a trap')
}

describe('a policy that moves', () => {
  it('at every append of a call never lets it start under a revision that is not in force', async () => {
    for (let at = 1; at < 8; at += 1) {
      let starts = 0
      const moves: Promise<unknown>[] = []
      const move = { now: (): void => undefined }
      const store = watchedStore(async ({ index }, next) => {
        await next()
        if (index === at) move.now()
      })
      const { session, sixgate, verify } = inMemory({
        policy: ASK,
        responder: aResponder(() => YES),
        store,
        tools: [aTool(() => void (starts += 1))],
      })
      const live = await session()
      move.now = () => void moves.push(sixgate.replacePolicy(live, definePolicy(PLAN)))

      const result = await live.run(PROBE)
      move.now = () => undefined
      await Promise.all(moves)

      if (result.status === 'ok') expect(starts).toBe(1)
      else expect(starts === 0 || isStarted(result)).toBe(true)
      await verify()
    }
  })

  it('three times over while it is judged ends in a denial, not in a fourth look', async () => {
    const { session, sixgate, records } = inMemory({
      policy: ASK,
      responder: 'suspend',
      tools: [aTool(() => 'ran')],
    })
    const live = await session()
    const outcomes: Outcome[] = [await live.evaluate(PROBE)]
    for (let n = 0; n < 3; n += 1) {
      await sixgate.replacePolicy(live, definePolicy({ ...ASK, rules: [`deny read(x${n})`] }))
      outcomes.push(await live.evaluate(PROBE))
    }

    expect(outcomes.map((one) => one.status)).toEqual([
      'suspended',
      'suspended',
      'suspended',
      'denied',
    ])
    expect(outcomes[3]).toMatchObject({ layer: 'guard', matchedRule: 'builtin:unstable_policy' })
    expect(ofKind(await records(live), 'decision').at(-1)?.layer).toBe('guard')
  })

  it('stops what runs and would be denied now; its result comes late and to nobody', async () => {
    const waiting = waitingTool()
    const { session, sixgate, records } = inMemory({ tools: [waiting.tool] })
    const live = await session()
    const running = live.run(PROBE)
    await waiting.started

    await sixgate.replacePolicy(live, definePolicy(PLAN))
    const result = await running
    waiting.finish('secret')
    await settled()

    expect(result).toMatchObject({ status: 'revoked', started: true, effects: 'unknown' })
    expect(JSON.stringify(result)).not.toContain('secret')
    const steps = (await records(live)).filter(
      (one) => one.kind === 'step_result' || one.kind === 'late_result',
    )
    expect(steps).toMatchObject([{ status: 'revoked' }, { kind: 'late_result', status: 'ok' }])
  })

  it('that cannot be bound leaves the last good one in force', async () => {
    const { session, sixgate, ground } = inMemory({ store: undefined })
    const live = await session()
    const before = live.revision

    await expect(sixgate.replacePolicy(live, { ...definePolicy(OPEN) })).rejects.toMatchObject({
      code: 'invalid_option',
    })
    await expect(sixgate.replacePolicy({ ...live }, definePolicy(OPEN))).rejects.toMatchObject({
      code: 'not_a_root',
    })

    expect(live.revision).toBe(before)
    expect(ground.text(`${ground.workspace}/a.txt`)).toBe('text')
  })

  it('is refused once the session is closed', async () => {
    const { session, sixgate } = inMemory()
    const live = await session()
    await live.close()
    const before = live.revision

    await expect(sixgate.replacePolicy(live, definePolicy(PLAN))).rejects.toMatchObject({
      name: 'ConfigError',
    })
    expect(live.revision).toBe(before)
  })
})

describe('a listener', () => {
  it('that throws, rejects, mutates or adds listeners changes nothing', async () => {
    const { session, sixgate } = inMemory({
      policy: ASK,
      responder: aResponder(() => YES),
      tools: [aTool(() => 'ran')],
    })
    const events = ['decision', 'ask', 'answer', 'dispatch', 'result', 'session'] as const
    for (const event of events) {
      sixgate.on(event, () => {
        throw new Error('loud')
      })
      sixgate.on(event, () => Promise.reject(new Error('later')) as never)
      sixgate.on(event, (value: object) => {
        Reflect.set(value, 'status', 'denied')
        Reflect.set(Object(Reflect.get(value, 'result')) as object, 'status', 'denied')
      })
      let added = 0
      sixgate.on(event, function again() {
        added += 1
        if (added < 5) sixgate.on(event, () => again())
      })
    }
    const live = await session()

    const result = await live.run(PROBE)

    expect(result).toMatchObject({ status: 'ok', value: 'ran' })
  })

  it('that calls back into the session at every event meets no half state', async () => {
    const calls: Promise<unknown>[] = []
    const { session, sixgate } = inMemory({
      policy: ASK,
      responder: aResponder(() => YES),
      tools: [aTool(() => 'ran')],
    })
    const live = await session()
    for (const event of ['decision', 'ask', 'answer', 'dispatch', 'result'] as const) {
      sixgate.on(event, () => {
        calls.push(
          live.evaluate(PROBE),
          live.check(PROBE),
          live.chain('c1').catch(() => null),
        )
      })
    }

    const result = await live.run(PROBE)
    await Promise.all(calls)

    expect(result).toMatchObject({ status: 'ok' })
    expect(await live.evaluate(PROBE)).toMatchObject({ reason: 'already_dispatched' })
  })

  it('hears of an answer after it is on record, and never of one that came too late', async () => {
    const clock = fakeClock()
    const gate = aGate()
    const heard: string[] = []
    const responder = aResponder(async () => {
      await gate.promise
      return YES
    })
    const store = watchedStore(async ({ kinds }, next) => {
      await next()
      if (kinds.includes('approval')) heard.push('recorded')
    })
    const { session, sixgate } = inMemory({
      policy: { ...ASK, approvalResponse: { policy: 'prompt', timeoutMs: 1_000 } },
      responder,
      store,
      ports: { clock },
      tools: [aTool(() => 'ran')],
    })
    sixgate.on('answer', ({ answer }) => void heard.push(answer.answer))
    const live = await session()

    const late = live.evaluate(PROBE)
    await responder.firstAsk
    clock.advance(1_000)
    await late
    gate.open()
    await settled()
    await live.evaluate({ ...PROBE, callId: 'c2' })

    expect(await late).toMatchObject({ reason: 'expired' })
    expect(heard).toEqual(['recorded', 'recorded', 'approve'])
  })

  it('that closes the session from within the call it watches gets one sound end', async () => {
    const ends: Promise<void>[] = []
    const { session, sixgate, records } = inMemory({ tools: [aTool(() => 'ran')] })
    const live = await session()
    sixgate.on('dispatch', () => void ends.push(live.close()))

    const result = await live.run(PROBE)
    await Promise.all(ends)

    expect(isStarted(result)).toBe(true)
    expect(ofKind(await records(live), 'run_end')).toHaveLength(1)
  })
})

describe('an executor', () => {
  it('gets handles that die with its call', async () => {
    const kept: unknown[] = []
    const { session, ground } = inMemory({
      tools: [
        aTool((_, context) => void kept.push(context), {
          needs: () => [{ kind: 'path', access: 'write', path: 'late.txt' }],
        }),
      ],
    })
    const live = await session()
    await live.run(PROBE)
    const [context] = kept as [Parameters<NonNullable<ReturnType<typeof aTool>['execute']>>[1]]

    await expect(context.files.write('late.txt', 'x')).rejects.toMatchObject({ code: 'call_ended' })
    await expect(context.sandbox.exec({ command: 'true' })).rejects.toMatchObject({
      code: 'call_ended',
    })
    expect(context.signal.aborted).toBe(true)
    expect(ground.text(`${ground.workspace}/late.txt`)).toBeNull()
  })

  it('that throws, or gives what is no JSON, is recorded as it ended', async () => {
    const cyclic: { self?: unknown } = {}
    cyclic.self = cyclic
    const values: readonly (() => unknown)[] = [
      () => cyclic,
      () => 10n,
      () => new Map(),
      () => new Proxy({}, { get: throwing }),
      () => undefined,
      () => Number.NaN,
      () => ({ then: throwing }),
      () => ({
        get value() {
          throw new TypeError('read')
        },
      }),
      () => '\ud800',
      () => Promise.reject(new Error('no')),
      throwing,
    ]
    let turn = 0
    const { session, records } = inMemory({ tools: [aTool(() => values[turn++]?.())] })
    const live = await session()

    const results: Result<unknown>[] = []
    for (const [n] of values.entries()) results.push(await live.run({ ...PROBE, callId: `c${n}` }))

    expect(results.map((one) => one.status)).toEqual([
      'ok',
      'ok',
      'ok',
      'error',
      'ok',
      'ok',
      'error',
      'ok',
      'ok',
      'error',
      'error',
    ])
    const steps = ofKind(await records(live), 'step_result')
    expect(steps.map((one) => one.status)).toEqual(results.map((one) => one.status))
  })

  it('may aim at its own session and abort itself', async () => {
    const abort = new AbortController()
    const inner: Promise<unknown>[] = []
    const session: { live?: Session } = {}
    const host = inMemory({
      tools: [
        aTool(() => {
          inner.push(session.live?.run(PROBE) ?? Promise.resolve())
          abort.abort()
          return new Promise(() => undefined)
        }),
      ],
    })
    session.live = await host.session()

    const result = await session.live.run({ ...PROBE, signal: abort.signal })

    expect(result).toMatchObject({ status: 'cancelled', started: true })
    expect(await inner[0]).toMatchObject({ reason: 'already_dispatched' })
  })
})
