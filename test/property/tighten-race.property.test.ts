/** Tightenings against everything else at once (delegation.md §5): one outcome, never an old revision, never a wider child. */

import { rmSync } from 'node:fs'
import fc from 'fast-check'
import { afterAll, describe, expect, it, vi } from 'vitest'
import type { CallRequest, Session, Store } from '../../src/contract/session.js'
import { memoryStore } from '../../src/store/memory.js'
import type { Durability } from '../../src/trace/ledger.js'
import { cases } from '../builders/cases.js'
import { aGround, aHost, aTool, OPEN, settled, type Host } from '../builders/session.js'
import { aWorld } from '../builders/tree.js'
import { movingStore, MOMENTS, type Moment } from '../load/moving-store.js'

const RUN = cases(10_000)
vi.setConfig({ testTimeout: 60_000 + 100 * RUN.numRuns })
const GROUND = aGround()
afterAll(GROUND.clear)

const PROBE: CallRequest = { callId: 'c1', tool: 'probe', args: {} }
const UNASKED = { toolApproval: { policy: 'whitelist_accept', whitelist: ['probe'] } } as const
const DENY = { rules: ['deny probe'] }

/** What goes on beside the tightening; the children that it made. */
type Move = (root: Session, child: Session) => Promise<readonly Session[]>

const MOVES: readonly (readonly [string, Move])[] = [
  ['an evaluation', async (_, child) => (await child.evaluate({ ...PROBE, callId: 'c2' }), [])],
  ['a whole call', async (_, child) => (await child.run({ ...PROBE, callId: 'c2' }), [])],
  ['a spawn', async (root) => [await root.spawn(UNASKED)]],
  ['a fork', async (root) => [await root.fork(UNASKED, { history: [] })]],
  ['another tightening', async (root) => (await root.tighten({ network: 'off' }), [])],
]

describe('a tightening races', () => {
  it.each(MOVES)('%s, and leaves nobody wider', async (_, move) => {
    const host = aHostOver(memoryStore())
    await race(async (before, after) => {
      const root = await host.session()
      const child = await root.spawn(UNASKED)

      const [made] = await Promise.all([
        settled(before).then(() => move(root, child)),
        settled(after).then(() => root.tighten(DENY)),
      ])

      for (const session of [root, child, ...made]) await expectDenied(session)
      await root.close()
    })
    await host.verify() // every start stands under the revision that was in force
  })

  it('a dispatch of what was admitted, and leaves nobody wider', async () => {
    const host = aHostOver(memoryStore())
    await race(async (before, after) => {
      const root = await host.session()
      const child = await root.spawn(UNASKED)
      const outcome = await child.evaluate(PROBE)
      if (outcome.status !== 'admitted') throw new Error(`not admitted but ${outcome.status}`)

      const [result] = await Promise.all([
        settled(before).then(() => child.dispatch(outcome.admission)),
        settled(after).then(() => root.tighten(DENY)),
      ])

      expect(['ok', 'revoked', 'denied']).toContain(result.status)
      for (const session of [root, child]) await expectDenied(session)
      await root.close()
    })
    await host.verify()
  })

  it('any write of a call, the intent among them, and starts nothing under the old revision', async () => {
    const write = fc.record({
      at: fc.nat(7),
      moment: fc.constantFrom(...MOMENTS),
      turns: fc.nat(4),
    })
    const seen = { ran: 0, refused: 0 }
    const check = fc.asyncProperty(write, async ({ at, moment, turns }) => {
      let watch = (_: Moment, __: Durability): void => undefined
      const store = movingStore(
        (one, durability) => watch(one, durability),
        () => turns,
      )
      const revisions: string[] = []
      const host = aHostOver(store, () => revisions.push(live?.revision ?? 'none'))
      const root = await host.session()
      const child = await root.spawn(UNASKED)
      const live: Session | undefined = child
      const loose = child.revision
      let writes = 0
      let tightened: Promise<unknown> | undefined
      watch = (one) => {
        if (one !== moment) return
        if (writes === at) tightened = root.tighten(DENY)
        writes += 1
      }

      const result = await child.run(PROBE)
      await (tightened ?? root.tighten(DENY))

      for (const revision of revisions) expect(revision).toBe(loose)
      if (result.status === 'ok') seen.ran += 1
      else seen.refused += 1
      await expectDenied(child)
      await root.close()
      await host.verify()
    })
    await fc.assert(check, RUN)
    expect(seen.ran).toBeGreaterThan(RUN.numRuns / 20)
    expect(seen.refused).toBeGreaterThan(RUN.numRuns / 20)
  })

  it('a resume of the child in a new process, and leaves nobody wider', async () => {
    await race(async (before, after) => {
      const world = aWorld((parts, ground) => aHost(parts, ground), {
        policy: OPEN,
        tools: [aTool(() => 'ran')],
      })
      const first = await world.host().session()
      const { id } = await first.spawn(UNASKED)
      const host = await world.restart()
      const root = await host.sixgate.resume(first.id)

      const [child] = await Promise.all([
        settled(before).then(() => host.sixgate.resume(id)),
        settled(after).then(() => root.tighten(DENY)),
      ])

      for (const session of [root, child]) await expectDenied(session)
      await root.close()
      await host.verify()
      rmSync(world.ground.base, { recursive: true })
    })
  })
})

/** Both sides begin after a random number of turns of the event loop. */
async function race(once: (before: number, after: number) => Promise<void>): Promise<void> {
  await fc.assert(fc.asyncProperty(fc.nat(6), fc.nat(6), once), RUN)
}

function aHostOver(store: Store, execute: () => unknown = () => 'ran'): Host {
  return aHost({ policy: OPEN, tools: [aTool(execute)], store }, GROUND)
}

let last = 0

async function expectDenied(session: Session): Promise<void> {
  last += 1
  expect(await session.run({ ...PROBE, callId: `last-${last}` })).toMatchObject({
    status: 'denied',
    matchedRule: 'deny probe',
  })
}
