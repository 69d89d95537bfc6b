/** The driver of the platform that this process runs on (sandbox.md §1, S1-16). */

import type { SandboxDriver } from '../contract/sandbox.js'
import { systemMachine, type Machine } from '../platform/machine.js'
import { bubblewrap } from './bubblewrap/driver.js'
import { unavailableDriver } from './unavailable.js'

/** What can be chosen; the defaults are right for nearly everyone. */
export interface NativeSandboxOptions {
  /** Absolute path of the launcher, where the system keeps it in an unusual place. */
  readonly launcher?: string | undefined
  /** The machine to confine on; absent: this one. */
  readonly machine?: Machine | undefined
  /**
   * Hosts whose network grants may lead to private, loopback and link-local addresses: names and addresses
   * of this machine and network. Absent: a grant leads to public addresses alone.
   */
  readonly privateHosts?: readonly string[] | undefined
}

/**
 * The operating system's own boundary. Opens nothing until it is probed; where there is none the
 * driver says so and every sandboxed call is denied.
 */
export function createNativeSandbox(options: NativeSandboxOptions = {}): SandboxDriver {
  const machine = options.machine ?? systemMachine()
  switch (machine.platform) {
    case 'linux':
      return bubblewrap({ ...options, machine })
    case 'darwin':
      return unavailableDriver('seatbelt', 'darwin', NOT_PART)
    case 'win32':
      return unavailableDriver('appcontainer', 'win32', NOT_PART)
    case 'other':
      return unavailableDriver('none', 'linux', {
        cause: 'this operating system has no sandbox driver',
        remedy: 'run on Linux, or hand in a driver of your own',
      })
  }
}

const NOT_PART = {
  cause: 'not part of this version',
  remedy: 'run on Linux, or hand in a driver of your own',
} as const
