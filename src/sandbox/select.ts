/** The driver of the platform that this process runs on (sandbox.md §1, S1-16). */

import type { SandboxDriver } from '../contract/sandbox.js'
import { systemMachine, type Machine } from '../platform/machine.js'
import { appcontainer } from './appcontainer/driver.js'
import { bubblewrap } from './bubblewrap/driver.js'
import { seatbelt } from './seatbelt/driver.js'
import { startVariable } from '../platform/start-environment.js'
import {
  PROCESS_HOST_VARIABLE,
  processHostFallback,
  type ProcessHostOptions,
} from './process-host/opt-in.js'
import { unavailableDriver } from './unavailable.js'

/** What can be chosen; the defaults are right for nearly everyone. */
export interface NativeSandboxOptions {
  /** Absolute path of the launcher, where the system keeps it in an unusual place. */
  readonly launcher?: string | undefined
  /** The machine to confine on; absent: this one. */
  readonly machine?: Machine | undefined
  /** Whether, and with which guarantees waived, commands run on the host where no sandbox works. */
  readonly processHost?: ProcessHostOptions | undefined
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
  const driver = nativeDriver(options)
  const started = startVariable(PROCESS_HOST_VARIABLE)
  const fallback = processHostFallback(options.processHost, started, driver.platform)
  return fallback === undefined ? driver : { ...driver, fallback }
}

function nativeDriver(options: NativeSandboxOptions): SandboxDriver {
  const machine = options.machine ?? systemMachine()
  switch (machine.platform) {
    case 'linux':
      return bubblewrap({ ...options, machine })
    case 'darwin':
      return seatbelt({ machine, launcher: options.launcher })
    case 'win32':
      return appcontainer({ machine, launcher: options.launcher })
    case 'other':
      return unavailableDriver('none', 'linux', {
        cause: 'this operating system has no sandbox driver',
        remedy: 'run on Linux, macOS or Windows, or hand in a driver of your own',
      })
  }
}
