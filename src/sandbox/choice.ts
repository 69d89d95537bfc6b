/** Which driver runs commands: decided once by the start probe, and never again (sandbox.md §1, H-23, H-25). */

import type { ProbeReport, SandboxDriver, SandboxProfile } from '../contract/sandbox.js'
import { SandboxError } from '../core/errors.js'
import type { SandboxFacts } from '../core/facts.js'
import type { Guarantee } from '../core/guarantee.js'
import { unavailableReport } from './report.js'
import { missingGuarantees, requiredGuarantees } from './required-guarantees.js'

/** What the start probe decided. */
export interface Probed {
  readonly driver: SandboxDriver | null
  readonly report: ProbeReport
  /** True when commands run outside of every sandbox because the host opted in. */
  readonly isFallback: boolean
  /** Guarantees that a profile may lack then; otherwise none. */
  readonly waived: readonly Guarantee[]
}

/** Asks the driver, and only if it fails what the host allows in its place. Never rejects. */
export async function probeOrFallBack(driver: SandboxDriver | null): Promise<Probed> {
  const report = await probe(driver)
  const fallback = driver?.fallback
  if (report.status === 'ready' || fallback === undefined) {
    return { driver, report, isFallback: false, waived: [] }
  }
  const outside = await probe(fallback.driver)
  const cause = `commands run outside of every sandbox, as the host allowed: ${report.cause ?? 'there is none'}`
  return {
    driver: fallback.driver,
    report: { ...outside, cause, remedy: report.remedy },
    isFallback: true,
    waived: fallback.waive,
  }
}

/** The start probe's answer as layers read it. */
export function factsOf({ driver, report, waived }: Probed): SandboxFacts {
  const { status, cause, remedy, guarantees } = report
  if (status === 'unavailable' || driver === null) {
    return { status: 'unavailable', cause: cause ?? NO_DRIVER.message, remedy }
  }
  const ready = { status, driver: driver.name, report: guarantees } as const
  return waived.length === 0 ? ready : { ...ready, waived }
}

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

/** What every sandboxed call meets where no driver was given. */
export const NO_DRIVER: SandboxError = new SandboxError(
  'unavailable',
  'no sandbox driver was given',
  'hand in createNativeSandbox()',
)

async function probe(driver: SandboxDriver | null): Promise<ProbeReport> {
  if (driver === null) {
    return unavailableReport({ cause: NO_DRIVER.message, remedy: NO_DRIVER.remedy })
  }
  try {
    return await driver.probe()
  } catch {
    // Denied: every sandboxed call. A driver that cannot answer confines nothing.
    return unavailableReport({ cause: 'the driver failed its probe', remedy: 'mend the driver' })
  }
}
