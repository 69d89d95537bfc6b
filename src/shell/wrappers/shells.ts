/** Shells as wrappers: `-c` text, text on standard input, or a script file (rules.md §5 items 1 and 9). */

import type { ShellWord } from '../unfold/word.js'
import { readOptions, type OptionSpec } from './options.js'
import { BASH_LIKE, WINDOWS_SHELLS } from './table.js'
import { unreadable, type Unwrapped } from './unwrapped.js'

/** `-i`, `-k`, `-O` and start-up files change what the text means, so they are not known here. */
const SHELL_OPTIONS: OptionSpec = {
  flags: 'abefhmnpuvxBCEHPTlcs',
  valued: 'o',
  longFlags: ['login', 'norc', 'noprofile', 'version', 'help', 'verbose'],
}

/** What a shell would run. A script file is an operand like any other. */
export function unwrapShell(
  name: string,
  words: readonly ShellWord[],
  input: ShellWord | null,
): Unwrapped | null {
  if (WINDOWS_SHELLS.has(name)) return foreign(windowsText(words))
  const options = readOptions(words.map(withMinus), 1, SHELL_OPTIONS)
  if (
    options === null ||
    (options.values.get('-o') ?? []).some(({ text }) => !SAFE_MODES.has(text))
  ) {
    return unreadable('wrapper_option')
  }
  const { values, end } = options
  const operand = words[end]
  if (values.has('-c'))
    return operand === undefined ? unreadable('wrapper_option') : run(name, operand)
  const fed = values.has('-s') || operand === undefined || STANDARD_INPUT.test(operand.text)
  if (!fed) return script(operand)
  if (values.has('--version') || values.has('--help')) return null
  return input === null ? unreadable('piped_program') : run(name, input)
}

function run(name: string, text: ShellWord): Unwrapped {
  if (!BASH_LIKE.has(name)) return foreign(text.text)
  const runs = [{ kind: 'text', text: text.text, suspected: text.dynamic } as const]
  return { transparent: true, runs, refusals: text.dynamic ? ['dynamic_program'] : [] }
}

function script(operand: ShellWord): Unwrapped | null {
  return operand.dynamic || operand.pattern ? unreadable('dynamic_program') : null
}

function foreign(text: string): Unwrapped {
  const runs = [{ kind: 'text', text, suspected: true } as const]
  return { transparent: false, runs, refusals: ['unsupported_shell'] }
}

function windowsText(words: readonly ShellWord[]): string {
  const at = words.findIndex(({ text }) =>
    /^(?:[-/](?:c|k|command|commandwithargs)|-e)$/i.test(text),
  )
  return words
    .slice(at + 1)
    .map((word) => word.text)
    .join(' ')
}

/** `+x` takes an option away; it is read like `-x`. */
function withMinus(word: ShellWord): ShellWord {
  return /^\+[a-zA-Z]/.test(word.text) ? { ...word, text: `-${word.text.slice(1)}` } : word
}

const SAFE_MODES: ReadonlySet<string> = new Set([
  ...['pipefail', 'errexit', 'nounset', 'xtrace', 'noglob', 'noclobber', 'verbose', 'allexport'],
])
/** Standard input, or a descriptor that a redirection of the same command may have opened. */
const STANDARD_INPUT =
  /^(?:-|\/+dev\/+(?:stdin|fd\/+\d+)|\/+proc\/+(?:self|thread-self|\d+)\/+fd\/+\d+)$/
