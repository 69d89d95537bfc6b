/** A rule as its author may write it, and other rules in its place. */

import { ConfigError } from '../../../core/errors.js'
import { compileMatch, type CompiledMatch } from '../match.js'
import { coversMatch } from './cover/covers.js'
import type { LintRule } from './read-source.js'

/** `<effect> <match>`; a whitelist entry is its match. */
export function ruleText({ rule, isEntry }: LintRule): string {
  return textWith({ rule, isEntry }, rule.match)
}

/** The same with another match; `null` when that does not load. */
export function rewritten(one: LintRule, match: string): string | null {
  return compiledOrNull(match) === null ? null : textWith(one, match)
}

/** As `rewritten`; `null` as well when the new match does not cover what the old one does. */
export function widened(one: LintRule, match: string): string | null {
  const next = compiledOrNull(match)
  const claim = one.rule.effect === 'allow' ? 'proof_in_proof' : 'suspicion_in_suspicion'
  return next !== null && coversMatch(next, one.match, claim) ? textWith(one, match) : null
}

/** `null` for a text that is no match. */
export function compiledOrNull(match: string): CompiledMatch | null {
  try {
    return compileMatch(match)
  } catch (error) {
    // Nothing is suggested.
    if (error instanceof ConfigError) return null
    throw error
  }
}

function textWith({ rule, isEntry }: Pick<LintRule, 'rule' | 'isEntry'>, match: string): string {
  return isEntry ? match : `${rule.effect} ${match}`
}
