/** Guards before all layers (pipeline.md §4, H-02): in this version cancelling, the control plane and the catastrophic floor. */

import type { GuardAnswer } from '../core/facts.js'
import type { Subject } from '../core/subject.js'
import { touches } from '../policy/rules/classes.js'
import { floorOf } from '../policy/rules/commands/floor.js'
import type { Surroundings } from './surroundings.js'

/** Run once a call; the answers are facts of every later pass. */
export function guardAnswers(
  subjects: readonly Subject[],
  around: Surroundings,
): readonly GuardAnswer[] {
  const isTouched = subjects.some(
    (subject) => subject.kind === 'path' && touches(subject, around.controlPlane, around.roots),
  )
  const ruin = floorOf(subjects, around.roots)
  return [
    ...(isTouched ? [{ decision: 'deny', matchedRule: 'builtin:control_plane' } as const] : []),
    ...(ruin === null ? [] : [{ decision: 'deny', matchedRule: `builtin:floor.${ruin}` } as const]),
  ]
}

/** What a call whose signal fired is denied with, before any rule is looked at. */
export const CANCELLED: GuardAnswer = { decision: 'deny', matchedRule: 'builtin:cancelled' }
