/** What the sandbox axis of a policy demands of a driver (sandbox.md §1). */

import { demandedGuarantees, givenUp, type Guarantee, type Platform } from '../core/guarantee.js'
import { REQUIRED_GUARANTEES } from '../lists/required-guarantees.js'
import type { SandboxAxis } from './effective-policy.js'

/** Everything that a driver must enforce before layer 6 admits a command. */
export function requiredGuarantees(
  axis: SandboxAxis,
  platform: Platform,
  withGrant = false,
): readonly Guarantee[] {
  const waived = givenUp(axis)
  const always = REQUIRED_GUARANTEES[platform].filter((name) => !waived.includes(name))
  return demandedGuarantees(always, axis.limits, withGrant)
}
