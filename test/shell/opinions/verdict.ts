/** What a text shows against the analysis, after everybody was asked and bash was the judge. */

import { compare, namesOf, type Claim, type Comparison } from './compare.js'
import { isBash, type Judge } from './judge.js'
import { KNOWN_LENIENCE, KNOWN_MISTAKES } from './known-mistakes.js'
import type { Parser } from './opinion.js'

export interface Verdict {
  /** The analysis refuses nothing in it. */
  readonly proved: boolean
  /** How many different programs bash looked for; none when it was not let loose on the text. */
  readonly executed: number
  /** What the other parsers found and the analysis did not tell. */
  readonly claims: number
  readonly failures: readonly string[]
}

/** The `turn` says which way commands answer in the one run that every proved text gets. */
export function judge(
  text: string,
  parsers: readonly Parser[],
  { bash, turn }: { readonly bash: Judge; readonly turn: number },
): Verdict {
  const compared = compare(text, parsers)
  if (compared === null) return { proved: false, executed: 0, claims: 0, failures: [] }
  const told = namesOf(compared.analysis)
  const executed = bash.executed(text, compared.analysis, turn) ?? new Set<string>()
  const failures = [
    ...[...executed]
      .filter((name) => !told.has(name))
      .map((name) => `bash runs ${quoted(name)}, which is not told, in ${quoted(text)}`),
    ...compared.claims.flatMap((claim) => failuresOf(claim, compared, bash)),
    ...lenience(compared),
  ]
  return { proved: true, executed: executed.size, claims: compared.claims.length, failures }
}

/** Bash has run it, or nobody disagrees but the analysis, or one parser does for no known reason. */
function failuresOf(claim: Claim, { analysis }: Comparison, bash: Judge): readonly string[] {
  const { text, name, by } = claim
  const told = namesOf(analysis)
  const executed = bash.everExecuted(text, analysis)
  const says = (what: string): readonly string[] => [`${what} ${quoted(name)} in ${quoted(text)}`]
  if (executed?.has(name) === true) return says('bash runs, although not told,')
  const [first, ...others] = by
  // Bash runs nothing behind a fault, and what stands before one was run above.
  if (first === undefined || !isBash(text)) return []
  if (others.length > 0) return says('all other parsers find')
  const isKnown = KNOWN_MISTAKES.some(
    (mistake) => mistake.by === first && mistake.explains({ text, name, by: first, told }),
  )
  return isKnown ? [] : says(`${first} finds`)
}

/** It proves what nobody else takes for bash, bash included. */
function lenience({ text, alone }: Comparison): readonly string[] {
  if (!alone || KNOWN_LENIENCE.some(({ explains }) => explains(text)) || isBash(text)) return []
  return [`nobody else reads ${quoted(text)}`]
}

function quoted(text: string): string {
  return JSON.stringify(text)
}
