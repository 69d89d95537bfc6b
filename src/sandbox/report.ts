/** Reports on guarantees, written so that no guarantee can be forgotten. */

import type { ProbeReport } from '../contract/sandbox.js'
import { GUARANTEES, type Guarantee, type GuaranteeReport } from '../core/guarantee.js'

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

/** The report of a driver that cannot work here at all. */
export function unavailableReport(shortfall: Shortfall): ProbeReport {
  return {
    status: 'unavailable',
    guarantees: guaranteesExcept(() => shortfall),
    cause: shortfall.cause,
    remedy: shortfall.remedy,
  }
}
