/** What a text shows against the analysis, after everybody was asked and bash was the judge. */

import { compare, namesOf, type Claim, type Comparison } from './compare.js'
import { isBash, type Judge } from './judge.js'
import { KNOWN_MISTAKES } from './known-mistakes.js'
import type { Parser } from './opinion.js'

export interface Verdict {
  /** The analysis refuses nothing in it. */
  readonly proved: boolean
  /** How many different programs bash looked for; none when it was not let loose on the text. */
  readonly executed: number
  /** How many names the other parsers found and the analysis did not tell. */
  readonly claims: number
  /** Bash runs what is not told, or a parser that is hardly ever wrong finds it. */
  readonly failures: readonly string[]
  /** Nobody can tell: few at any time, or there is a new kind of them to look at. */
  readonly open: readonly string[]
}

/** The `turn` says which way programs answer in the one run that every proved text gets. */
export function judge(
  text: string,
  parsers: readonly Parser[],
  { bash, turn }: { readonly bash: Judge; readonly turn: number },
): Verdict {
  const compared = compare(text, parsers)
  if (compared === null) return { proved: false, executed: 0, claims: 0, failures: [], open: [] }
  const told = namesOf(compared.analysis)
  const executed = bash.executed(text, compared.analysis, turn) ?? new Set<string>()
  const surprises = [...executed].filter((name) => !told.has(name))
  const rulings = compared.claims.map((claim) => ({ claim, is: rule(claim, compared, bash) }))
  const ruled = (ruling: Ruling): readonly string[] =>
    rulings.flatMap(({ claim, is }) => (is === ruling ? said(claim) : []))
  return {
    proved: true,
    executed: executed.size,
    claims: compared.claims.length,
    failures: [...surprises.map((name) => said({ text, name, by: ['bash'] })), ...ruled('failed')],
    open: [...ruled('open'), ...(isLenient(compared) ? [`nobody else reads ${text}`] : [])],
  }
}

type Ruling = 'failed' | 'open' | 'settled'

function rule(claim: Claim, { analysis }: Comparison, bash: Judge): Ruling {
  const { text, name, by } = claim
  if (bash.everExecuted(text, analysis)?.has(name) === true) return 'failed'
  // Bash runs nothing behind a fault; what stands before one was run above.
  const [first, ...others] = by
  if (first === undefined || !isBash(text)) return 'settled'
  const told = namesOf(analysis)
  const maker = others.length > 0 ? undefined : first
  const isKnown = KNOWN_MISTAKES.some(
    (mistake) => mistake.by === maker && mistake.explains({ text, name, told }),
  )
  if (isKnown) return 'settled'
  if (others.length > 0) return 'failed'
  // Alone, tree-sitter is wrong in too many ways to list; mvdan-sh in the few that are.
  return first === 'mvdan-sh' ? 'failed' : 'open'
}

/** It proves what nobody else takes for bash, bash included, which runs nothing of it then. */
function isLenient({ text, alone }: Comparison): boolean {
  return alone && !isBash(text)
}

function said({ text, name, by }: Omit<Claim, 'by'> & { readonly by: readonly string[] }): string {
  return `${by.join(' and ')}: ${JSON.stringify(name)} in ${JSON.stringify(text)}`
}
