/** Exceptions that take out everything, or nothing (rules.md §1, §2). */

import type { CompiledMatch } from '../match.js'
import { coversNames, hasWildcard } from '../tool-names.js'
import { coversMatch } from './cover/covers.js'
import type { Finding } from './finding.js'
import { findingAt, type LintRule } from './read-source.js'
import { ruleText } from './rule-text.js'

/** Findings of one rule's exceptions. */
export function exceptFindings(one: LintRule): readonly Finding[] {
  return one.except.flatMap((except) => {
    const said = removesAll(except, one) ?? isUnused(except, one)
    if (said === null) return []
    return [findingAt(one.source, one.path, { ...said, rule: ruleText(one) })]
  })
}

type Said = { readonly id: Finding['id']; readonly message: string } | null

/** On an allow suspicion takes out, on a deny or an ask only proof does. */
function removesAll(except: CompiledMatch, { rule, match }: LintRule): Said {
  const { text, tool } = except.parsed
  if (!coversNames(tool, match.parsed.tool)) return null
  if (rule.effect === 'allow') {
    if (!coversMatch(except, match, 'proof_in_suspicion')) return null
    return { id: 'except-removes-all', message: `the exception \`${text}\` takes everything out` }
  }
  if (!coversMatch(except, match, 'proof_in_proof')) return null
  const message = `the exception \`${text}\` takes out all that is proved to match; only what cannot be proved is still met`
  return { id: 'except-removes-all', message }
}

/** An exception is asked about calls of the tools that it names, and of its rule's own name. */
function isUnused(except: CompiledMatch, { rule, match }: LintRule): Said {
  const own = match.parsed.tool
  const other = except.parsed.tool
  if (own === other || hasWildcard(own) || hasWildcard(other)) return null
  // A whole-shell allow covers redirections, and its exceptions are asked about them.
  const { pattern, kind } = except.parsed
  if (own === 'bash' && (pattern === null || kind === 'path' || kind === 'any')) return null
  // These rules also see subjects of other tools.
  const isWide = own === 'web_fetch' || (rule.effect !== 'allow' && /^(?:read|write)$/.test(own))
  if (isWide || own.startsWith('mcp__') || (rule.effect === 'allow' && own === 'write')) return null
  const message = `the exception \`${except.parsed.text}\` is about \`${other}\`, the rule about \`${own}\``
  return { id: 'except-unused', message }
}
