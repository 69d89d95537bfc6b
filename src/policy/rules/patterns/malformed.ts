/** What is wrong with the text of a rule, and where in it (rules.md §1). */

import { ConfigError } from '../../../core/errors.js'

/** A pattern with the rule text that it stands in, from this offset on. */
export interface PatternPlace {
  readonly text: string
  readonly from: number
}

/** What would be right. `at` counts from the start of the pattern; a suggestion replaces the pattern. */
export interface PatternFault {
  readonly at?: number | undefined
  readonly allowed?: readonly string[] | undefined
  readonly suggestion?: string | undefined
}

/** A fault of a pattern; the column counts from 1 within the whole rule text. */
export function malformedPattern(
  { text, from }: PatternPlace,
  why: string,
  { at = 0, allowed, suggestion }: PatternFault = {},
): ConfigError {
  return malformedRule(text, why, {
    at: from + at,
    allowed,
    suggestion:
      suggestion === undefined || from === 0 ? suggestion : `${text.slice(0, from)}${suggestion})`,
  })
}

/** A fault of a whole rule text, at an offset in it. */
export function malformedRule(
  text: string,
  why: string,
  { at = 0, allowed, suggestion }: PatternFault = {},
): ConfigError {
  const shown = text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text
  const column = at + 1
  return new ConfigError('malformed_rule', `\`${shown}\`, column ${column}: ${why}`, {
    column,
    allowed: allowed ?? ['Tool', 'Tool(pattern)'],
    suggestion,
  })
}

const SHOWN = 120
