/** Tool names in rules, scopes and whitelists (rules.md §1): case never counts, `mcp__server` ends at its boundary. */

import { ConfigError } from '../../core/errors.js'
import { mcpPair } from '../../core/names/tool-name.js'
import { compileText, matchesTokens, type Token } from './patterns/text.js'

/** Decides whether a name pattern names a tool; `null` when the text is no name pattern. */
export function toolMatcher(pattern: string): ((tool: string) => boolean) | null {
  if (!NAME_PATTERN.test(pattern)) return null
  const folded = pattern.toLowerCase()
  const pair = mcpPair(folded)
  if (pair === null) {
    const matches = globMatcher(folded)
    return (name) => matches(name.toLowerCase())
  }
  const { server, tool } = pair
  // `mcp__` and `mcp__a__` name nothing: a deny by them would never meet a call.
  if (server === '' || tool === '') return null
  const namesServer = globMatcher(server)
  const namesTool = tool === null ? () => true : globMatcher(tool)
  return (name) => {
    const asked = mcpPair(name.toLowerCase())
    return asked !== null && namesServer(asked.server) && namesTool(asked.tool ?? '')
  }
}

/** The same, for a text that `toolMatcher` is known to take. Throws `ConfigError malformed_rule`. */
export function requireToolMatcher(pattern: string): (tool: string) => boolean {
  const matcher = toolMatcher(pattern)
  if (matcher === null) {
    throw new ConfigError('malformed_rule', `\`${pattern}\` names no tool`, {
      allowed: [NAME_GRAMMAR],
    })
  }
  return matcher
}

/** True when every tool that `inner` names is named by `outer`; false when that cannot be shown. */
export function coversNames(outer: string, inner: string): boolean {
  const left = outer.toLowerCase()
  const right = inner.toLowerCase()
  if (left === right) return true
  const matcher = toolMatcher(left)
  if (matcher === null) return false
  if (!hasWildcard(right)) return matcher(right)
  // A star replaced by a letter that no pattern holds: the outer pattern matches it only with a star
  // of its own, unless it has a `?`, which would take the letter for one character.
  return !left.includes('?') && matcher(right.replace(/\*+/g, FRESH_STAR).replace(/\?/g, FRESH_ONE))
}

/** True for names with `*` or `?`. */
export function hasWildcard(name: string): boolean {
  return /[*?]/.test(name)
}

/** True for names of tools of connected servers. */
export function isMcp(name: string): boolean {
  return mcpPair(name) !== null
}

/** What a tool name in a policy may be made of, for messages. */
export const NAME_GRAMMAR = 'letters, digits, `_`, `.`, `-`, `*` and `?`'

const NAME_PATTERN = /^[A-Za-z0-9_.*?-]{1,256}$/
const FRESH_STAR = '\u{e000}'
const FRESH_ONE = '\u{e001}'

function globMatcher(pattern: string): (name: string) => boolean {
  if (!hasWildcard(pattern)) return (name) => name === pattern
  const tokens: readonly Token[] = compileText(pattern)
  return (name) => matchesTokens(tokens, name)
}
