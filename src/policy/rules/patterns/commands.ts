/**
 * Command patterns (rules.md §1, §5 item 2): what a pattern meets of a shell text, and what it proves
 * of a command whose words are known.
 */

import type { CommandSubject } from '../../../core/subject.js'
import type { SimpleCommand } from '../../../core/need.js'
import { TRUSTED_LOCATIONS, TRUSTED_STORE } from '../../../lists/program-locations.js'
import { compileText, matchesTokens, type Token } from './text.js'

/** A pattern of commands or text: one token list, or two where a trailing `:*` opens the end. */
export type TextPattern = readonly (readonly Token[])[]

/** Compiles `text` or `prefix:*`; the prefix ends at a token boundary. `null`: the prefix is empty. */
export function compileTextPattern(pattern: string): TextPattern | null {
  if (!pattern.endsWith(':*')) return [compileText(pattern.trim())]
  const prefix = pattern.slice(0, -2).trim()
  if (prefix === '') return null
  const tokens = compileText(prefix)
  return [tokens, [...tokens, { kind: 'literal', text: ' ' }, { kind: 'all' }]]
}

/** True when the pattern matches the whole text. */
export function matchesText(pattern: TextPattern, text: string): boolean {
  return pattern.some((tokens) => matchesTokens(tokens, text))
}

/** Suspicion: the raw text, each command's words, or its words under another spelling of its program. */
export function suspectsCommand(pattern: TextPattern, subject: CommandSubject): boolean {
  for (const text of suspicions(subject)) if (matchesText(pattern, text)) return true
  return false
}

/** Proof: bash text without any refusal, each of whose commands matches word by word. */
export function provesCommand(pattern: TextPattern, subject: CommandSubject): boolean {
  const { commands, refusals } = subject.analysis
  if (subject.shell !== 'bash' || refusals.length > 0 || commands.length === 0) return false
  return commands.every(
    (command) =>
      subject.untrusted?.includes(command.argv[0] ?? '') !== true && provesWords(pattern, command),
  )
}

/** The words joined by single blanks. */
export function joinWords(command: SimpleCommand): string {
  return command.argv.join(' ')
}

/** Stands for a blank within a word, which no blank of a pattern may be taken for. */
const INNER_BLANK = '\u{e000}'
/** Stands for a word without characters. */
const EMPTY_WORD = '\u{e001}'
/**
 * Stands for a word that the text does not fix: it may hold a separator, so only `**` matches it. A line
 * end rather than a slash, which a pattern may spell out between two stars.
 */
const UNKNOWN_WORD = '\u{e002}\n\u{e002}'

function provesWords(pattern: TextPattern, command: SimpleCommand): boolean {
  const [program, ...rest] = command.argv
  if (program === undefined || program === '' || command.dynamic?.includes(0) === true) return false
  const words = rest.map((word, index) =>
    command.dynamic?.includes(index + 1) === true ? UNKNOWN_WORD : protectBlanks(word),
  )
  if (command.open === true) words.push(UNKNOWN_WORD)
  // The same words in another folder are another program: only a pattern for any program covers it.
  const spelling = command.from === undefined ? protectBlanks(program) : UNKNOWN_WORD
  const spelt = [spelling, ...words].join(' ')
  if (matchesText(pattern, spelt)) return true
  const name = trustedName(program)
  return name !== null && matchesText(pattern, [name, ...words].join(' '))
}

function protectBlanks(word: string): string {
  return word === '' ? EMPTY_WORD : word.replace(/[ \t]/g, INNER_BLANK)
}

/** The bare name of a program in a trusted location; `null` for any other path. */
function trustedName(program: string): string | null {
  const slash = program.lastIndexOf('/')
  if (slash === -1) return null
  const trusted =
    TRUSTED_LOCATIONS.includes(program.slice(0, slash)) ||
    (TRUSTED_STORE.test(program) && !program.includes('/..'))
  return trusted ? program.slice(slash + 1) : null
}

/** Computed once a subject: every rule asks for the same. */
const KNOWN = new WeakMap<CommandSubject, ReadonlySet<string>>()

/** Every text by which suspicion meets a subject; the index looks rules up by the same ones. */
export function suspicions(subject: CommandSubject): ReadonlySet<string> {
  const known = KNOWN.get(subject)
  if (known !== undefined) return known
  const texts = new Set<string>()
  const { commands, refusals } = subject.analysis
  addText(texts, subject.command)
  // Nothing was surely taken apart: what stands between operators may be a command of its own.
  if (subject.shell !== 'bash' || (commands.length === 0 && refusals.length > 0)) {
    for (const piece of subject.command.split(OPERATORS)) addText(texts, piece)
  }
  for (const { argv, short } of commands) {
    addWords(texts, argv)
    if (short !== undefined) addWords(texts, short)
  }
  KNOWN.set(subject, texts)
  return texts
}

const OPERATORS = /[;&|\n(){}`]+/

function addText(texts: Set<string>, text: string): void {
  const trimmed = text.trim()
  if (trimmed === '') return
  texts.add(trimmed)
  texts.add(trimmed.replace(/[ \t]+/g, ' '))
}

function addWords(texts: Set<string>, argv: readonly string[]): void {
  const [program, ...rest] = argv
  if (program === undefined) return
  const base = program.slice(Math.max(program.lastIndexOf('/'), program.lastIndexOf('\\')) + 1)
  const plain = base.replace(/\.exe$/i, '')
  // Where the volume ignores case, `RM` is `rm`.
  for (const name of [program, base, plain, plain.toLowerCase()])
    texts.add([name, ...rest].join(' '))
}
