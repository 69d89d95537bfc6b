/** Where a second opinion finds a program that the analysis neither tells nor covers by a refusal. */

import { analyse } from '../../../src/shell/analyse.js'
import type { CommandAnalysis } from '../../../src/core/need.js'
import type { Opinion, Parser, ParserName } from './opinion.js'

/** A name that the analysis is silent about, and who finds it. */
export interface Claim {
  readonly text: string
  readonly name: string
  readonly by: readonly ParserName[]
}

export interface Comparison {
  readonly text: string
  readonly analysis: CommandAnalysis
  readonly claims: readonly Claim[]
  /** The analysis proves what no other parser takes for bash. */
  readonly alone: boolean
}

/** Compares one text; `null` when the analysis refuses it, since a refusal is never an allow. */
export function compare(text: string, parsers: readonly Parser[]): Comparison | null {
  const analysis = analyse(text)
  if (analysis.refusals.length > 0) return null
  const told = namesOf(analysis)
  const opinions = parsers.map(({ name, read }) => [name, read(text)] as const)
  const missed = new Set(opinions.flatMap(([, { names }]) => names.filter((n) => !told.has(n))))
  const claims = [...missed].map((name) => ({ text, name, by: claimants(name, opinions) }))
  return { text, analysis, claims, alone: opinions.every(([, { accepted }]) => !accepted) }
}

/** The programs that an allow rule would have to cover. */
export function namesOf({ commands }: CommandAnalysis): ReadonlySet<string> {
  const proved = commands.filter(({ role }) => role !== 'suspected')
  return new Set(proved.flatMap(({ argv: [program] }) => program ?? []))
}

function claimants(
  name: string,
  opinions: readonly (readonly [ParserName, Opinion])[],
): readonly ParserName[] {
  return opinions.flatMap(([parser, { names }]) => (names.includes(name) ? parser : []))
}
