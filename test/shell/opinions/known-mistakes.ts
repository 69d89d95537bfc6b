/** Where the other parsers are known to be wrong: why, and how to tell. */

import { unescaped, type ParserName } from './opinion.js'

/** A name that was found, and what else is known about the text. */
export interface Found {
  readonly text: string
  readonly name: string
  /** The names that the analysis tells. */
  readonly told: ReadonlySet<string>
}

export interface KnownMistake {
  /** Not given when all of them make it. */
  readonly by?: ParserName
  readonly reason: string
  readonly explains: (claim: Found) => boolean
}

export const KNOWN_MISTAKES: readonly KnownMistake[] = [
  {
    reason: 'in backquotes, `\\\\` is one backslash before anything else is read',
    explains: ({ text, name, told }) => text.includes('`') && told.has(unescaped(name)),
  },
  {
    by: 'tree-sitter-bash',
    reason: 'behind `time`, `coproc` and `!`, and for these, it takes reserved words for programs',
    explains: ({ name }) => RESERVED.has(name),
  },
  {
    by: 'tree-sitter-bash',
    reason: 'a line that goes on behind a backslash parts a word in two',
    explains: ({ text, name }) => text.includes(`${name}\\\n`) || text.includes(`\\\n${name}`),
  },
  {
    by: 'tree-sitter-bash',
    reason: 'a word ends behind a closing quote, a bracket, and a dollar that opens nothing',
    explains: ({ name, told }) => [...told].some((word) => word !== name && word.startsWith(name)),
  },
  {
    by: 'tree-sitter-bash',
    reason: 'a blank behind a backslash parts words',
    explains: ({ name, told }) => [...told].some((word) => word.split(/[ \t]/).includes(name)),
  },
  {
    by: 'tree-sitter-bash',
    reason: '`!` negates what is glued to it',
    explains: ({ name, told }) => told.has(`!${name}`),
  },
  {
    by: 'tree-sitter-bash',
    reason: 'what stands between two backquoted texts is backquoted too',
    explains: ({ text, name, told }) =>
      text.includes('`') && [...told].some((left) => isGlued(name, left, told)),
  },
  {
    by: 'tree-sitter-bash',
    reason: 'in here-documents and defaults it takes arithmetic for a subshell in a substitution',
    explains: ({ text, name }) => text.replace(/\s/g, '').includes(`$((${name}`),
  },
  {
    by: 'tree-sitter-bash',
    reason: 'blanks may stand behind the delimiter that ends a here-document',
    explains: ({ text, name }) => text.split('\n').some((line) => isPadded(line, name)),
  },
  {
    by: 'mvdan-sh',
    reason: 'a hash behind a closing quote opens a comment',
    explains: ({ text }) => /['"]#/.test(text),
  },
  {
    by: 'mvdan-sh',
    reason:
      'digits between a closing quote and `<` or `>` are a descriptor and not the end of a word',
    explains: ({ text, name, told }) =>
      /['"]\d+[<>]/.test(text) &&
      [...told].some((word) => word.startsWith(name) && /^\d+$/.test(word.slice(name.length))),
  },
  {
    by: 'mvdan-sh',
    reason: '`time` behind `|` is the reserved word and not the program',
    explains: ({ text }) => /\|&?\s*time\b/.test(text),
  },
]

const RESERVED: ReadonlySet<string> = new Set([
  ...['!', '{', '}', 'time', 'coproc', 'if', 'then', 'elif', 'else', 'fi', 'for', 'in', 'do'],
  ...['done', 'while', 'until', 'case', 'esac', 'select', 'function'],
])

function isGlued(name: string, left: string, told: ReadonlySet<string>): boolean {
  return left !== '' && name.startsWith(left) && told.has(name.slice(left.length))
}

function isPadded(line: string, word: string): boolean {
  return line !== word && line.trim() === word
}
