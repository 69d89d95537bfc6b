/** Patterns that end in one star where more was meant (rules.md §1, §2): `*` stops at a slash. */

import type { Token } from '../patterns/text.js'
import type { Finding } from './finding.js'
import { findingAt, type LintRule } from './read-source.js'
import { rewritten, ruleText, widened } from './rule-text.js'

/** Findings of one rule or whitelist entry. */
export function starFindings(one: LintRule): readonly Finding[] {
  const { parsed, path, host } = one.match
  switch (parsed.kind) {
    case 'command':
    case 'text':
      return textStar(one)
    case 'path':
      return path?.kind === 'globs' ? pathStar(one, path.globs[0]?.tokens ?? []) : []
    case 'host':
      return endsInRun(host?.path ?? []) ? [shortStar(one, `${parsed.text.slice(0, -1)}*)`)] : []
    case 'any':
      return []
  }
}

function textStar(one: LintRule): readonly Finding[] {
  const { text, parsed } = one.match
  const [tokens, second] = text ?? []
  if (tokens === undefined || second !== undefined || parsed.pattern === null) return []
  const stem = stemOf(tokens)
  const isProgram = parsed.kind === 'command' && stem !== null && !stem.includes(' ')
  if (isProgram && one.rule.effect === 'allow') {
    const message = `also covers every program whose name begins with \`${stem}\``
    const suggestion = rewritten(one, `${parsed.tool}(${stem}:*)`)
    return [at(one, 'word-break', message, suggestion)]
  }
  if (!endsInRun(tokens)) return []
  const open = parsed.pattern.slice(0, -1)
  const prefix = /\s$/.test(open) ? `${open.trim()}:*` : `${open}**`
  return [shortStar(one, matchText(one, prefix))]
}

/** `dir/*` may be meant in an allow; in a deny it leaves open what lies deeper. */
function pathStar(one: LintRule, tokens: readonly Token[]): readonly Finding[] {
  const before = tokens.at(-2)
  const isFolder =
    endsInRun(tokens) &&
    (before === undefined || (before.kind === 'literal' && before.text.endsWith('/')))
  const { parsed } = one.match
  if (!isFolder || parsed.pattern?.endsWith('*') !== true) return rootOnly(one)
  const suggestion = rewritten(one, matchText(one, `${parsed.pattern}*`))
  const id = one.rule.effect === 'allow' ? 'children-only' : 'open-star'
  return [at(one, id, 'means the direct children only, and nothing in their folders', suggestion)]
}

/** A name without a folder stands for one place, where many mean every file of that name. */
function rootOnly(one: LintRule): readonly Finding[] {
  const { parsed, path } = one.match
  if (one.rule.effect === 'allow' || path?.kind !== 'globs' || path.globs.length > 1) return []
  const isName = path.globs[0]?.base === 'workspace' && !/[/\\]/.test(parsed.pattern ?? '')
  if (!isName) return []
  const suggestion = rewritten(one, matchText(one, `**/${parsed.pattern ?? ''}`))
  return [at(one, 'root-only', 'means the workspace root only, no folder below it', suggestion)]
}

function shortStar(one: LintRule, match: string): Finding {
  const id = one.rule.effect === 'allow' ? 'short-star' : 'open-star'
  const effect =
    one.rule.effect === 'allow' ? 'does not cover' : 'does not meet, and so leaves open,'
  return at(one, id, `its last star ${effect} text with a \`/\` or a new line`, widened(one, match))
}

// eslint-disable-next-line max-params -- a finding's parts, in the order of its sentence
function at(one: LintRule, id: Finding['id'], message: string, suggestion: string | null): Finding {
  return findingAt(one.source, one.path, { id, message, rule: ruleText(one), suggestion })
}

function matchText({ match, rule }: LintRule, pattern: string): string {
  // Legacy names stand for `search`; what the author wrote is kept.
  return `${rule.match.slice(0, rule.match.indexOf('('))}(${legacyFree(match, pattern)})`
}

/** The mode that a legacy name stands for is no part of what its author wrote. */
function legacyFree({ parsed }: LintRule['match'], pattern: string): string {
  const name = parsed.text.slice(0, parsed.text.indexOf('(')).toLowerCase()
  return name === parsed.tool ? pattern : pattern.slice(name.length + 1)
}

function endsInRun(tokens: readonly Token[]): boolean {
  return tokens.length > 1 ? tokens.at(-1)?.kind === 'run' : tokens[0]?.kind === 'run'
}

/** The literal in front of a star that ends a pattern of nothing else; `null` for any other pattern. */
function stemOf(tokens: readonly Token[]): string | null {
  const [first, last, more] = tokens
  const isStar = last?.kind === 'run' || last?.kind === 'all'
  if (first?.kind !== 'literal' || !isStar || more !== undefined) return null
  return first.text
}
