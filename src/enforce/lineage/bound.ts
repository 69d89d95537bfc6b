/** Binding what a delegation or a tightening came to: what cannot be in force is no constraint. */

import { ConfigError, DelegationError } from '../../core/errors.js'
import type { EffectivePolicy, PolicyAxes } from '../../policy/effective-policy.js'
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
