/** Calls whose executor may be running: what can still be stopped, and what became of it (pipeline.md §6). */

import type { Facts } from '../core/facts.js'
import { axes as table } from '../policy/axes.js'
import type { EffectivePolicy } from '../policy/effective-policy.js'
import { fold } from '../pipeline/fold.js'
import type { LiveSession, RunningCall } from './live-session.js'

/**
 * Visits running calls under a new policy: one that it would not admit any more, or that started with
 * a wider boundary than it now gives, is aborted, loses its handles, and its result is discarded. A
 * shorter time limit shortens the time left.
 */
export function revisit(session: LiveSession, policy: EffectivePolicy): void {
  for (const running of [...session.running]) {
    if (!isStillAdmitted(running, policy) || isWider(running, policy)) running.end('revoked')
    else shorten(session, running, policy)
  }
}

function isStillAdmitted({ call, facts }: RunningCall, policy: EffectivePolicy): boolean {
  const current: Facts = { ...facts, answer: call.answer }
  return fold({ call: call.prepared.call, policy, facts: current }).status === 'admitted'
}

/** The boundary that a command started with exceeds the one in force in some part other than time. */
function isWider({ call, policy: started }: RunningCall, policy: EffectivePolicy): boolean {
  if (call.prepared.call.runsIn !== 'sandbox') return false
  const lostWriting = writes(started) && !writes(policy)
  const excess = table.sandbox.exceeds(started.axes.sandbox, policy.axes.sandbox)
  return lostWriting || excess.some(({ field }) => field !== TIME)
}

const TIME = 'limits.timeoutMs'

function writes({ axes }: EffectivePolicy): boolean {
  return axes.capabilities.includes('fs.write')
}

function shorten(session: LiveSession, running: RunningCall, policy: EffectivePolicy): void {
  const before = running.policy.axes.sandbox.limits.timeoutMs
  const after = policy.axes.sandbox.limits.timeoutMs
  if (running.call.prepared.call.runsIn !== 'sandbox' || after >= before) return
  const { clock } = session.around
  const elapsed = (clock.monotonicUs() - running.startedUs) / 1000
  if (elapsed >= after) running.end('revoked')
  else
    clock.after(after - elapsed, () => {
      if (session.running.has(running)) running.end('revoked')
    })
}

/** Aborts everything that runs and waits at most `ms` for it to end. */
export async function endAll(session: LiveSession, ms: number): Promise<void> {
  const running = [...session.running]
  for (const one of running) one.end('cancelled')
  if (running.length === 0) return
  const ended = Promise.all(running.map((one) => one.done))
  await new Promise<void>((resolve) => {
    const stop = session.around.clock.after(ms, resolve)
    void ended.then(() => {
      stop()
      resolve()
    })
  })
}
