/** What this driver keeps, and what macOS has no means for, with the cause (sandbox.md §1, §5). */

import type { Guarantee, GuaranteeReport } from '../../core/guarantee.js'
import { guaranteesExcept, type Shortfall } from '../report.js'

/** The report of a probe that passed. */
export function seatbeltGuarantees(): GuaranteeReport {
  return guaranteesExcept((name) => SHORTFALLS[name] ?? null)
}

const NO_LIMIT = 'macOS has no limit for a tree of processes'

const SHORTFALLS: { readonly [G in Guarantee]?: Shortfall } = {
  descendant_kill: {
    cause: 'macOS ends a process group: a daemon that left it lives on, confined as before',
    remedy: 'look for survivors after a command that starts daemons, or run on Linux',
  },
  syscall_filter: {
    cause: 'macOS has no filter for system calls; Seatbelt decides by operation',
    remedy: 'run on Linux where a filter is demanded',
  },
  network_grant: {
    cause: 'this version opens no network to a sandboxed command',
    remedy: 'fetch with an in-process tool, or ask for the command to run outside the sandbox',
  },
  'limits.disk': {
    cause: 'macOS has no limit for a folder; scratch lies on the disk of temporary files',
    remedy: 'leave room there, or place TMPDIR on a volume with a quota',
  },
  'limits.processes': {
    cause: NO_LIMIT,
    remedy: 'leave the limit out, or run on Linux',
  },
  'limits.memory': {
    cause: NO_LIMIT,
    remedy: 'leave the limit out, or run on Linux',
  },
}
