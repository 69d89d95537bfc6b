/** A driver for a machine that has none: it reports the cause and confines nothing. */

import type { SandboxDriver } from '../contract/sandbox.js'
import { SandboxError } from '../core/errors.js'
import type { Platform } from '../core/guarantee.js'
import { unavailableReport, type Shortfall } from './report.js'

/** Never ready; `confine` always throws `unsupported_platform`. */
export function unavailableDriver(
  name: string,
  platform: Platform,
  shortfall: Shortfall,
): SandboxDriver {
  const report = unavailableReport(shortfall)
  return {
    name,
    platform,
    status: 'none',
    probe: () => Promise.resolve(report),
    confine() {
      throw new SandboxError('unsupported_platform', shortfall.cause, shortfall.remedy)
    },
  }
}
