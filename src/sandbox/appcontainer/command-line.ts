/** One command line from many words, by the rules of CommandLineToArgvW and of the C runtime (sandbox.md §6). */

import { SandboxError } from '../../core/errors.js'

/** CreateProcessW takes 32,767 characters with the NUL that ends them. */
const MOST_CHARACTERS = 32_766

/**
 * A program reads exactly `argv` from it. The first word is read without escapes, so it may hold no
 * quote. Throws `setup_failed` for what no command line can say.
 */
export function commandLine(argv: readonly string[]): string {
  const [program, ...words] = argv
  if (program === undefined || program === '') throw refused('the command is empty')
  if (argv.some((word) => word.includes('\0'))) throw refused('a word holds a NUL character')
  if (argv.some((word) => /\p{Surrogate}/u.test(word))) {
    throw refused('a word holds half of a character')
  }
  if (program.includes('"')) throw refused('the name of the program holds a quote')
  const line = [`"${program}"`, ...words.map(quoted)].join(' ')
  if (line.length > MOST_CHARACTERS) throw refused('the command line is too long for Windows')
  return line
}

/** What every known parser takes as it stands: no blank, no quote, nothing that some runtime expands. */
const PLAIN = /^[\w\-./:\\=@+,]+$/

function quoted(word: string): string {
  if (PLAIN.test(word)) return word
  let [line, backslashes] = ['', 0]
  for (const character of word) {
    // Backslashes are literal unless a quote follows: then each stands for half of one.
    if (character === '"') line += `${'\\'.repeat(backslashes)}\\"`
    else line += character
    backslashes = character === '\\' ? backslashes + 1 : 0
  }
  return `"${line}${'\\'.repeat(backslashes)}"`
}

function refused(message: string): SandboxError {
  return new SandboxError(
    'setup_failed',
    message,
    'give a program and words that a Windows command line can hold',
  )
}
