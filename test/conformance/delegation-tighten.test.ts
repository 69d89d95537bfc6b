/** Tightenings (H-17, S0-31, S0-32): who is under them at once, what runs, and what happens when they cannot be written. */

import { describe, expect, it } from 'vitest'
import type { Delegation } from '../../src/contract/delegation.js'
import type { CallRequest } from '../../src/contract/session.js'
import { createNativeSandbox } from '../../src/sandbox/select.js'
import { aGate, aTool, OPEN, settled } from '../builders/session.js'
import { aWorld } from '../builders/tree.js'
import { failingStore, watchedStore } from './adversaries.js'
import { ofKind, useHosts } from './hosts.js'

const { inMemory } = useHosts()

const DEEP = { ...OPEN, delegation: { spawnDepth: 3 } } as const
const PROBE: CallRequest = { callId: 'c1', tool: 'probe', args: {} }
const LISTED: Delegation = {
  toolApproval: { policy: 'whitelist_accept', whitelist: ['probe', 'bash(sleep:*)'] },
}
const DENIED = { status: 'denied', matchedRule: 'deny probe' } as const
const NO_PROBE = { rules: ['deny probe'] }
const tools = [aTool(() => 'ran')]

describe('[H-17] a tightening', () => {
  it('[S0-31] binds children and grandchildren in the step that queues it, and raises their revisions', async () => {
    const host = inMemory({ policy: DEEP, tools })
    const root = await host.session()
    const child = await root.spawn(LISTED)
    const grandchild = await child.fork(LISTED, { history: [] })

    const durable = root.tighten(NO_PROBE)
    const revisions = [root, child, grandchild].map((one) => one.revision.split(':')[0])
    await durable

    expect(revisions).toEqual(['2', '2', '2'])
    for (const one of [root, child, grandchild]) expect(await one.run(PROBE)).toMatchObject(DENIED)
    for (const one of [root, child, grandchild]) {
      expect(ofKind(await host.records(one), 'policy_change')).toMatchObject([
        { source: 'tighten', by: root.id },
      ])
      expect(ofKind(await host.records(one), 'snapshot').at(-1)).toMatchObject({ version: 2 })
    }
  })

  it('binds a child that is being created', async () => {
    const gate = aGate()
    let queue = Promise.resolve()
    const store = watchedStore(({ kinds }, next) => {
      queue = queue.then(async () => {
        if (kinds.includes('delegation')) await gate.promise
        await next()
      })
      return queue
    })
    const root = await inMemory({ policy: DEEP, tools, store }).session()

    const birth = root.spawn(LISTED)
    await settled(3)
    const durable = root.tighten(NO_PROBE)
    gate.open()
    const child = await birth
    await durable

    expect(await child.run(PROBE)).toMatchObject(DENIED)
  })

  it('binds a child that is cold, when it comes back', async () => {
    const world = aWorld(inMemory, { policy: DEEP, tools })
    const root = await world.host().session()
    const child = await root.spawn(LISTED)
    const second = await world.restart()
    await (await second.sixgate.resume(root.id)).tighten(NO_PROBE)
    const third = await world.restart()

    expect(await (await third.sixgate.resume(child.id)).run(PROBE)).toMatchObject(DENIED)
  })

  it('leaves parents and siblings alone', async () => {
    const root = await inMemory({ policy: DEEP, tools }).session()
    const [child, sibling] = [await root.spawn(LISTED), await root.spawn(LISTED)]

    await child.tighten(NO_PROBE)

    expect(await child.run(PROBE)).toMatchObject(DENIED)
    for (const one of [root, sibling]) expect((await one.run(PROBE)).status).toBe('ok')
  })

  it('[S0-31] that would widen one axis is refused whole', async () => {
    const root = await inMemory({ policy: { ...DEEP, workMode: 'ro' }, tools }).session()
    const before = root.revision

    await expect(
      root.tighten({ ...NO_PROBE, workMode: 'full', sandbox: { mode: 'open' } }),
    ).rejects.toMatchObject({
      code: 'escalation',
      violations: [{ axis: 'capabilities' }, { axis: 'sandbox', field: 'mode' }],
    })

    expect(root.revision).toBe(before)
    expect((await root.run(PROBE)).status).toBe('ok')
  })

  it('that cannot be in force is an error of the delegation and changes nothing', async () => {
    const root = await inMemory({ policy: DEEP, tools }).session()
    const before = root.revision

    await expect(root.tighten({ budgets: { actionsPerHour: 1 } })).rejects.toMatchObject({
      name: 'DelegationError',
      code: 'invalid_constraint',
    })

    expect(root.revision).toBe(before)
  })

  it('that cannot be written holds, is reported, and the session dispatches nothing', async () => {
    const store = failingStore(({ kinds }) => kinds.includes('policy_change'))
    const root = await inMemory({ policy: DEEP, tools, store }).session()
    const child = await root.spawn(LISTED)
    const admitted = await root.evaluate(PROBE)

    await expect(root.tighten({ network: 'off' })).rejects.toMatchObject({ code: 'not_recorded' })

    const result =
      admitted.status === 'admitted' ? await root.dispatch(admitted.admission) : admitted
    expect(result).toMatchObject({ status: 'denied', reason: 'audit_unavailable' })
    expect(await child.run(PROBE)).toMatchObject({ reason: 'audit_unavailable' })
    expect(root.revision).toMatch(/^2:/)
  })
})

describe('[S0-32] what runs when its session is tightened', () => {
  const SLEEP: CallRequest = { callId: 'c1', tool: 'bash', args: { command: 'sleep 20' } }

  it('is killed at once when it is a command in the sandbox', async () => {
    const host = inMemory({ policy: DEEP, sandbox: createNativeSandbox() })
    const root = await host.session()
    const child = await root.spawn(LISTED)
    const running = child.run(SLEEP)
    await untilDispatched(host.sixgate, running)
    const began = performance.now()

    await root.tighten({ rules: ['deny bash(sleep:*)'] })

    expect(await running).toMatchObject({ status: 'revoked', started: true, effects: 'unknown' })
    expect(performance.now() - began).toBeLessThan(5_000)
  })

  it('has the time that a shorter limit leaves it', async () => {
    const host = inMemory({ policy: DEEP, sandbox: createNativeSandbox() })
    const root = await host.session()
    const running = root.run(SLEEP)
    await untilDispatched(host.sixgate, running)

    await root.tighten({ sandbox: { limits: { timeoutMs: 300 } } })

    expect(await running).toMatchObject({ status: 'timeout', started: true })
  })

  it('gets its signal, loses its handles, and its late result is recorded when it is in process', async () => {
    const [begun, gate] = [aGate(), aGate()]
    const seen: { aborted?: boolean; late?: unknown } = {}
    const slow = aTool(async (_args, { signal, session }) => {
      begun.open()
      await gate.promise
      seen.aborted = signal.aborted
      seen.late = await session.run(PROBE).catch((fault: unknown) => fault)
      return 'too late'
    })
    const host = inMemory({ policy: DEEP, tools: [slow] })
    const root = await host.session()
    const child = await root.spawn(LISTED)
    const running = child.run(PROBE)
    await begun.promise

    await root.tighten(NO_PROBE)
    const result = await running
    gate.open()
    await settled()

    expect(result).toMatchObject({ status: 'revoked', started: true, effects: 'unknown' })
    expect(seen).toMatchObject({ aborted: true, late: { code: 'call_ended' } })
    expect(ofKind(await host.records(child), 'late_result')).toMatchObject([{ call_id: 'c1' }])
  })

  it('goes on when the tightening does not concern it', async () => {
    const [begun, gate] = [aGate(), aGate()]
    const slow = aTool(async () => {
      begun.open()
      await gate.promise
      return 'done'
    })
    const root = await inMemory({ policy: DEEP, tools: [slow] }).session()
    const running = root.run(PROBE)
    await begun.promise

    await root.tighten({ network: 'off', rules: ['deny read(/nowhere)'] })
    gate.open()

    expect(await running).toMatchObject({ status: 'ok', value: 'done' })
  })
})

/** Until the tool was started; fails when the call ends before. */
async function untilDispatched(
  sixgate: { readonly on: (event: 'dispatch', listener: () => void) => Disposable },
  running: Promise<{ readonly status: string }>,
): Promise<void> {
  const started = new Promise<void>((resolve) => sixgate.on('dispatch', () => resolve()))
  const ended = await Promise.race([started, running])
  expect(ended).toBeUndefined()
  await new Promise((resolve) => setTimeout(resolve, 200))
}
