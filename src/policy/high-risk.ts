/** The names of high risk for layers above, which read no lists of their own. */

import { HIGH_RISK_PROGRAMS } from '../lists/high-risk.js'

/** True for a program's plain name in lower case; `mkfs.ext4` is `mkfs`. */
export function isHighRiskProgram(name: string): boolean {
  return NAMES.has(name) || name.startsWith('mkfs.')
}

const NAMES: ReadonlySet<string> = new Set(HIGH_RISK_PROGRAMS)
