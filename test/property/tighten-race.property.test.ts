/** Tightenings against everything else at once (delegation.md §5): one outcome, never an old revision, never a wider child. */

import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { CallRequest } from '../../src/contract/session.js'
import { cases } from '../builders/cases.js'
import { aHost, aTool, OPEN, settled } from '../builders/session.js'

const PROBE: CallRequest = { callId: 'c1', tool: 'probe', args: {} }
const MOVES = ['evaluate', 'dispatch', 'spawn', 'tighten'] as const

it('starts nothing under an older revision, and leaves no child wider than its parent', async () => {
  const host = aHost({ policy: OPEN, tools: [aTool(() => 'ran')] })
  const race = fc.asyncProperty(
    fc.constantFrom(...MOVES),
    fc.nat(6),
    fc.nat(6),
    async (move, before, after) => {
      const root = await host.session()
      const given = { toolApproval: { policy: 'whitelist_accept', whitelist: ['probe'] } } as const
      const first = await root.spawn(given)
      const outcome = await first.evaluate(PROBE)

      const other = settled(before).then(async () => {
        if (move === 'evaluate') return first.run({ ...PROBE, callId: 'c2' })
        if (move === 'spawn') return root.spawn(given)
        if (move === 'tighten') return root.tighten({ network: 'off' })
        return outcome.status === 'admitted' ? first.dispatch(outcome.admission) : outcome
      })
      const tightened = settled(after).then(() => root.tighten({ rules: ['deny probe'] }))
      const [ended] = await Promise.all([other, tightened])

      const children = typeof ended === 'object' && 'spawn' in ended ? [first, ended] : [first]
      for (const child of children) {
        expect(await child.run({ ...PROBE, callId: 'c3' })).toMatchObject({
          status: 'denied',
          matchedRule: 'deny probe',
        })
      }
      await root.close()
    },
  )

  await fc.assert(race, cases(10_000))
  await host.verify() // every start stands under the revision that was in force
  host.ground.clear()
}, 600_000)
