/** What this driver keeps, and what it does not yet, with the cause (sandbox.md §1). */

import type { Guarantee, GuaranteeReport } from '../../core/guarantee.js'
import type { LimitEnforcement } from '../limits/enforcement.js'
import { guaranteesExcept, type Shortfall } from '../report.js'

/** The report of a probe that passed, with what the machine cannot limit. */
export function bubblewrapGuarantees(limits: LimitEnforcement['shortfalls']): GuaranteeReport {
  return guaranteesExcept((name) => SHORTFALLS[name] ?? limits[name] ?? null)
}

const SHORTFALLS: { readonly [G in Guarantee]?: Shortfall } = {
  network_grant: {
    cause: 'this version opens no network to a sandboxed command',
    remedy: 'fetch with an in-process tool, or ask for the command to run outside the sandbox',
  },
}
