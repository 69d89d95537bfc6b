/** Path patterns (rules.md §1, §4): read once from text, then bound to the folders of a workspace. */

import { ConfigError } from '../../core/errors.js'
import type { Roots } from '../../core/facts.js'
import { foldForProof, foldForSuspicion, foldLetters } from './compare.js'
import { expandBraces } from './braces.js'
import { PATH_CLASSES, type PathClass } from './classes.js'
import { isAbsolute, normalFolder } from './path-forms.js'
import { endOfRun, matchesTokens, pushLiteral, type Token } from './text.js'

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

/** A glob with its folder in front, compiled for both kinds of comparison. */
export interface BoundGlob {
  /** True without any wildcard: it names one exact path. */
  readonly exact: boolean
  /** Absolute: the literal folders (or the whole exact path) that the pattern starts with; `null` for none. */
  readonly leading: string | null
  readonly proves: (form: string) => boolean
  /** Also tried with `leading` replaced by where it really leads. */
  readonly suspects: (form: string) => boolean
}

/** Puts a glob under its folder. `realFolders` says where leading folders lead; absent: as spelt. */
export function bindGlob(
  glob: PathGlob,
  roots: Roots,
  realFolders: ReadonlyMap<string, string>,
): BoundGlob {
  const tokens = absoluteTokens(glob, roots)
  const exact = tokens.every((token) => token.kind === 'literal')
  const leading = leadingOf(tokens, exact)
  const real = leading === null ? undefined : realFolders.get(leading)
  const spellings = [tokens]
  if (leading !== null && real !== undefined && real !== leading) {
    spellings.push(replaceLeading(tokens, leading, normalFolder(real, roots.platform)))
  }
  const proof = mapLiterals(tokens, (text) => foldForProof(text, roots.platform))
  const suspicions = spellings.flatMap(withFolderItself).map(foldTokens)
  return {
    exact,
    leading,
    proves: (form) => matchesTokens(proof, foldForProof(form, roots.platform)),
    suspects: (form) => {
      const folded = foldForSuspicion(form)
      return suspicions.some((spelling) => matchesTokens(spelling, folded))
    },
  }
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

function absoluteTokens(glob: PathGlob, roots: Roots): readonly Token[] {
  const { platform } = roots
  const tokens =
    platform === 'win32'
      ? mapLiterals(glob.tokens, (text) => text.replace(/\\/g, '/'))
      : glob.tokens
  switch (glob.base) {
    case 'anywhere':
      return tokens
    case 'root':
      return under('', tokens, roots)
    case 'home':
      return under(normalFolder(roots.home, platform), slashed(tokens), roots)
    case 'workspace':
      return under(normalFolder(roots.workspace, platform), slashed(tokens), roots)
  }
}

function slashed(tokens: readonly Token[]): readonly Token[] {
  const [first, ...rest] = tokens
  if (first === undefined) return tokens
  if (first.kind !== 'literal') return [{ kind: 'literal', text: '/' }, ...tokens]
  return first.text.startsWith('/')
    ? tokens
    : [{ kind: 'literal', text: `/${first.text}` }, ...rest]
}

/** Joins folder and tokens, and folds `.` and `..` of the literal start as subjects are folded. */
function under(folder: string, tokens: readonly Token[], roots: Roots): readonly Token[] {
  const first = tokens[0]
  if (first?.kind !== 'literal') return [{ kind: 'literal', text: folder }, ...tokens]
  const whole = folder + first.text
  const last = whole.lastIndexOf('/')
  const complete = tokens.length === 1 ? whole : whole.slice(0, last)
  const rest = tokens.length === 1 ? '' : whole.slice(last)
  const start = isAbsolute(complete, roots.platform)
    ? normalFolder(complete, roots.platform)
    : complete
  const joined = start.endsWith('/') ? start + rest.slice(1) : start + rest
  return [{ kind: 'literal', text: joined }, ...tokens.slice(1)]
}

function leadingOf(tokens: readonly Token[], exact: boolean): string | null {
  const first = tokens[0]
  if (first?.kind !== 'literal') return null
  if (exact) return first.text
  const end = first.text.lastIndexOf('/')
  return end <= 0 ? null : first.text.slice(0, end)
}

function replaceLeading(tokens: readonly Token[], leading: string, real: string): readonly Token[] {
  const first = tokens[0]
  if (first?.kind !== 'literal') return tokens
  const text = real.replace(/\/$/, '') + first.text.slice(leading.length)
  return [{ kind: 'literal', text }, ...tokens.slice(1)]
}

/** For deny and ask `dir/**` means `dir` as well. */
function withFolderItself(tokens: readonly Token[]): readonly (readonly Token[])[] {
  const before = tokens.at(-3)
  const isTail = tokens.at(-1)?.kind === 'all' && tokens.at(-2)?.kind === 'any'
  if (!isTail || before?.kind !== 'literal' || !before.text.endsWith('/')) return [tokens]
  const folder = before.text === '/' && tokens.length === 3 ? '/' : before.text.slice(0, -1)
  return [tokens, [...tokens.slice(0, -3), { kind: 'literal', text: folder }]]
}

function mapLiterals(tokens: readonly Token[], map: (text: string) => string): readonly Token[] {
  return tokens.map((token) =>
    token.kind === 'literal' ? { kind: 'literal', text: map(token.text) } : token,
  )
}

/** Only the end of the last literal ends a name for certain. */
function foldTokens(tokens: readonly Token[]): readonly Token[] {
  const folded = mapLiterals(tokens, foldLetters)
  if (folded.length !== 1) return folded
  return mapLiterals(folded, foldForSuspicion)
}

function malformed(pattern: string, why: string, suggestion: string | undefined): ConfigError {
  return new ConfigError('malformed_rule', `\`${pattern}\`: ${why}`, { suggestion })
}
