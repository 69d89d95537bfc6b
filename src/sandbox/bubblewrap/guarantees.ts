/** What this driver keeps, and what it does not on this machine, with the cause (sandbox.md §1). */

import type { GuaranteeReport } from '../../core/guarantee.js'
import type { LimitEnforcement } from '../limits/enforcement.js'
import { guaranteesExcept, type Shortfall } from '../report.js'

/** The report of a probe that passed; both say what the machine cannot do. */
export function bubblewrapGuarantees(
  limits: LimitEnforcement['shortfalls'],
  grant: Shortfall | null,
): GuaranteeReport {
  return guaranteesExcept((name) => (name === 'network_grant' ? grant : (limits[name] ?? null)))
}
