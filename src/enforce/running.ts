/** Calls whose executor may be running: what can still be stopped, and what became of it. */

import type { Facts } from '../core/facts.js'
import type { EffectivePolicy } from '../policy/effective-policy.js'
import { fold } from '../pipeline/fold.js'
import type { LiveSession, RunningCall } from './live-session.js'

/**
 * Visits running calls under a new policy (pipeline.md §6): one that it would not admit any more is
 * aborted, loses its handles, and its result is discarded.
 */
export function revisit(session: LiveSession, policy: EffectivePolicy): void {
  for (const running of [...session.running]) {
    if (!isStillAdmitted(running, policy)) running.end('revoked')
  }
}

function isStillAdmitted({ call, facts }: RunningCall, policy: EffectivePolicy): boolean {
  const current: Facts = { ...facts, answer: call.answer }
  return fold({ call: call.prepared.call, policy, facts: current }).status === 'admitted'
}

/** Aborts everything that runs; resolves when every executor has ended, also of calls stopped before. */
export async function endAll(session: LiveSession): Promise<void> {
  for (const one of [...session.running]) one.end('cancelled')
  await Promise.all([...session.unsettled].map((one) => one.done))
}
