/** `Tool(pattern)` or bare `Tool`: the text of a rule, an exception or a whitelist entry (rules.md §1). */

import type { ConfigError } from '../../core/errors.js'
import { malformedRule } from './patterns/malformed.js'
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

/** Takes a match text apart. Throws `ConfigError malformed_rule` with the column in the text. */
export function parseMatch(text: string): ParsedMatch {
  if (text.length > LONGEST) {
    throw malformedRule(text, `longer than ${LONGEST} characters`, { at: LONGEST })
  }
  const open = text.indexOf('(')
  const name = open === -1 ? text : text.slice(0, open)
  if (toolMatcher(name) === null) throw noTool(text, name)
  const tool = name.toLowerCase()
  if (open === -1) return parsed(text, tool, null)
  if (hasWildcard(tool) && !isMcp(tool)) {
    throw malformedRule(text, 'a tool name with wildcards takes no pattern', {
      at: open,
      suggestion: name,
    })
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
  const opened: number[] = []
  for (let at = open; at < text.length; at += 1) {
    const char = text.charAt(at)
    if (char === '\\' && '()\\'.includes(text.charAt(at + 1)) && at + 1 < text.length) at += 1
    else if (char === '(') opened.push(at)
    else if (char === ')') opened.pop()
    if (opened.length === 0 && at < text.length - 1) {
      throw malformedRule(text, 'text after the closing parenthesis', {
        at: at + 1,
        suggestion: text.slice(0, at + 1),
      })
    }
  }
  const unclosed = opened.at(-1)
  if (unclosed !== undefined) {
    const suggestion = text + ')'.repeat(opened.length)
    throw malformedRule(text, 'unbalanced parentheses', { at: unclosed, suggestion })
  }
  const pattern = text.slice(open + 1, -1)
  if (pattern.trim() !== '') return pattern
  throw malformedRule(text, 'an empty pattern', { at: open, suggestion: text.slice(0, open) })
}

function noTool(text: string, name: string): ConfigError {
  if (name === '') return malformedRule(text, 'no tool name')
  const at = Math.max(name.search(/[^A-Za-z0-9_.*?-]/), 0)
  return malformedRule(text, `\`${name.slice(0, 64)}\` names no tool`, {
    at,
    allowed: [NAME_GRAMMAR],
    suggestion: meantBy(text),
  })
}

/** Without blanks around it, or with parentheses where a colon or a blank stands: `bash:ls`. */
function meantBy(text: string): string | undefined {
  const trimmed = text.trim()
  if (/^mcp__(?:[^_]+__)?$/i.test(trimmed)) return `${trimmed}*`
  const [, tool, rest = ''] = /^([A-Za-z0-9_.*?-]+)[: ](.+)$/s.exec(trimmed) ?? []
  const meant = tool === undefined ? trimmed : `${tool}(${rest.trim()})`
  return meant !== text && /^[A-Za-z0-9_.*?-]+(?:\(.+\))?$/s.test(meant) ? meant : undefined
}
