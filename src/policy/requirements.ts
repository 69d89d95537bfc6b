/** What a sandbox profile demands of a driver (sandbox.md §1). */

import type { Guarantee, Platform } from '../core/guarantee.js'
import { REQUIRED_GUARANTEES } from '../lists/required-guarantees.js'
import type { SandboxAxis } from './effective-policy.js'

/** The platform's own list, plus what only some policies and calls ask for. */
export function requiredGuarantees(
  axis: SandboxAxis,
  platform: Platform,
  withGrant: boolean,
): readonly Guarantee[] {
  return [
    ...REQUIRED_GUARANTEES[platform],
    ...(withGrant ? (['network_grant'] as const) : []),
    ...(axis.limits.processes === null ? [] : (['limits.processes'] as const)),
    ...(axis.limits.memoryBytes === null ? [] : (['limits.memory'] as const)),
  ]
}
