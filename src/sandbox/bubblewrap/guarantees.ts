/** What this driver keeps, and what it does not yet, with the cause (sandbox.md §1). */

import type { Guarantee, GuaranteeReport } from '../../core/guarantee.js'
import { guaranteesExcept, type Shortfall } from '../report.js'

/** The report of a probe that passed. */
export function bubblewrapGuarantees(): GuaranteeReport {
  return guaranteesExcept((name) => SHORTFALLS[name] ?? null)
}

const SHORTFALLS: { readonly [G in Guarantee]?: Shortfall } = {
  network_grant: {
    cause: 'this version opens no network to a sandboxed command',
    remedy: 'fetch with an in-process tool, or ask for the command to run outside the sandbox',
  },
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
