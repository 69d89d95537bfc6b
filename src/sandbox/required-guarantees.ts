/** Which guarantees a profile cannot do without (sandbox.md §1). */

import type { SandboxProfile } from '../contract/sandbox.js'
import {
  demandedGuarantees,
  givenUp,
  type Guarantee,
  type GuaranteeReport,
  type Platform,
} from '../core/guarantee.js'
import { REQUIRED_GUARANTEES } from '../lists/required-guarantees.js'
import type { SandboxAxis } from '../policy/effective-policy.js'

/** Everything that a profile demands on a platform. A call needs all of it enforced. */
export function requiredGuarantees(
  profile: {
    readonly fileSystem?: Parameters<typeof givenUp>[0]
    readonly limits: Pick<SandboxAxis['limits'], 'processes' | 'memoryBytes'>
    readonly network?: SandboxProfile['network'] | undefined
  },
  platform: Platform,
): readonly Guarantee[] {
  const open = givenUp(profile.fileSystem ?? {})
  const always = REQUIRED_GUARANTEES[platform].filter((name) => !open.includes(name))
  const withGrant = profile.network !== undefined && profile.network !== 'none'
  return demandedGuarantees(always, profile.limits, withGrant)
}

/** Those of `required` that a report does not enforce. */
export function missingGuarantees(
  required: readonly Guarantee[],
  report: GuaranteeReport,
): readonly Guarantee[] {
  // A report of a host's own driver may lack a row: that row is not enforced.
  const rows: Readonly<Record<string, { readonly status: string } | undefined>> = report
  return required.filter((name) => rows[name]?.status !== 'enforced')
}
