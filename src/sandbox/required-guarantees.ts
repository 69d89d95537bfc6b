/** Which guarantees a profile cannot do without (sandbox.md §1). */

import type { Guarantee, GuaranteeReport, Platform } from '../core/guarantee.js'
import { REQUIRED_GUARANTEES, REQUIRED_WHEN_NAMED } from '../lists/required-guarantees.js'
import type { SandboxAxis } from '../policy/effective-policy.js'

/** Everything that an axis (or a profile) demands on a platform. A call needs all of it enforced. */
export function requiredGuarantees(
  axis: { readonly limits: Pick<SandboxAxis['limits'], 'processes' | 'memoryBytes'> },
  platform: Platform,
): readonly Guarantee[] {
  return [
    ...REQUIRED_GUARANTEES[platform],
    ...(axis.limits.processes === null ? [] : [REQUIRED_WHEN_NAMED.processes]),
    ...(axis.limits.memoryBytes === null ? [] : [REQUIRED_WHEN_NAMED.memoryBytes]),
  ]
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
