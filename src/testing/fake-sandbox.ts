/** A sandbox driver that reports what a test says and confines nothing. */

import type { ConfinedCommand, ConfineRequest, SandboxDriver } from '../contract/sandbox.js'
import { SandboxError } from '../core/errors.js'
import type { Guarantee, Platform } from '../core/guarantee.js'
import { guaranteesExcept, unavailableReport } from '../sandbox/report.js'

/** What the driver pretends to be. */
export interface FakeSandboxOptions {
  readonly status: 'ready' | 'unavailable'
  /** Guarantees that a ready driver does not keep. */
  readonly missing?: readonly Guarantee[] | undefined
  /** The platform whose guarantees are demanded; default `linux`. */
  readonly platform?: Platform | undefined
  /** Absent: every command is refused. What is given runs for real, and as the test says. */
  readonly confine?: ((request: ConfineRequest) => ConfinedCommand) | undefined
}

/** Named `fake` in records. Nothing runs unless `confine` is given: executors get `SandboxError`. */
export function fakeSandbox(options: FakeSandboxOptions): SandboxDriver {
  const { status, missing = [], platform = 'linux', confine = refuse } = options
  const report =
    status === 'unavailable'
      ? unavailableReport(SHORTFALL)
      : {
          status,
          guarantees: guaranteesExcept((name) => (missing.includes(name) ? SHORTFALL : null)),
          cause: null,
          remedy: null,
        }
  return { name: 'fake', platform, status: 'none', probe: () => Promise.resolve(report), confine }
}

const SHORTFALL = { cause: 'a test says so', remedy: 'use a real sandbox driver' } as const

function refuse(): never {
  throw new SandboxError('setup_failed', 'a fake sandbox runs nothing', SHORTFALL.remedy)
}
