/** Calls whose executor may be running: what can still be stopped, and what became of it. */

import type { Facts } from '../core/facts.js'
import type { EffectivePolicy } from '../policy/effective-policy.js'
import { fold } from '../pipeline/fold.js'
import { underPolicy } from './facts.js'
import type { LiveSession, RunningCall } from './live-session.js'
import { exceeds } from './start/exceeds.js'
import { sandboxProfile } from './start/profile.js'

/**
 * Visits running calls under a new policy (pipeline.md §6): one that it would not admit any more, or only
 * inside a narrower boundary, is aborted, loses its handles, and its result is discarded. What remains
 * of a shorter time limit is all the time that is left.
 */
export function revisit(session: LiveSession, policy: EffectivePolicy): void {
  for (const running of [...session.running]) {
    const profile = sandboxProfile(policy, running.call.prepared.call, session.around)
    const isWider = running.profile !== null && exceeds(running.profile, profile)
    if (isWider || !isStillAdmitted(session, running, policy)) running.end('revoked')
    else if (running.call.prepared.call.runsIn === 'sandbox') {
      running.limitTo(profile.limits.timeoutMs)
    }
  }
}

function isStillAdmitted(
  { around }: LiveSession,
  { call, facts }: RunningCall,
  policy: EffectivePolicy,
): boolean {
  const current: Facts = { ...underPolicy(facts, policy, around), answer: call.answer }
  return fold({ call: call.prepared.call, policy, facts: current }).status === 'admitted'
}

/** Aborts everything that runs; resolves when every executor has ended, also of calls stopped before. */
export async function endAll(session: LiveSession): Promise<void> {
  for (const one of [...session.running]) one.end('cancelled')
  await Promise.all([...session.unsettled].map((one) => one.done))
}
