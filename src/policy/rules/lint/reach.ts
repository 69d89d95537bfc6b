/** Allows that another axis of the same policies denies whatever they say (pipeline.md §2, §4). */

import type { Capability } from '../../../core/capability.js'
import type { PolicyAxes } from '../../effective-policy.js'
import { nearest } from '../../nearest.js'
import { hasWildcard, isMcp, toolMatcher } from '../tool-names.js'
import { LEGACY_MODES } from '../grammar.js'
import type { Finding } from './finding.js'
import { findingAt, type LintRule } from './read-source.js'
import { rewritten, ruleText } from './rule-text.js'

/** Findings of one allow rule or whitelist entry under the axes of all policies together. */
export function reachFindings(one: LintRule, axes: PolicyAxes): readonly Finding[] {
  const { tool } = one.match.parsed
  const why = one.rule.effect === 'allow' && !hasWildcard(tool) ? unreachable(one, axes) : null
  if (why === null) return []
  return [findingAt(one.source, one.path, { id: 'unreachable', message: why, rule: ruleText(one) })]
}

/** A name that no built-in tool has and that is close to one. */
export function nameFindings(one: LintRule): readonly Finding[] {
  const { tool, pattern } = one.match.parsed
  if (hasWildcard(tool) || isMcp(tool) || tool in NEEDED || LEGACY_MODES.has(tool)) return []
  const meant = nearest(tool, Object.keys(NEEDED))
  if (meant === undefined) return []
  const suggestion = rewritten(one, pattern === null ? meant : `${meant}(${pattern})`)
  const message = `\`${tool}\` is no built-in tool; \`${meant}\` is one`
  return [
    findingAt(one.source, one.path, {
      id: 'unknown-tool',
      message,
      rule: ruleText(one),
      suggestion,
    }),
  ]
}

/** What every call of a built-in tool needs (rules.md §3). */
const NEEDED: { readonly [T in string]?: Capability } = {
  read: 'fs.read',
  ls: 'fs.read',
  search: 'fs.read',
  write: 'fs.write',
  edit: 'fs.write',
  patch: 'fs.write',
  download: 'fs.write',
  bash: 'process.exec',
  agent: 'agent.spawn',
  delegate: 'agent.delegate',
  web_fetch: undefined,
}

function unreachable(one: LintRule, axes: PolicyAxes): string | null {
  const { tool } = one.match.parsed
  const needed = NEEDED[tool]
  if (needed !== undefined && !axes.capabilities.includes(needed)) {
    return `every call of \`${tool}\` needs \`${needed}\`, which the policy does not grant`
  }
  if (!isMcp(tool) && !isInScope(tool, axes)) return '`tools` leaves this tool out'
  if (tool === 'web_fetch' && axes.network.mode === 'off') return '`network` is off'
  const program = programOf(one)
  if (program !== null && axes.commands?.includes(program) === false) {
    return `\`commands\` does not name \`${program}\``
  }
  return null
}

function isInScope(tool: string, { tools }: PolicyAxes): boolean {
  const named = (patterns: readonly string[]): boolean =>
    patterns.some((pattern) => toolMatcher(pattern)?.(tool) === true)
  return (tools.only === null || named(tools.only)) && !named(tools.exclude)
}

/** The one program that a pattern of commands names; `null` where it is not a plain name. */
function programOf({ match }: LintRule): string | null {
  const [tokens, more] = match.text ?? []
  const first = tokens?.[0]
  if (match.parsed.tool !== 'bash' || first?.kind !== 'literal') return null
  const [word = '', rest] = first.text.split(' ', 2)
  const isWhole = rest !== undefined || tokens?.length === 1 || more !== undefined
  return isWhole && /^[\w.+-]+$/.test(word) ? word : null
}
