/**
 * Command patterns (rules.md §1, §5 item 2): what a pattern meets of a shell text, and what it proves
 * of a command whose words are known.
 */

import type { CommandSubject } from '../../../core/subject.js'
import type { SimpleCommand } from '../../../core/need.js'
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

/** Suspicion: the raw text, each command's words, or its words under the program's bare name. */
export function suspectsCommand(pattern: TextPattern, subject: CommandSubject): boolean {
  return [...suspicions(subject)].some((text) => matchesText(pattern, text))
}

/** Proof: bash text without any refusal, each of whose commands matches word by word. */
export function provesCommand(pattern: TextPattern, subject: CommandSubject): boolean {
  const { commands, refusals } = subject.analysis
  if (subject.shell !== 'bash' || refusals.length > 0 || commands.length === 0) return false
  return commands.every((command) => provesWords(pattern, command))
}

/** The words joined by single blanks. */
export function joinWords(command: SimpleCommand): string {
  return command.argv.join(' ')
}

/** Folders whose programs are what their names say (rules.md §5 item 2). */
export const TRUSTED_LOCATIONS: readonly string[] = [
  '/bin',
  '/sbin',
  '/usr/bin',
  '/usr/sbin',
  '/usr/local/bin',
  '/opt/homebrew/bin',
]

/** Nix keeps each program in a folder of its own below this one. */
const TRUSTED_STORE = /^\/nix\/store\/[^/]+\/bin\/[^/]+$/

/** Stands for a blank within a word, which no blank of a pattern may be taken for. */
const INNER_BLANK = '\u{e000}'
/** Stands for a word without characters. */
const EMPTY_WORD = '\u{e001}'

function provesWords(pattern: TextPattern, command: SimpleCommand): boolean {
  const [program, ...rest] = command.argv
  if (program === undefined || program === '') return false
  const words = rest.map(protectBlanks)
  const spelt = [protectBlanks(program), ...words].join(' ')
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

function suspicions(subject: CommandSubject): ReadonlySet<string> {
  const texts = new Set<string>()
  const { commands, refusals } = subject.analysis
  addText(texts, subject.command)
  // Nothing was taken apart: what stands between operators may be a command of its own.
  if (commands.length === 0 && (refusals.length > 0 || subject.shell !== 'bash')) {
    for (const piece of subject.command.split(OPERATORS)) addText(texts, piece)
  }
  for (const command of commands) {
    texts.add(joinWords(command))
    const [program = '', ...rest] = command.argv
    texts.add([baseName(program), ...rest].join(' '))
  }
  return texts
}

const OPERATORS = /[;&|\n(){}`]+/

function addText(texts: Set<string>, text: string): void {
  const trimmed = text.trim()
  if (trimmed === '') return
  texts.add(trimmed)
  texts.add(trimmed.replace(/[ \t]+/g, ' '))
}

function baseName(program: string): string {
  return program.slice(program.lastIndexOf('/') + 1)
}
