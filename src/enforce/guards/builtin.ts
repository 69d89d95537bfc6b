/** The library's own guards before all layers (pipeline.md §4, H-02): cancelling, the control plane and the catastrophic floor. */

import type { GuardAnswer } from '../../core/facts.js'
import type { Subject } from '../../core/subject.js'
import { touches } from '../../policy/rules/classes.js'
import { floorOf } from '../../policy/rules/commands/floor.js'
import type { Prepared } from '../call/prepare.js'
import type { LiveCall } from '../live-session.js'
import type { Surroundings } from '../surroundings.js'

/** Looked at on every pass: a link may lead elsewhere than it did when the call came. */
export function guardAnswers(
  asked: Nested,
  subjects: readonly Subject[],
  around: Surroundings,
): readonly GuardAnswer[] {
  const isTouched = subjects.some(
    (subject) => subject.kind === 'path' && touches(subject, around.controlPlane, around.roots),
  )
  const ruin = floorOf(subjects, around.roots)
  const nesting = nestingOf(asked)
  return [
    ...(isTouched ? [deny('control_plane')] : []),
    ...(ruin === null ? [] : [deny(`floor.${ruin}`)]),
    ...(nesting === null ? [] : [deny(`budget.${nesting}`)]),
  ]
}

/** A call and the calls that it is made within. */
type Nested = Pick<LiveCall, 'prepared' | 'within'>

/** Calls within calls, at most this many levels below the first. */
const DEEPEST = 16

/** A call that makes itself again would never end; nor would one that makes ever others (S1-57). */
function nestingOf({ prepared, within }: Nested): 'recursion' | 'nesting' | null {
  let depth = 0
  for (let outer = within; outer !== null; outer = outer.within) {
    depth += 1
    if (isSame(prepared, outer.prepared)) return 'recursion'
  }
  return depth > DEEPEST ? 'nesting' : null
}

function isSame(left: Prepared, right: Prepared): boolean {
  return (
    // A host that is authorized is a call of the tool that reaches it, and runs nothing.
    left.registered === right.registered &&
    left.call.tool === right.call.tool &&
    left.call.cwd === right.call.cwd &&
    left.submission.argsRef.d === right.submission.argsRef.d
  )
}

function deny(name: string): GuardAnswer {
  return { decision: 'deny', matchedRule: `builtin:${name}` }
}

/** What a call whose signal fired is denied with, before any rule is looked at. */
export const CANCELLED: GuardAnswer = { decision: 'deny', matchedRule: 'builtin:cancelled' }
