/** `Tool(pattern)` or bare `Tool`: the text of a rule, an exception or a whitelist entry (rules.md §1). */

import { ConfigError } from '../../core/errors.js'
import { hasWildcard, isMcp, NAME_GRAMMAR, toolMatcher } from './tool-names.js'

/** What kind of subject a tool's pattern is matched against; `any` goes by each subject's own kind. */
export type PatternKind = 'command' | 'path' | 'host' | 'text' | 'any'

/** A match text, taken apart and checked as far as its form goes. */
export interface ParsedMatch {
  readonly text: string
  /** Lower case; legacy names already stand as `search`. */
  readonly tool: string
  /** `null` when any argument matches: a bare name or a lone `*`. */
  readonly pattern: string | null
  readonly kind: PatternKind
}

/** Takes a match text apart. Throws `ConfigError malformed_rule`. */
export function parseMatch(text: string): ParsedMatch {
  if (text.length > LONGEST) throw malformed(text.slice(0, 64), 'longer than 4,096 characters')
  const open = text.indexOf('(')
  const name = open === -1 ? text : text.slice(0, open)
  if (toolMatcher(name) === null) throw noTool(text, name)
  const tool = name.toLowerCase()
  if (open === -1) return parsed(text, tool, null)
  if (hasWildcard(tool) && !isMcp(tool)) {
    throw malformed(text, 'a tool name with wildcards takes no pattern', name)
  }
  return parsed(text, tool, patternOf(text, open))
}

/** The kind of a tool's patterns, by its name in lower case. */
export function patternKind(tool: string): PatternKind {
  if (isMcp(tool)) return 'text'
  return KINDS.get(tool) ?? 'any'
}

/** Names that stand for `search` in one mode. */
export const LEGACY_MODES: ReadonlySet<string> = new Set(['grep', 'glob', 'bm25'])

const LONGEST = 4096

const KINDS: ReadonlyMap<string, PatternKind> = new Map([
  ['bash', 'command'],
  ...['read', 'ls', 'write', 'edit', 'patch', 'download'].map((name) => [name, 'path'] as const),
  ['web_fetch', 'host'],
  ...['search', 'agent', 'delegate'].map((name) => [name, 'text'] as const),
])

function parsed(text: string, tool: string, given: string | null): ParsedMatch {
  const pattern = given === '*' ? null : given
  if (!LEGACY_MODES.has(tool)) return { text, tool, pattern, kind: patternKind(tool) }
  return { text, tool: 'search', pattern: `${tool} ${pattern ?? '**'}`, kind: 'text' }
}

/** First `(` to the final `)`; inner parentheses balance unless escaped. */
function patternOf(text: string, open: number): string {
  let depth = 0
  for (let at = open; at < text.length; at += 1) {
    const char = text.charAt(at)
    if (char === '\\' && '()\\'.includes(text.charAt(at + 1)) && at + 1 < text.length) at += 1
    else if (char === '(') depth += 1
    else if (char === ')') depth -= 1
    if (depth === 0 && at < text.length - 1) {
      throw malformed(text, 'text after the closing parenthesis')
    }
  }
  if (depth !== 0) throw malformed(text, 'unbalanced parentheses')
  const pattern = text.slice(open + 1, -1)
  if (pattern.trim() === '') throw malformed(text, 'an empty pattern', text.slice(0, open))
  return pattern
}

function noTool(text: string, name: string): ConfigError {
  const trimmed = text.trim()
  if (name === '') return malformed(text, 'no tool name')
  return new ConfigError('malformed_rule', `\`${text}\`: \`${name}\` names no tool`, {
    allowed: [NAME_GRAMMAR],
    suggestion: trimmed !== text && trimmed !== '' ? trimmed : undefined,
  })
}

function malformed(text: string, why: string, suggestion?: string): ConfigError {
  return new ConfigError('malformed_rule', `\`${text}\`: ${why}`, {
    allowed: ['Tool', 'Tool(pattern)'],
    suggestion,
  })
}
