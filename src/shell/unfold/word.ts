/** One word as bash would see it after quotes are removed, and what of it the text does not fix (rules.md §5). */

import { held } from '../operations/braces.js'
import type { Assignment, Word, WordPart } from '../parse.js'

export interface ShellWord {
  /** Without quotes; `${}`, `$()`, `$(())`, `<()`, `>()` stand for what is filled in later. */
  readonly text: string
  /** It holds something that is filled in later. */
  readonly dynamic: boolean
  /** That part is unquoted: it can become no word, or several. */
  readonly splits: boolean
  /** It begins with it, so it can turn out to be an option. */
  readonly opensDynamic: boolean
  /** It holds an unquoted glob, extended glob or brace expansion. */
  readonly pattern: boolean
  /** As a path: known variables and an unquoted tilde stay, what is literal cannot be taken for them. */
  readonly path: string
  /** `path` holds a part that nobody knows. */
  readonly pathUnknown: boolean
  readonly at: number
}

/** Reads a word of the tree. */
export function readWord(word: Word): ShellWord {
  const pieces =
    word.parts === undefined ? [plain(word)] : word.parts.flatMap((part) => readPart(part, false))
  const text = pieces.map((piece) => piece.text).join('')
  const tilde = word.text.startsWith('~') ? tildePath(text) : null
  return {
    text,
    dynamic: pieces.some((piece) => piece.dynamic),
    splits: pieces.some((piece) => piece.dynamic && !piece.quoted),
    opensDynamic: opens(pieces.find((piece) => piece.text !== '')),
    pattern: pieces.some((piece) => piece.pattern),
    path: tilde ?? pathOf(pieces),
    pathUnknown:
      (word.text.startsWith('~') && EARLIER_FOLDER.test(text)) ||
      pieces.some((piece, index) => piece.dynamic && (index > 0 || piece.folder === null)),
    at: word.pos,
  }
}

/** A number without a sign is no option. */
function opens(first: Piece | undefined): boolean {
  return first?.dynamic === true && !first.counts
}

/** A word that the text gives as it is. */
export function fixedWord(text: string, at: number): ShellWord {
  const base = { dynamic: false, splits: false, opensDynamic: false, pattern: false }
  return { ...base, text, path: literalPath(text), pathUnknown: false, at }
}

/** An assignment as one word, the way a command such as `export` is handed it. */
export function readAssignment(assignment: Assignment): ShellWord {
  const { name, index, append, value } = assignment
  const subscript = index === undefined ? '' : `[${readWord(index).text}]`
  const values = value.type === 'ArrayValue' ? value.elements.map(readWord) : [readWord(value)]
  const texts = values.map((word) => word.text).join(' ')
  const text = `${name}${subscript}${append === true ? '+' : ''}=${value.type === 'ArrayValue' ? `(${texts})` : texts}`
  const dynamic = values.some((word) => word.dynamic)
  return { ...fixedWord(text, assignment.pos), dynamic }
}

/** A run of characters of one kind. */
interface Piece {
  readonly text: string
  readonly dynamic: boolean
  readonly quoted: boolean
  readonly pattern: boolean
  /** `$HOME` and its like, which path forms know. */
  readonly folder: string | null
  /** It is the number of processors, so it splits into nothing. */
  readonly counts: boolean
}

const NO_TEXT = { text: '', dynamic: false, quoted: false, pattern: false } as const
const PLAIN: Piece = { ...NO_TEXT, folder: null, counts: false }
const COUNTS =
  /^\$\((?:nproc(?: --all)?|getconf _NPROCESSORS_ONLN|sysctl -n hw\.(?:ncpu|logicalcpu))\)$/

function plain(word: Word): Piece {
  return { ...PLAIN, text: word.value, quoted: !word.text.startsWith('~') }
}

function readPart(part: WordPart, quoted: boolean): readonly Piece[] {
  switch (part.type) {
    case 'Literal':
      return [{ ...PLAIN, text: part.value, quoted: quoted || part.text !== part.value }]
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return [{ ...PLAIN, text: part.value, quoted: true }]
    case 'DoubleQuoted':
    case 'LocaleString':
      return part.parts.flatMap((child) => readPart(child, true))
    case 'Glob':
    case 'ExtendedGlob':
      return [{ ...PLAIN, text: part.text, pattern: true }]
    case 'BraceExpansion':
      return readBraces(part)
    case 'SimpleExpansion':
      return [{ ...filled('${}', quoted), folder: knownFolder(part.text.slice(1)) }]
    case 'ParameterExpansion': {
      const isBare =
        part.operation === undefined && part.prefix === undefined && part.index === undefined
      return [{ ...filled('${}', quoted), folder: isBare ? knownFolder(part.parameter) : null }]
    }
    case 'CommandExpansion': {
      const counts = COUNTS.test(part.text)
      return [{ ...filled('$()', quoted || counts), counts }]
    }
    case 'ArithmeticExpansion':
      return [filled('$(())', quoted)]
    case 'ProcessSubstitution':
      return [filled(`${part.operator}()`, true)]
  }
}

/** Only what is neither quoted nor filled in later can be a brace or part two alternatives. */
function readBraces(part: Extract<WordPart, { type: 'BraceExpansion' }>): readonly Piece[] {
  const inner = part.parts?.flatMap(readInBraces) ?? [unescaped(part.text.slice(1, -1))]
  const brace = { ...PLAIN, pattern: true }
  const pieces = [{ ...brace, text: '{' }, ...inner, { ...brace, text: '}' }]
  if (inner.some((piece) => piece.dynamic)) return pieces
  return [{ ...brace, text: pieces.map((piece) => piece.text).join('') }]
}

function readInBraces(part: WordPart): readonly Piece[] {
  if (part.type === 'Literal') return [unescaped(part.text)]
  return readPart(part, false).map((piece) =>
    piece.quoted || piece.dynamic ? { ...piece, text: held(piece.text) } : piece,
  )
}

function unescaped(text: string): Piece {
  return { ...PLAIN, text: text.replace(/\\([\s\S])/g, (_, letter: string) => held(letter)) }
}

function filled(text: string, quoted: boolean): Piece {
  return { ...PLAIN, text, dynamic: true, quoted }
}

function knownFolder(name: string): string | null {
  return ['HOME', 'PWD', 'TMPDIR'].includes(name) ? `$${name}` : null
}

function pathOf(pieces: readonly Piece[]): string {
  const [first, ...rest] = pieces
  if (first === undefined) return ''
  // In braces it may come to stand first.
  const tail = rest.map((piece) => piece.folder ?? piece.text).join('')
  if (first.folder !== null) return first.folder + tail
  return literalPath(first.text + tail)
}

/** What is no tilde and no variable to the shell must not become one where paths are read. */
function literalPath(text: string): string {
  return /^[~$]/.test(text) ? `./${text}` : text
}

function tildePath(text: string): string {
  const [name = '', ...rest] = text.split('/')
  const below = rest.length === 0 ? '' : `/${rest.join('/')}`
  if (name === '~') return text
  if (name === '~+') return `$PWD${below}`
  if (EARLIER_FOLDER.test(name)) return `\${}${below}`
  return name === '~root' ? `/root${below}` : `/home/${name.slice(1)}${below}`
}

/** `~-`, and `~2` of the stack of folders: where that is only the shell knows. */
const EARLIER_FOLDER = /^~(?:-|[-+]?\d+)(?:\/|$)/
