/** Path patterns as text (rules.md §1, §4): read and checked once, when a policy loads. */

import type { ConfigError } from '../../../core/errors.js'
import { nearest } from '../../nearest.js'
import { PATH_CLASSES, type PathClass } from '../classes.js'
import { expandBraces } from './braces.js'
import { malformedPattern, type PatternFault, type PatternPlace } from './malformed.js'
import { baseOf, type PathBase } from './path-base.js'
import { endOfRun, pushLiteral, type Token } from './text.js'

/** A path pattern as written: one class, or the alternatives of its braces. */
export type PathPattern =
  | { readonly kind: 'class'; readonly name: PathClass }
  | { readonly kind: 'globs'; readonly globs: readonly PathGlob[] }

/** One alternative: segments of tokens, and what stands before them. */
export interface PathGlob {
  readonly base: PathBase['base']
  /** `/`-separated; separators are literal tokens. */
  readonly tokens: readonly Token[]
}

/** Reads a path pattern; `place` is where it stands in a rule. Throws `ConfigError malformed_rule`. */
export function parsePathPattern(
  pattern: string,
  place: PatternPlace = { text: pattern, from: 0 },
): PathPattern {
  if (pattern.endsWith(':*')) {
    throw malformedPattern(place, 'a path takes no `:*`', {
      at: pattern.length - 2,
      allowed: ['dir/**', 'dir/*'],
      suggestion: `${pattern.slice(0, -2)}/**`,
    })
  }
  if (pattern.includes('\0')) {
    throw malformedPattern(place, 'no path holds a NUL', { at: pattern.indexOf('\0') })
  }
  if (pattern.startsWith('@')) return { kind: 'class', name: classNamed(pattern, place) }
  const alternatives = expandBraces(pattern, place)
  const refuse: Refuse = (why, fault) =>
    // Written out, an alternative stands nowhere in the rule: the whole pattern is pointed at.
    malformedPattern(place, why, alternatives.length === 1 ? fault : { allowed: fault?.allowed })
  return { kind: 'globs', globs: alternatives.map((glob) => readGlob(glob, refuse)) }
}

function classNamed(pattern: string, place: PatternPlace): PathClass {
  const name = PATH_CLASSES.find((known) => known === pattern)
  if (name !== undefined) return name
  const slash = pattern.search(/[\\/]/)
  const rest = pattern.slice(slash + 1)
  throw malformedPattern(place, `\`${pattern}\` is no path class`, {
    allowed: PATH_CLASSES,
    suggestion:
      slash === -1
        ? nearest(pattern, PATH_CLASSES)
        : (FOLDERS[pattern.slice(0, slash)] ?? `./${pattern.slice(0, slash)}/`) + rest,
  })
}

/** How the folder of a class begins a pattern. */
const FOLDERS: Readonly<Record<string, string>> = {
  '@workspace': '',
  '@home': '~/',
  '@tmp': '/tmp/',
}

/** Says what is wrong with the pattern that is being read. */
type Refuse = (why: string, fault?: PatternFault) => ConfigError

function readGlob(pattern: string, refuse: Refuse): PathGlob {
  const { base, rest } = baseOf(pattern, refuse)
  const tokens: Token[] = []
  let runs = 0
  for (let at = 0; at < rest.length;) {
    const piece = pieceAt(rest, at, isSegmentStart(tokens))
    if (piece.token.kind === 'run' || piece.token.kind === 'all') runs += 1
    if (runs > MOST_RUNS) {
      throw refuse('more than four `*` in one segment', {
        at: pattern.length - rest.length + at,
        allowed: ['at most four `*` between two `/`'],
      })
    }
    if (piece.token.kind === 'literal') pushLiteral(tokens, piece.token.text)
    else tokens.push(piece.token)
    if (isSegmentStart([piece.token])) runs = 0
    at = piece.end
  }
  return { base, tokens: withTail(normalSegments(tokens, refuse)) }
}

const MOST_RUNS = 4

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
function normalSegments(tokens: readonly Token[], refuse: Refuse): readonly Token[] {
  return tokens.map((token, index) => {
    if (token.kind !== 'literal') return token
    const text = token.text.replace(/\/{2,}/g, '/').replace(/(?<=\/)(?:\.\/)+/g, '')
    if (index > 0 && /(?:^|\/)\.\.(?:\/|$)/.test(text)) {
      throw refuse('a `..` behind a wildcard', { allowed: ['`..` before the first `*` or `?`'] })
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
