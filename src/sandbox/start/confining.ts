/** The driver that confines a command, or why none may (sandbox.md §1). */

import type { SandboxDriver, SandboxProfile } from '../../contract/sandbox.js'
import { SandboxError } from '../../core/errors.js'
import { NO_DRIVER, type Probed } from '../choice.js'
import { missingGuarantees, requiredGuarantees } from '../required-guarantees.js'

/** The driver for a profile. Throws `SandboxError` when a guarantee that it demands is not kept. */
export function confining(
  { driver, report, isFallback, waived }: Probed,
  profile: SandboxProfile,
): SandboxDriver {
  if (driver === null) throw NO_DRIVER
  if (report.status !== 'ready') {
    throw new SandboxError(
      'unavailable',
      report.cause ?? 'the sandbox is not available',
      report.remedy ?? '',
    )
  }
  // A profile that writes nothing has no meaning where nothing keeps a command from writing.
  const given = isFallback && profile.fileSystem.mode !== 'read_only' ? waived : []
  const required = requiredGuarantees(profile, driver.platform)
  const missing = missingGuarantees(required, report.guarantees).filter(
    (name) => !given.includes(name),
  )
  if (missing.length === 0) return driver
  throw new SandboxError(
    missing.every((name) => name.startsWith('limits.')) ? 'unenforceable_limit' : 'unavailable',
    `the driver does not enforce ${missing.join(', ')}`,
    'take the demand out of the policy, or use a driver that enforces it',
  )
}
