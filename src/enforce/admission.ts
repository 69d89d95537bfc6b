/** Admissions (pipeline.md §1): a right that lives in memory, not in data, and is used once. */

import type { Admission, Admitted } from '../contract/outcome.js'
import { AdmissionError } from '../core/errors.js'
import type { LiveCall, LiveSession } from './live-session.js'

/** An admission that nobody used for this long is worth nothing. Milliseconds. */
const LAPSE = 60_000

interface Right {
  readonly session: LiveSession
  readonly call: LiveCall
  readonly issuedAt: number
  isUsed: boolean
}

/** Only objects that were put here by `admit` are admissions; a copy is another object. */
const RIGHTS = new WeakMap<object, Right>()

/** The admission that stands for the call, or a fresh one when there is none to use. */
export function admit(session: LiveSession, call: LiveCall): Admitted {
  const now = session.around.clock.monotonicUs()
  const standing = call.outcome?.status === 'admitted' ? call.outcome : null
  const right = standing === null ? undefined : RIGHTS.get(standing.admission)
  if (standing !== null && right !== undefined && !hasLapsed(right, now)) return standing
  if (right !== undefined) right.isUsed = true
  const { callId } = call.trail
  const admission = Object.freeze({ callId }) as unknown as Admission
  RIGHTS.set(admission, { session, call, issuedAt: now, isUsed: false })
  return Object.freeze({ status: 'admitted', callId, admission })
}

/** The call that an admission may start. Throws `AdmissionError`; uses nothing up. */
export function rightfulCall(session: LiveSession, admission: Admission): LiveCall {
  return rightOf(session, admission).call
}

/** Uses an admission up. Throws `AdmissionError`; then nothing was started and nothing recorded. */
export function redeem(session: LiveSession, admission: Admission): void {
  rightOf(session, admission).isUsed = true
}

function rightOf(session: LiveSession, admission: Admission): Right {
  const right = RIGHTS.get(Object(admission) as object)
  if (right === undefined) throw new AdmissionError('forged', 'this admission was not issued here')
  if (right.session !== session) {
    throw new AdmissionError('other_session', 'this admission belongs to another session')
  }
  if (right.isUsed) throw new AdmissionError('already_used', 'this admission was used before')
  if (hasLapsed(right, session.around.clock.monotonicUs())) {
    throw new AdmissionError('lapsed', 'this admission is older than 60 seconds')
  }
  return right
}

function hasLapsed(right: Right, now: number): boolean {
  return now - right.issuedAt >= LAPSE * 1000
}
