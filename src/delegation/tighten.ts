/** Tightening a policy that is in force (delegation.md §5). Pure: who is under it is the lineage's business. */

import type { JsonObject } from '../core/json.js'
import type { PolicyAxes } from '../policy/effective-policy.js'
import { escalation } from './derive.js'
import { force, narrow } from './narrow.js'

/** The session's own policy after it. Throws `DelegationError`; a call that would widen any axis is refused whole (S0-31). */
export function tightened(axes: PolicyAxes, constraints: JsonObject): PolicyAxes {
  const narrowed = narrow(axes, constraints)
  const violations = [...narrowed.violations, ...narrowed.clamped]
  if (violations.length > 0) throw escalation(violations)
  return narrowed.axes
}

/** A descendant's policy after an ancestor's tightening: whatever it is already tighter in, it keeps. */
export function tightenedBelow(axes: PolicyAxes, constraints: JsonObject): PolicyAxes {
  return force(axes, constraints)
}
