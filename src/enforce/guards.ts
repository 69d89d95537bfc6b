/** Guards before all layers (pipeline.md §4, H-02): in this version cancelling and the control plane. */

import type { GuardAnswer } from '../core/facts.js'
import type { Subject } from '../core/subject.js'
import { touches } from '../policy/rules/classes.js'
import type { Surroundings } from './surroundings.js'

/** Run once a call; the answers are facts of every later pass. */
export function guardAnswers(
  subjects: readonly Subject[],
  around: Surroundings,
): readonly GuardAnswer[] {
  const isTouched = subjects.some(
    (subject) => subject.kind === 'path' && touches(subject, around.controlPlane, around.roots),
  )
  return isTouched ? [{ decision: 'deny', matchedRule: 'builtin:control_plane' }] : []
}

/** What a call whose signal fired is denied with, before any rule is looked at. */
export const CANCELLED: GuardAnswer = { decision: 'deny', matchedRule: 'builtin:cancelled' }
