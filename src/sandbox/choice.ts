/** Which driver runs commands: decided once by the start probe, and never again (sandbox.md §1, H-23, H-25). */

import type { ProbeReport, SandboxDriver } from '../contract/sandbox.js'
import { SandboxError } from '../core/errors.js'
import type { SandboxFacts } from '../core/facts.js'
import type { Guarantee } from '../core/guarantee.js'
import { placeOf } from './elsewhere/place.js'
import { unavailableReport } from './report.js'

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
  // This machine stands in for no other place.
  const fallback = placeOf(driver) === null ? driver?.fallback : undefined
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
