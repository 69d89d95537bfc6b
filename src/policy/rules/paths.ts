/** Path patterns bound to the folders of a workspace (rules.md §4). */

import type { Roots } from '../../core/facts.js'
import { foldForProof, foldForSuspicion, foldLetters } from './compare.js'
import { isAbsolute, normalFolder } from './path-forms.js'
import type { PathGlob } from './patterns/path-pattern.js'
import { matchesTokens, type Token } from './patterns/text.js'

/** A glob with its folder in front, compiled for both kinds of comparison. */
export interface BoundGlob {
  /** True without any wildcard: it names one exact path. */
  readonly exact: boolean
  /** Absolute: the literal folders (or the whole exact path) that the pattern starts with; `null` for none. */
  readonly leading: string | null
  /** Absolute, as it is spelt. */
  readonly tokens: readonly Token[]
  /** What `proves` and `suspects` compare, folded; the index takes its anchors from nothing else. */
  readonly proof: readonly Token[]
  readonly suspicions: readonly (readonly Token[])[]
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
    tokens,
    proof,
    suspicions,
    proves: (form) => matchesTokens(proof, foldForProof(form, roots.platform)),
    suspects: (form) => {
      const spelt = suspectedSpellings(form)
      return suspicions.some((glob) => spelt.some((text) => matchesTokens(glob, text)))
    },
  }
}

/**
 * The texts of a form that suspicion compares: a pattern may hold the very endings that a volume would
 * drop, and its star may begin where a letter was composed.
 */
export function suspectedSpellings(form: string): readonly string[] {
  const letters = foldLetters(form)
  const apart = letters.normalize('NFD')
  return [letters, foldForSuspicion(form), ...(apart === letters ? [] : [apart])]
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
    case 'share':
      return under(platform === 'win32' ? '/' : '', tokens, roots)
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
  const folder = first.text.slice(0, Math.max(end, 0))
  // A drive, a server and a share are no links.
  return /^(?:[A-Za-z]:|\/(?:\/[^/]*){0,2})?$/.test(folder) ? null : folder
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
