/** Binding what a delegation or a tightening came to: what cannot be in force is no constraint. */

import { ConfigError, DelegationError } from '../../core/errors.js'
import { escalation } from '../../delegation/derive.js'
import type { EffectivePolicy, PolicyAxes } from '../../policy/effective-policy.js'
import { areWithin } from '../../policy/rules/patterns/folder-lists.js'
import type { SessionHome } from '../live-session.js'

/** Throws `DelegationError invalid_constraint`; then nothing was changed. */
export function boundAs(
  home: SessionHome,
  axes: PolicyAxes,
  { count, isDelegated }: { readonly count: number; readonly isDelegated: boolean },
): EffectivePolicy {
  try {
    return home.bind(axes, count, isDelegated)
  } catch (cause) {
    if (!(cause instanceof ConfigError)) throw cause
    // A limit that is not counted, a folder that cannot be opened: there is no such session.
    throw new DelegationError('invalid_constraint', cause.message, { cause })
  }
}

/** Folders that lead, through links, to what the policy above does not open: none may be in a narrower one. */
export function refuseLinksOut(policy: EffectivePolicy, above: EffectivePolicy): void {
  const violations = (['writable', 'readable'] as const)
    .filter((field) => !areWithin(policy[field], above[field]))
    .map((field) => ({
      axis: 'sandbox',
      field,
      parent: above[field],
      given: policy[field],
    }))
  if (violations.length > 0) throw escalation(violations)
}

/** The same for a session below one that is tightened: what leads out is dropped, and the rest is in force. */
export function withoutLinksOut(policy: EffectivePolicy, above: EffectivePolicy): EffectivePolicy {
  const kept = (field: 'writable' | 'readable'): readonly string[] =>
    policy[field].filter((folder) => areWithin([folder], above[field]))
  return { ...policy, writable: kept('writable'), readable: kept('readable') }
}
