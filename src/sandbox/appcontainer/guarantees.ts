/** What this driver keeps once its self-test has passed, and what it cannot, with the cause (sandbox.md §1). */

import type { Guarantee, GuaranteeReport } from '../../core/guarantee.js'
import { guaranteesExcept, type Shortfall } from '../report.js'

/** The report of a probe that passed. */
export function appcontainerGuarantees(): GuaranteeReport {
  return guaranteesExcept((name) => SHORTFALLS[name] ?? null)
}

const SHORTFALLS: { readonly [G in Guarantee]?: Shortfall } = {
  unix_socket_block: {
    cause:
      'Windows has no switch that keeps a container from a socket file inside a granted folder',
    remedy: 'keep the socket files of services out of the workspace',
  },
  syscall_filter: {
    cause: 'Windows filters no system calls of a program that it does not know',
    remedy: 'hand in a driver that runs commands in a virtual machine',
  },
  network_grant: {
    cause: 'a container without capabilities reaches no network, its own host included',
    remedy: 'fetch with an in-process tool, or ask for the command to run outside the sandbox',
  },
  'limits.disk': {
    cause: 'Windows limits the disk by user and volume, not by container',
    remedy: 'set a quota on the volume',
  },
}
