/** Whether a host runs commands outside of every sandbox when there is none (sandbox.md §1, H-25, S1-30, S1-31). */

import type { SandboxFallback } from '../../contract/sandbox.js'
import { ConfigError } from '../../core/errors.js'
import { GUARANTEES, type Guarantee, type Platform } from '../../core/guarantee.js'
import { optedProcessHost } from './driver.js'

/** What a host says about commands without a boundary. */
export interface ProcessHostOptions {
  /** Absent: as the variable says that the process was started with. */
  readonly allow?: boolean | undefined
  /** Every guarantee that a command may lack, by name; without the names no command is admitted. */
  readonly waive: readonly Guarantee[]
}

/** The variable that opts in where the option does not say. */
export const PROCESS_HOST_VARIABLE = 'SIXGATE_ALLOW_PROCESS_HOST'

/**
 * The fallback of a native driver; `undefined` unless the host opted in. `started` is the variable at the
 * start of the process. Throws `ConfigError` for a name that is no guarantee.
 */
export function processHostFallback(
  options: ProcessHostOptions | undefined,
  started: string | null,
  platform: Platform,
): SandboxFallback | undefined {
  const waive = [...(options?.waive ?? [])]
  const unknown = waive.find((name) => !GUARANTEES.includes(name))
  if (unknown !== undefined) {
    throw new ConfigError('invalid_option', `\`${unknown}\` is no guarantee`, {
      path: ['processHost', 'waive'],
      allowed: GUARANTEES,
    })
  }
  const isAllowed = options?.allow ?? isOn(started)
  return isAllowed ? { driver: optedProcessHost(platform), waive } : undefined
}

function isOn(text: string | null): boolean {
  return text !== null && ON.includes(text.trim().toLowerCase())
}

const ON: readonly string[] = ['1', 'true', 'yes', 'on']
