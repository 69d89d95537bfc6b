/** Reports on guarantees, written so that no guarantee can be forgotten. */

import type { ProbeReport } from '../contract/sandbox.js'
import { givenUp, GUARANTEES, type Guarantee, type GuaranteeReport } from '../core/guarantee.js'

/** Why a guarantee is not kept, and what would help. */
export interface Shortfall {
  readonly cause: string
  readonly remedy: string
}

/** Everything is enforced but what `missing` answers for. */
export function guaranteesExcept(missing: (name: Guarantee) => Shortfall | null): GuaranteeReport {
  const rows = GUARANTEES.map((name) => {
    const shortfall = missing(name)
    return [
      name,
      shortfall === null ? { status: 'enforced' } : { status: 'unenforceable', ...shortfall },
    ] as const
  })
  return Object.fromEntries(rows) as GuaranteeReport
}

/** The report under a profile that gives guarantees up by name (H-27). */
export function reportUnder(
  report: ProbeReport,
  profile: Parameters<typeof givenUp>[0],
): ProbeReport {
  if (report.status !== 'ready') return report
  const open = givenUp(profile)
  const kept = Object.entries(report.guarantees).map(([name, row]) =>
    open.some((one) => one === name)
      ? ([name, { status: 'unenforceable', ...OPENED }] as const)
      : ([name, row] as const),
  )
  return { ...report, guarantees: Object.fromEntries(kept) as GuaranteeReport }
}

const OPENED: Shortfall = {
  cause:
    'the profile gives it up: writable package stores reach outside, a scratch of a session is not limited',
  remedy: 'leave `packageStores` and `scratch` out',
}

/** The report of a driver that cannot work here at all. */
export function unavailableReport(shortfall: Shortfall): ProbeReport {
  return {
    status: 'unavailable',
    guarantees: guaranteesExcept(() => shortfall),
    cause: shortfall.cause,
    remedy: shortfall.remedy,
  }
}
