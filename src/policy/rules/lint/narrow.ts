/** Denies and asks of one writing tool, where every way to write was meant (rules.md §3). */

import { coversMatch } from './cover/covers.js'
import type { Finding } from './finding.js'
import { findingAt, type LintRule } from './read-source.js'
import { compiledOrNull, ruleText } from './rule-text.js'

/** Findings of all rules; a rule for `write` that covers one of them answers it. */
export function narrowFindings(rules: readonly LintRule[]): readonly Finding[] {
  const strict = rules.filter(({ rule }) => rule.effect !== 'allow')
  const wide = strict.filter(
    ({ match, rule }) => match.parsed.tool === 'write' && rule.except.length === 0,
  )
  return strict.flatMap((one) => {
    const { tool, pattern } = one.match.parsed
    if (!['edit', 'patch', 'download'].includes(tool) || pattern === null) return []
    const text = `write(${pattern})`
    const meant = compiledOrNull(text)
    const isCovered = wide.some(
      ({ match }) => meant !== null && coversMatch(match, meant, 'suspicion_in_suspicion'),
    )
    if (meant === null || isCovered) return []
    const message = `meets calls of \`${tool}\` only; a rule for \`write\` meets every way to write the file`
    const suggestion = `${one.rule.effect} ${text}`
    return [
      findingAt(one.source, one.path, {
        id: 'narrow-deny',
        message,
        rule: ruleText(one),
        suggestion,
      }),
    ]
  })
}
