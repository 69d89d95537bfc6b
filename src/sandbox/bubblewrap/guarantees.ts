/** What this driver keeps, and what it does not yet, with the cause (sandbox.md §1). */

import type { Guarantee, GuaranteeReport } from '../../core/guarantee.js'
import { guaranteesExcept, type Shortfall } from '../report.js'

/** The report of a probe that passed; `found` is what it found missing. */
export function bubblewrapGuarantees(found: {
  readonly network_grant: Shortfall | null
}): GuaranteeReport {
  return guaranteesExcept((name) =>
    name === 'network_grant' ? found.network_grant : (SHORTFALLS[name] ?? null),
  )
}

const SHORTFALLS: { readonly [G in Guarantee]?: Shortfall } = {
  'limits.processes': {
    cause: 'this version does not place commands in a control group',
    remedy:
      'leave the limit out, or start the host with a limit: systemd-run --user --scope -p TasksMax=512',
  },
  'limits.memory': {
    cause: 'this version does not place commands in a control group',
    remedy:
      'leave the limit out, or start the host with a limit: systemd-run --user --scope -p MemoryMax=4G',
  },
}
