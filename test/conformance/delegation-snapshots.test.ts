/** Snapshots that prove nothing (H-16) and sessions in a new process (delegation.md §4, H-11): as tight as before, or nothing. */

import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Suspended } from '../../src/contract/outcome.js'
import type { CallRequest, Session } from '../../src/contract/session.js'
import { SNAPSHOT_CODES } from '../../src/core/errors.js'
import type { RunId, SessionId } from '../../src/core/ids.js'
import { openSnapshot, sealSnapshot } from '../../src/delegation/snapshot.js'
import { jsonlStore } from '../../src/store/jsonl.js'
import { fakeClock } from '../../src/testing/fake-clock.js'
import { aGround, aTool, NO, OPEN, YES, type HostParts } from '../builders/session.js'
import { aWorld, type World } from '../builders/tree.js'
import { ofKind, useHosts } from './hosts.js'

const { inMemory } = useHosts()

const PROBE: CallRequest = { callId: 'c1', tool: 'probe', args: { n: 1 } }
const ME = { kind: 'human', id: 'me' } as const
const DEEP = { ...OPEN, delegation: { spawnDepth: 3 } } as const

/** What lies on the disk of one session, and what may be done to it. */
interface Kept {
  readonly world: World
  readonly id: SessionId
  readonly parentRun: string
  readonly files: () => readonly string[]
  readonly newest: () => string
  readonly runFile: string
  readonly runId: RunId
}

async function aKeptChild(parts: HostParts = { policy: DEEP }): Promise<Kept> {
  const world = aWorld(inMemory, { ...parts, tools: [aTool(() => 'ran')] })
  const parent = await world.host().session()
  const child = await parent.spawn({
    toolApproval: { policy: 'whitelist_accept', whitelist: ['probe'] },
  })
  await child.tighten({ network: 'off' })
  const folder = join(world.ground.ledger, 'snapshots', child.id)
  const files = (): readonly string[] =>
    readdirSync(folder)
      .map((name) => join(folder, name))
      .sort()
  const open = (await world.host().records(child))[0]
  const own = open?.run_id ?? ('' as RunId)
  return {
    world,
    id: child.id,
    files,
    newest: () => files().at(-1) ?? '',
    runId: own,
    runFile: runFile(world, own),
    parentRun: runFile(world, (await world.host().records(parent))[0]?.run_id ?? ''),
  }
}

function runFile({ ground }: World, run: string): string {
  return join(ground.ledger, 'runs', run.slice(0, 6), `${run}.jsonl`)
}

function edit(file: string, change: (text: string) => string): void {
  const before = readFileSync(file, 'utf8')
  const after = change(before)
  if (after === before) throw new Error(`nothing in ${file} was changed`)
  writeFileSync(file, after)
}

/** The snapshot with a change, sealed with the store's own key, and the run as it is. */
async function resealed({ world, id, newest }: Kept, change: object): Promise<void> {
  const open = await jsonlStore(world.ground.ledger).open('any')
  const snapshot = openSnapshot(readFileSync(newest()), open.secret, id)
  writeFileSync(newest(), sealSnapshot({ ...snapshot, ...change }, open.secret))
  await open.close()
}

const DAMAGE: readonly (readonly [string, string, (kept: Kept) => void | Promise<void>])[] = [
  ['that is missing', 'missing', ({ files }) => files().forEach((file) => rmSync(file))],
  ['that is cut short', 'malformed', ({ newest }) => edit(newest(), (text) => text.slice(0, -9))],
  ['that is empty', 'malformed', ({ newest }) => edit(newest(), () => '')],
  ['that is no JSON', 'malformed', ({ newest }) => edit(newest(), () => 'null')],
  [
    'with one section removed',
    'missing_section',
    ({ newest }) => edit(newest(), (text) => text.replace(/"principal":"[^"]*",/, '')),
  ],
  [
    'with one axis removed',
    'mac_mismatch',
    ({ newest }) => edit(newest(), (text) => text.replace(/"commands":null,/, '')),
  ],
  [
    'with a wider policy',
    'mac_mismatch',
    ({ newest }) => edit(newest(), (text) => text.replace('"mode":"off"', '"mode":"on"')),
  ],
  [
    'with another MAC',
    'mac_mismatch',
    ({ newest }) =>
      edit(newest(), (text) =>
        text.replace(/"mac":"(.)/, (_, first) => `"mac":"${first === '0' ? '1' : '0'}`),
      ),
  ],
  [
    'of a later library',
    'unknown_version',
    ({ newest }) =>
      edit(newest(), (text) => text.replace('"schema_version":1', '"schema_version":2')),
  ],
  ['that is sealed again, with more', 'mac_mismatch', (kept) => resealed(kept, { spawns_left: 9 })],
  [
    'whose run was edited',
    'ledger_behind',
    ({ runFile: file }) =>
      edit(file, (text) => text.replace('"kind":"policy_change"', '"kind":"policy_chance"')),
  ],
  [
    'whose run lost its end',
    'mac_mismatch',
    ({ runFile: file }) => edit(file, (text) => `${text.split('\n').slice(0, 2).join('\n')}\n`),
  ],
  ['whose run is gone', 'ledger_behind', ({ runFile: file }) => rmSync(file)],
  [
    'whose parent’s run is shorter than it was',
    'ledger_behind',
    ({ parentRun }) => edit(parentRun, (text) => `${text.split('\n')[0] ?? ''}\n`),
  ],
]

describe('a snapshot', () => {
  it.each(DAMAGE)('[H-16] [S0-34] %s brings nothing back: %s', async (_what, code, damage) => {
    const kept = await aKeptChild()
    const { sixgate } = await kept.world.restart()
    await damage(kept)

    const error: unknown = await sixgate.resume(kept.id).catch((fault: unknown) => fault)

    expect(error).toMatchObject({ name: 'SnapshotError' })
    expect(SNAPSHOT_CODES).toContain((error as { readonly code: string }).code)
    expect((error as { readonly code: string }).code).toMatch(
      code === 'mac_mismatch' ? /^(?:mac_mismatch|missing|ledger_behind|missing_section)$/ : code,
    )
    const ticket = { session_id: kept.id, call_id: 'c1' } as never
    expect(await sixgate.resolve(ticket, PROBE, YES, ME)).toMatchObject({ status: 'denied' })
    rmSync(join(kept.world.ground.ledger, 'runs'), { recursive: true }) // damaged on purpose
  })

  it('[H-16] of an older version is not taken for the last one', async () => {
    const kept = await aKeptChild()
    const older = readFileSync(kept.newest())
    const name = kept.newest()
    const live = kept.world.host()
    const again = (await live.sixgate.resume(kept.id).catch(() => null)) ?? null
    expect(again).toBeNull() // it is open in this process
    const { sixgate } = await kept.world.restart()
    const child = await sixgate.resume(kept.id)
    await child.tighten({ workMode: 'plan' })
    const third = await kept.world.restart()
    for (const file of kept.files()) rmSync(file)
    writeFileSync(name, older, { mode: 0o600 })

    await expect(third.sixgate.resume(kept.id)).rejects.toMatchObject({
      name: 'SnapshotError',
      code: 'not_latest',
    })
  })

  it.each([
    ['other_principal', { ports: { principal: 'somebody else' } }],
    ['other_platform', { ports: { platform: 'darwin' } }],
  ] as const)('[H-16] brings nothing back for another one: %s', async (code, parts) => {
    const kept = await aKeptChild()

    const { sixgate } = await kept.world.restart(parts)

    await expect(sixgate.resume(kept.id)).rejects.toMatchObject({ name: 'SnapshotError', code })
  })

  it('[H-16] brings nothing back in another workspace over the same folder', async () => {
    const kept = await aKeptChild()
    const other = aGround()

    const { sixgate } = await kept.world.restart({ workspace: other.workspace })

    await expect(sixgate.resume(kept.id)).rejects.toMatchObject({ code: 'other_workspace' })
    other.clear()
  })

  it.each(['', '../../etc', 'no session', '01ARZ3NDEKTSV4RRFFQ69G5FAV'])(
    '[H-16] of nobody (`%s`) brings nobody back',
    async (id) => {
      const { sixgate } = aWorld(inMemory, { policy: OPEN }).host()

      await expect(sixgate.resume(id as SessionId)).rejects.toMatchObject({ code: 'missing' })
    },
  )

  it('needs a durable ledger', async () => {
    const { sixgate } = inMemory({ policy: OPEN })

    await expect(sixgate.resume('01ARZ3NDEKTSV4RRFFQ69G5FAV' as SessionId)).rejects.toMatchObject({
      code: 'not_durable',
    })
  })

  it('[S0-34] is read back, never computed from the parent’s policy', async () => {
    const kept = await aKeptChild()
    const { sixgate } = await kept.world.restart({ policy: { ...OPEN, rules: ['deny probe'] } })

    const child = await sixgate.resume(kept.id)

    expect((await child.run(PROBE)).status).toBe('ok')
  })

  it('[S0-29] names its parent also after it was taken up again', async () => {
    const kept = await aKeptChild()
    const { sixgate } = await kept.world.restart()
    const before = JSON.parse(readFileSync(kept.newest(), 'utf8')) as Record<string, unknown>

    await sixgate.resume(kept.id)

    const after = JSON.parse(readFileSync(kept.newest(), 'utf8')) as Record<string, unknown>
    expect(after['version']).toBeGreaterThan(before['version'] as number)
    for (const key of ['parent_session_id', 'spawn_call_id', 'parent_policy_revision', 'policy']) {
      expect(after[key]).toEqual(before[key])
    }
  })
})

describe('a root in a new process', () => {
  async function root(changed: HostParts = {}): Promise<{
    readonly world: World
    readonly id: SessionId
  }> {
    const world = aWorld(inMemory, { policy: OPEN, tools: [aTool(() => 'ran')] })
    const { id } = await world.host().session()
    await world.restart(changed)
    return { world, id }
  }

  it('goes on under its snapshot, at the revision that it had', async () => {
    const { world, id } = await root()

    const again = await world.host().sixgate.resume(id)

    expect(again.revision).toMatch(/^1:sha256:/)
    expect((await again.run(PROBE)).status).toBe('ok')
  })

  it('whose policy differs waits for the host’s word', async () => {
    const { world, id } = await root({ policy: { ...OPEN, rules: ['deny probe'] } })
    const { sixgate } = world.host()

    await expect(sixgate.resume(id)).rejects.toMatchObject({ code: 'policy_differs' })
    const met = await sixgate.resume(id, { policy: 'meet' })

    expect(await met.run(PROBE)).toMatchObject({ status: 'denied', matchedRule: 'deny probe' })
  })

  it('keeps what was in force when the host says `snapshot`', async () => {
    const { world, id } = await root({ policy: { ...OPEN, rules: ['deny probe'] } })

    const kept = await world.host().sixgate.resume(id, { policy: 'snapshot' })

    expect((await kept.run(PROBE)).status).toBe('ok')
  })

  it('that was closed stays closed', async () => {
    const world = aWorld(inMemory, { policy: OPEN })
    const live = await world.host().session()
    await live.close()
    const { sixgate } = await world.restart()

    await expect(sixgate.resume(live.id)).rejects.toMatchObject({ code: 'run_ended' })
  })
})

describe('a call after a restart', () => {
  it('that was dispatched is never run again, and one that was denied stays denied', async () => {
    let starts = 0
    const tools = [aTool(() => (starts += 1)), aTool(() => 'other', { name: 'other' })]
    const world = aWorld(inMemory, { policy: { ...OPEN, rules: ['deny other'] }, tools })
    const live = await world.host().session()
    await live.run(PROBE)
    await live.run({ callId: 'c2', tool: 'other', args: {} })
    const { sixgate, records } = await world.restart()

    const again = await sixgate.resume(live.id)

    expect(await again.run(PROBE)).toMatchObject({ reason: 'already_dispatched' })
    expect(await again.run({ callId: 'c2', tool: 'other', args: {} })).toMatchObject({
      status: 'denied',
      matchedRule: 'deny other',
      layer: 'user_rule',
    })
    expect(await again.run({ ...PROBE, args: { n: 2 } })).toMatchObject({
      reason: 'call_id_reused',
    })
    expect(starts).toBe(1)
    expect(ofKind(await records(again), 'terminal')).toHaveLength(2)
  })

  it('that was open goes on as a further pass under its old head', async () => {
    const world = aWorld(inMemory, { policy: OPEN, tools: [aTool(() => 'ran')] })
    const live = await world.host().session()
    await live.evaluate(PROBE)
    const { sixgate, records } = await world.restart()
    const again = await sixgate.resume(live.id)
    await again.tighten({ network: 'off' })

    expect((await again.run(PROBE)).status).toBe('ok')

    const nodes = ofKind(await records(again), 'decision')
    expect(new Set(nodes.map((node) => node.pass))).toEqual(new Set([0, 1]))
    expect(ofKind(await records(again), 'recovery')).toMatchObject([{ undispatched: ['c1'] }])
  })
})

describe('[H-11] a ticket in a new process', () => {
  interface Waiting {
    readonly ticket: Suspended['ticket']
    readonly world: World
    readonly live: Session
    readonly starts: () => number
  }

  async function waiting(parts: HostParts = {}): Promise<Waiting> {
    let starts = 0
    const world = aWorld(inMemory, {
      policy: { ...OPEN, toolApproval: 'always_ask' },
      responder: 'suspend',
      tools: [aTool(() => (starts += 1))],
      ...parts,
    })
    const live = await world.host().session()
    const outcome = await live.evaluate(PROBE)
    if (outcome.status !== 'suspended') throw new Error(`not suspended but ${outcome.status}`)
    await world.restart()
    return {
      world,
      live,
      ticket: JSON.parse(JSON.stringify(outcome.ticket)) as Suspended['ticket'],
      starts: () => starts,
    }
  }

  it('is settled by a yes, once', async () => {
    const { world, ticket, live, starts } = await waiting()
    const { sixgate } = world.host()

    const outcome = await sixgate.resolve(ticket, PROBE, YES, ME)
    const again = await sixgate.resume(live.id).catch((fault: unknown) => fault)

    expect(outcome.status).toBe('admitted')
    expect(again).toMatchObject({ code: 'session_live' })
    expect(starts()).toBe(0)
  })

  it('lets the call run after a yes', async () => {
    const { world, ticket, live, starts } = await waiting()
    const { sixgate } = world.host()
    const session = await sixgate.resume(live.id)

    const outcome = await sixgate.resolve(ticket, PROBE, YES, ME)
    const result =
      outcome.status === 'admitted' ? await session.dispatch(outcome.admission) : outcome
    const second = await sixgate.resolve(ticket, PROBE, YES, ME)

    expect(result.status).toBe('ok')
    if (second.status === 'admitted') {
      await expect(session.dispatch(second.admission)).rejects.toMatchObject({
        code: 'already_used',
      })
    }
    expect(starts()).toBe(1)
  })

  it('is settled by a no', async () => {
    const { world, ticket, starts } = await waiting()
    const { sixgate } = world.host()

    expect(await sixgate.resolve(ticket, PROBE, NO, ME)).toMatchObject({ reason: 'rejected' })
    expect(await sixgate.resolve(ticket, PROBE, YES, ME)).toMatchObject({ reason: 'rejected' })
    expect(starts()).toBe(0)
  })

  it('that expired meanwhile denies', async () => {
    const clock = fakeClock()
    const { world, ticket } = await waiting({ ports: { clock } })
    clock.advance(31_000)

    expect(await world.host().sixgate.resolve(ticket, PROBE, YES, ME)).toMatchObject({
      status: 'denied',
      reason: 'expired',
    })
  })

  it.each([
    ['other arguments', {}, { args: { n: 2 } }],
    ['another tool', {}, { tool: 'read' }],
    ['another folder', {}, { cwd: '..' }],
    ['a later end', { expires_at: 9e15 }, {}],
    ['another tool in the ticket', { tool_digest: 'f'.repeat(64) }, {}],
    ['another approval', { approval_id: 'A' }, {}],
    ['another call', { call_id: 'c2' }, {}],
    ['no seal', { mac: '' }, {}],
  ])('with %s admits nothing', async (_what, claims, call) => {
    const { world, ticket, starts } = await waiting()

    const outcome = await world
      .host()
      .sixgate.resolve({ ...ticket, ...claims } as never, { ...PROBE, ...call }, YES, ME)

    expect(outcome.status).not.toBe('admitted')
    expect(starts()).toBe(0)
  })
})
