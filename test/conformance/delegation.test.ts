/** Creating children, rows S0-18 to S0-34 (delegation.md §1 to §3): what a child gets, and that nothing is left of one that failed. */

import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Delegation } from '../../src/contract/delegation.js'
import type { CallRequest, Session, Store } from '../../src/contract/session.js'
import { workspaceId } from '../../src/enforce/session.js'
import { contentOf } from '../../src/trace/content.js'
import { definePolicy } from '../../src/policy/define.js'
import { memoryStore } from '../../src/store/memory.js'
import type { Snapshots } from '../../src/delegation/snapshots.js'
import type { SessionId } from '../../src/core/ids.js'
import { aGround, aResponder, aTool, OPEN, YES, type Host } from '../builders/session.js'
import { aChild, aWorld } from '../builders/tree.js'
import { failingStore, watchedStore } from './adversaries.js'
import { ofKind, useHosts } from './hosts.js'

const { inMemory } = useHosts()

const KINDS = ['spawn', 'fork'] as const
const DEEP = { ...OPEN, delegation: { spawnDepth: 3 } } as const
const WRITE: CallRequest = { tool: 'write', args: { file_path: 'b.txt', content: 'new' } }
const READ: CallRequest = { tool: 'read', args: { file_path: 'a.txt' } }
const LISTED: Delegation = {
  toolApproval: { policy: 'whitelist_accept', whitelist: ['read', 'write'] },
}

/** Every snapshot that the store of a host holds of a session. */
async function storedVersions(host: Host, id: SessionId): Promise<readonly number[]> {
  const open = await host.store.open(workspaceId(host.ground.workspace))
  return open.snapshots.versions(id)
}

async function policyOf(host: Host, session: Session): Promise<Record<string, unknown>> {
  const open = await host.store.open(workspaceId(host.ground.workspace))
  const version = (await open.snapshots.versions(session.id)).at(-1) ?? 0
  const bytes = await open.snapshots.get(session.id, version)
  return JSON.parse(new TextDecoder().decode(bytes ?? new Uint8Array())) as Record<string, unknown>
}

describe.each(KINDS)('a %s', (kind) => {
  it('[S0-18] is under its parent’s policy, met with what the delegation says', async () => {
    const host = inMemory({ policy: { ...OPEN, rules: ['deny read(secret)'] } })
    const parent = await host.session()

    const child = await aChild(kind, parent, { workMode: 'ro', rules: ['deny read(b.txt)'] })

    const { policy } = await policyOf(host, child)
    expect(policy).toMatchObject({
      capabilities: ['agent.delegate', 'agent.spawn', 'fs.read', 'process.exec'],
      network: { mode: 'on' },
      rules: [{ id: 'deny read(secret)' }, { id: 'deny read(b.txt)' }],
      approvalResponse: { policy: 'never' },
      toolApproval: [{ policy: 'whitelist_accept', whitelist: [] }],
    })
  })

  it('[S0-19] is permitted exactly what the other kind is', async () => {
    const host = inMemory({ policy: DEEP })
    const parent = await host.session()
    const given: Delegation = { ...LISTED, network: 'off', rules: ['ask read'] }

    const [one, other] = [await aChild('spawn', parent, given), await aChild(kind, parent, given)]

    expect(one.revision).toBe(other.revision)
    for (const call of [READ, WRITE]) {
      const [first, second] = [await one.run(call), await other.run(call)]
      expect({ ...first, callId: '' }).toEqual({ ...second, callId: '' })
    }
  })

  it('[S0-20] has its parent’s capabilities, filtered, and no work mode', async () => {
    const host = inMemory({ policy: { ...OPEN, workMode: 'rw' } })

    const child = await aChild(kind, await host.session(), { workMode: 'plan' })

    const { policy } = await policyOf(host, child)
    expect(policy).toMatchObject({ capabilities: ['fs.read'] })
    expect(policy).not.toHaveProperty('workMode')
  })

  it('[S0-20] is refused for a capability that nobody knows', async () => {
    const parent = await inMemory({ policy: OPEN }).session()

    await expect(
      aChild(kind, parent, { capabilities: ['fs.everything' as 'fs.read'] }),
    ).rejects.toMatchObject({ name: 'DelegationError', code: 'invalid_constraint' })
  })

  it('[S0-21] that asks for network stays without, and its record says so', async () => {
    const host = inMemory({ policy: { ...OPEN, network: 'off' } })
    const parent = await host.session()

    const child = await aChild(kind, parent, { network: 'on' })

    expect(await policyOf(host, child)).toMatchObject({ policy: { network: { mode: 'off' } } })
    expect(ofKind(await host.records(parent), 'delegation')).toMatchObject([
      { child_session: child.id, clamped: [{ axis: 'network', field: 'mode' }] },
    ])
  })

  it('[S0-23] asks where an ancestor’s ask meets its own allow, and denies where a deny does', async () => {
    const host = inMemory({ policy: { ...OPEN, rules: ['ask read', 'deny write'] } })

    const child = await aChild(kind, await host.session(), {
      ...LISTED,
      rules: ['allow read', 'allow write'],
    })

    expect(await child.run(READ)).toMatchObject({ matchedRule: 'default:never', reason: 'never' })
    expect(await child.run(WRITE)).toMatchObject({ matchedRule: 'deny write', layer: 'user_rule' })
  })

  it('[S0-25] contacts nobody, whoever could answer its parent', async () => {
    const responder = aResponder(() => YES)
    const host = inMemory({ policy: OPEN, responder })

    const child = await aChild(kind, await host.session(), { toolApproval: 'always_ask' })

    expect(await child.run(READ)).toMatchObject({ status: 'denied', reason: 'never' })
    expect(responder.asked).toEqual([])
  })

  it.each(['prompt', 'parent', 'route'])(
    '[S0-25] with the response `%s` is refused',
    async (word) => {
      const parent = await inMemory({ policy: OPEN }).session()

      await expect(
        aChild(kind, parent, { approvalResponse: word as 'never' }),
      ).rejects.toMatchObject({ code: 'fixed_response' })
    },
  )

  it('[S0-27] [S0-29] [S0-30] has a snapshot of its whole policy, of whom it is, and since when', async () => {
    const host = inMemory({ policy: OPEN })
    const parent = await host.session()

    const child = await aChild(kind, parent, { workMode: 'ro' })

    const snapshot = await policyOf(host, child)
    expect(snapshot).toMatchObject({
      session_id: child.id,
      parent_session_id: parent.id,
      kind,
      policy_revision: child.revision,
      parent_policy_revision: parent.revision,
      workspace: host.ground.workspace,
    })
    expect(snapshot['created_at']).toMatch(/^\d{4}-\d\d-\d\dT/)
    expect(Object.keys(snapshot['policy'] as object)).toEqual(
      expect.arrayContaining([
        'capabilities',
        'tools',
        'network',
        'rules',
        'toolApproval',
        'approvalResponse',
        'sandbox',
      ]),
    )
  })

  it('[S0-28] has its snapshot stored and its run opened before its parent’s record names it', async () => {
    const steps: string[] = []
    const store = watchedSnapshots(
      watchedStore(async ({ kinds }, next) => {
        await next()
        steps.push(kinds.join('+'))
      }),
      (name) => {
        if (name === 'put') steps.push(name)
      },
    )
    const host = inMemory({ policy: OPEN, store })
    const parent = await host.session()
    steps.length = 0

    await aChild(kind, parent)

    expect(steps).toEqual(['put', 'run_open+snapshot', 'delegation'])
  })

  it('[S0-33] stays as it is when its parent is given more', async () => {
    const host = inMemory({ policy: { ...OPEN, workMode: 'ro' } })
    const parent = await host.session()
    const child = await aChild(kind, parent, LISTED)
    const before = child.revision

    await host.sixgate.replacePolicy(parent, definePolicy(OPEN))

    expect(child.revision).toBe(before)
    expect(await child.run(WRITE)).toMatchObject({ matchedRule: 'builtin:missing_capability' })
    expect((await parent.run(WRITE)).status).toBe('ok')
  })
})

describe('how deep children may go', () => {
  it('is one level unless the policy says more, and every level has less', async () => {
    const child = await (await inMemory({ policy: OPEN }).session()).spawn()

    await expect(child.spawn()).rejects.toMatchObject({ code: 'depth_exceeded' })
    await expect(child.fork({}, { history: [] })).rejects.toMatchObject({ code: 'depth_exceeded' })
  })

  it('is the minimum along the chain', async () => {
    const root = await inMemory({ policy: DEEP }).session()
    const child = await root.spawn({ delegation: { spawnDepth: 1 } })
    const grandchild = await child.spawn()

    await expect(grandchild.spawn()).rejects.toMatchObject({ code: 'depth_exceeded' })
    const other = await (await (await root.spawn()).spawn()).spawn()
    await expect(other.spawn()).rejects.toMatchObject({ code: 'depth_exceeded' })
  })

  it('is what was left when a child comes back in a new process', async () => {
    const world = aWorld(inMemory, { policy: DEEP })
    const child = await (await world.host().session()).spawn()
    const { sixgate } = await world.restart()

    const again = await sixgate.resume(child.id)

    const last = await (await again.spawn()).spawn()
    await expect(last.spawn()).rejects.toMatchObject({ code: 'depth_exceeded' })
  })

  it('is nothing without `agent.spawn`, and nothing in a closed session', async () => {
    const plan = await inMemory({ policy: { ...OPEN, workMode: 'plan' } }).session()
    await expect(plan.spawn()).rejects.toMatchObject({ code: 'missing_capability' })
    const closed = await inMemory({ policy: OPEN }).session()
    await closed.close()
    await expect(closed.spawn()).rejects.toMatchObject({ code: 'session_closed' })
  })
})

describe('a creation that fails', () => {
  const STEPS = ['createRun', 'put', 'run_open', 'delegation'] as const

  it.each(STEPS)('[S0-27] [S0-28] at `%s` leaves no child and no snapshot', async (step) => {
    let isArmed = false
    const put: SessionId[] = []
    const inner = failingStore(({ kinds }) => isArmed && kinds.includes(step as 'run_open'))
    const store = watchedSnapshots(inner, (name, id) => {
      if (name === 'put') put.push(id)
      if (isArmed && name === step) throw new Error('the disk is gone')
    })
    const host = inMemory({ policy: DEEP, store })
    const parent = await host.session()
    const states: unknown[] = []
    host.sixgate.on('session', (event) => void states.push(event))
    put.length = 0
    isArmed = true

    const error: unknown = await parent.spawn().catch((fault: unknown) => fault)

    expect(error).toMatchObject({ name: 'DelegationError', code: 'not_recorded' })
    expect(states).toEqual([])
    for (const id of put) expect(await storedVersions(host, id)).toEqual([])
    for (const id of put) await expect(host.sixgate.resume(id)).rejects.toThrow()
  })

  it('leaves a parent that goes on, when it was the child that could not be kept', async () => {
    let isArmed = true
    const store = watchedSnapshots(memoryStore(), (name) => {
      if (isArmed && name === 'put' && puts++ > 0) throw new Error('the disk is gone')
    })
    let puts = 0
    const host = inMemory({ policy: OPEN, store })
    const parent = await host.session()
    await expect(parent.spawn()).rejects.toMatchObject({ code: 'not_recorded' })
    isArmed = false

    expect((await parent.run(READ)).status).toBe('ok')
    expect((await (await parent.spawn(LISTED)).run(READ)).status).toBe('ok')
  })

  it('is an error of the delegation when its policy cannot be bound, and opens no run', async () => {
    const host = inMemory({ policy: OPEN })
    const parent = await host.session()
    const runs = async (): Promise<number> =>
      (await (await host.store.open(workspaceId(host.ground.workspace))).runs()).length
    const before = await runs()

    await expect(parent.spawn({ budgets: { actionsPerHour: 5 } })).rejects.toMatchObject({
      name: 'DelegationError',
      code: 'invalid_constraint',
    })

    expect(await runs()).toBe(before)
  })

  it('by more than there is names every violation and starts nothing', async () => {
    const host = inMemory({ policy: { ...OPEN, workMode: 'ro', commands: ['ls'] } })
    const parent = await host.session()

    await expect(parent.spawn({ workMode: 'full', commands: ['sh'] })).rejects.toMatchObject({
      code: 'escalation',
      violations: [{ axis: 'capabilities' }, { axis: 'commands' }],
    })

    expect(ofKind(await host.records(parent), 'delegation')).toEqual([])
  })
})

describe('a folder that is a link', () => {
  it.each(['writable', 'readable'] as const)(
    '[S0-26] in `%s` opens nothing that lies outside of what the parent opens',
    async (field) => {
      const ground = aGround()
      const [open, link] = [join(ground.outside, 'open'), join(ground.outside, 'open', 'link')]
      mkdirSync(open)
      symlinkSync(ground.base, link)
      const policy = { ...OPEN, sandbox: { [field]: [open] } }
      const parent = await inMemory({ policy }, ground).session()
      const given = { sandbox: { [field]: [link] } }

      const violations = [{ axis: 'sandbox', field }]
      await expect(parent.spawn(given)).rejects.toMatchObject({ code: 'escalation', violations })
      await expect(parent.tighten(given)).rejects.toMatchObject({ code: 'escalation', violations })
    },
  )
})

describe('the dialogue of a fork', () => {
  const HISTORY = [
    { role: 'user', content: 'go' },
    { role: 'assistant', content: 'two calls', tool_calls: [{ id: 'a' }, { id: 'b' }] },
    { role: 'tool', tool_call_id: 'a', content: 'done' },
    { role: 'assistant', tool_calls: [{ id: 'c' }] },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'hm' },
        { type: 'tool_use', id: 'd' },
      ],
    },
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'e' }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'x' }] },
  ]

  it('loses the calls that have no result, and messages that were nothing else', async () => {
    const parent = await inMemory({ policy: OPEN }).session()

    const { history } = await parent.fork({}, { history: HISTORY })

    expect(history).toEqual([
      { role: 'user', content: 'go' },
      { role: 'assistant', content: 'two calls', tool_calls: [{ id: 'a' }] },
      { role: 'tool', tool_call_id: 'a', content: 'done' },
      { role: 'assistant', content: [{ type: 'text', text: 'hm' }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'x' }] },
    ])
  })

  it('is copied, frozen to the ground, and its digest is on record', async () => {
    const host = inMemory({ policy: OPEN })
    const parent = await host.session()
    const given = structuredClone(HISTORY)
    const child = await parent.fork({}, { history: given })
    const before = structuredClone(child.history)

    given[0] = { role: 'user', content: 'something else' }
    Reflect.set(given[1] ?? {}, 'content', 'forged')

    expect(child.history).toEqual(before)
    expect(isDeepFrozen(child.history)).toBe(true)
    const open = ofKind(await host.records(child), 'run_open')[0]
    expect(open?.history).toEqual(contentOf(before ?? null))
  })

  it.each([
    ['no list', { role: 'user' }],
    ['nothing', undefined],
    ['a function', [() => 'x']],
    ['a getter', [Object.defineProperty({}, 'content', { get: () => 'x', enumerable: true })]],
    ['a class instance', [new Date(0)]],
    ['a number that is none', [{ n: NaN }]],
  ])('that is %s gives no fork', async (_what, history) => {
    const parent = await inMemory({ policy: OPEN }).session()

    await expect(parent.fork({}, { history: history as never })).rejects.toMatchObject({
      code: 'invalid_constraint',
    })
  })
})

describe('a child inside a call', () => {
  it('names the call that asked for it, and dies with it for the executor only', async () => {
    const made: { child?: Session } = {}
    const tool = aTool(async (_args, { session }) => {
      made.child = await session.spawn(LISTED)
      return 'spawned'
    })
    const host = inMemory({ policy: OPEN, tools: [tool] })
    const parent = await host.session()

    await parent.run({ callId: 'c7', tool: 'probe', args: {} })

    expect(ofKind(await host.records(parent), 'delegation')).toMatchObject([{ call_id: 'c7' }])
    expect(made.child?.revision).toMatch(/^1:sha256:/)
  })
})

function isDeepFrozen(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true
  return Object.isFrozen(value) && Object.values(value).every(isDeepFrozen)
}

/** A store that says each use of its snapshots, and each run that is created, before it happens. */
function watchedSnapshots(inner: Store, note: (name: string, session: SessionId) => void): Store {
  return {
    ...inner,
    async open(id) {
      const open = await inner.open(id)
      const snapshots: Snapshots = {
        ...open.snapshots,
        put: async (session, version, bytes) => {
          note('put', session)
          return open.snapshots.put(session, version, bytes)
        },
      }
      return {
        ...open,
        snapshots,
        createRun: async (run) => {
          note('createRun', '' as SessionId)
          return open.createRun(run)
        },
      }
    },
  }
}
