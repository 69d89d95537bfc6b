/** Path patterns as text (rules.md §1, §4): read and checked once, when a policy loads. */

import { ConfigError } from '../../../core/errors.js'
import { PATH_CLASSES, type PathClass } from '../classes.js'
import { expandBraces } from './braces.js'
import { endOfRun, pushLiteral, type Token } from './text.js'

/** A path pattern as written: one class, or the alternatives of its braces. */
export type PathPattern =
  | { readonly kind: 'class'; readonly name: PathClass }
  | { readonly kind: 'globs'; readonly globs: readonly PathGlob[] }

/** One alternative: segments of tokens, and what stands before them. */
export interface PathGlob {
  readonly base: 'root' | 'home' | 'workspace' | 'anywhere'
  /** `/`-separated; separators are literal tokens. */
  readonly tokens: readonly Token[]
}

/** Reads a path pattern. Throws `ConfigError malformed_rule`. */
export function parsePathPattern(pattern: string): PathPattern {
  if (pattern.endsWith(':*')) {
    throw malformed(pattern, 'a path takes no `:*`', `${pattern.slice(0, -2)}/**`)
  }
  if (pattern.startsWith('@')) return { kind: 'class', name: classNamed(pattern) }
  return { kind: 'globs', globs: expandBraces(pattern).map(readGlob) }
}

function classNamed(pattern: string): PathClass {
  const name = PATH_CLASSES.find((known) => known === pattern)
  if (name !== undefined) return name
  throw new ConfigError('malformed_rule', `\`${pattern}\` is no path class`, {
    allowed: PATH_CLASSES,
    suggestion: pattern.includes('/') ? `./${pattern}` : undefined,
  })
}

function readGlob(pattern: string): PathGlob {
  const { base, rest } = baseOf(pattern)
  const tokens: Token[] = []
  let runs = 0
  for (let at = 0; at < rest.length;) {
    const piece = pieceAt(rest, at, isSegmentStart(tokens))
    if (piece.token.kind === 'run' || piece.token.kind === 'all') runs += 1
    if (runs > 4) throw malformed(pattern, 'more than four `*` in one segment', undefined)
    if (piece.token.kind === 'literal') pushLiteral(tokens, piece.token.text)
    else tokens.push(piece.token)
    if (isSegmentStart([piece.token])) runs = 0
    at = piece.end
  }
  return { base, tokens: withTail(normalSegments(pattern, tokens)) }
}

function baseOf(pattern: string): Pick<PathGlob, 'base'> & { readonly rest: string } {
  if (/^~(?=$|[\\/])/.test(pattern)) return { base: 'home', rest: pattern.slice(1) }
  if (pattern.startsWith('~')) {
    throw malformed(pattern, 'only `~` and `~/…` name a home directory', `./${pattern}`)
  }
  if (pattern.startsWith('**')) return { base: 'anywhere', rest: pattern }
  if (/^[\\/]|^[A-Za-z]:(?=[\\/]|$)/.test(pattern) && !/^\\[()]/.test(pattern)) {
    return { base: 'root', rest: pattern }
  }
  return { base: 'workspace', rest: pattern }
}

function pieceAt(
  text: string,
  at: number,
  startsSegment: boolean,
): { readonly token: Token; readonly end: number } {
  const char = text.charAt(at)
  const bracketed = /^\[[*?]\]/.exec(text.slice(at, at + 3))
  if (bracketed !== null) return literal(text.charAt(at + 1), at + 3)
  if (char === '\\') {
    const next = text.charAt(at + 1)
    return next !== '' && '()\\'.includes(next) ? literal(next, at + 2) : literal('/', at + 1)
  }
  if (char === '?') return { token: { kind: 'one' }, end: at + 1 }
  if (char !== '*') return literal(char, at + 1)
  const end = endOfRun(text, at)
  if (end - at === 1) return { token: { kind: 'run' }, end }
  const separated = text.charAt(end) === '/' || /^\\(?![()\\])/.test(text.slice(end))
  return separated && startsSegment
    ? { token: { kind: 'folders' }, end: end + 1 }
    : { token: { kind: 'all' }, end }
}

function literal(text: string, end: number): { readonly token: Token; readonly end: number } {
  return { token: { kind: 'literal', text }, end }
}

function isSegmentStart(tokens: readonly Token[]): boolean {
  const last = tokens.at(-1)
  if (last === undefined || last.kind === 'folders') return true
  return last.kind === 'literal' && last.text.endsWith('/')
}

/** Separators and `.` fold as they do in subjects. A `..` behind a wildcard leads nowhere certain. */
function normalSegments(pattern: string, tokens: readonly Token[]): readonly Token[] {
  return tokens.map((token, index) => {
    if (token.kind !== 'literal') return token
    const text = token.text.replace(/\/{2,}/g, '/').replace(/(?<=\/)(?:\.\/)+/g, '')
    if (index > 0 && /(?:^|\/)\.\.(?:\/|$)/.test(text)) {
      throw malformed(pattern, 'a `..` behind a wildcard', undefined)
    }
    const isEnd = index > 0 && index === tokens.length - 1
    return { kind: 'literal', text: isEnd ? text.replace(/\/$/, '') : text }
  })
}

/** A final `/**` means something below the folder: at least one character. */
function withTail(tokens: readonly Token[]): readonly Token[] {
  const last = tokens.at(-1)
  const before = tokens.at(-2)
  const open = before === undefined || (before.kind === 'literal' && before.text.endsWith('/'))
  return last?.kind === 'all' && open && before !== undefined
    ? [...tokens.slice(0, -1), { kind: 'any' }, last]
    : tokens
}

function malformed(pattern: string, why: string, suggestion: string | undefined): ConfigError {
  return new ConfigError('malformed_rule', `\`${pattern}\`: ${why}`, { suggestion })
}
