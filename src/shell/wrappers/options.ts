/** Reads the options of a wrapper strictly: one that the table does not know refuses (rules.md §5 item 1). */

import type { ShellWord } from '../unfold/word.js'

/** Which options a program takes before its operands. */
export interface OptionSpec {
  /** Short options without a value. */
  readonly flags?: string | undefined
  /** Short options whose value is attached or the next word. */
  readonly valued?: string | undefined
  /** Short options whose value, if any, is attached. */
  readonly optional?: string | undefined
  readonly longFlags?: readonly string[] | undefined
  readonly longValued?: readonly string[] | undefined
}

export interface Options {
  /** Index of the first operand. */
  readonly end: number
  /** Values by option, `-k` or `--kill-after`; flags stand with an empty list. */
  readonly values: ReadonlyMap<string, readonly ShellWord[]>
}

/** The options from `start` on, or `null`: one is unknown, or a word may turn out to be one. */
export function readOptions(
  words: readonly ShellWord[],
  start: number,
  spec: OptionSpec,
): Options | null {
  const values = new Map<string, ShellWord[]>()
  let index = start
  for (;;) {
    const word = words[index]
    if (word === undefined) return { end: index, values }
    // A glob or a brace can turn into several words, and into options.
    if (word.opensDynamic || word.splits || word.pattern) return null
    if (word.text === '--') return { end: index + 1, values }
    if (!word.text.startsWith('-') || word.text === '-') return { end: index, values }
    const read = word.text.startsWith('--') ? readLong(word, spec) : readCluster(word, spec)
    if (read === null) return null
    for (const name of read.flags) values.set(name, values.get(name) ?? [])
    index += 1
    if (read.valued === null) continue
    const value = read.value ?? words[index]
    if (value === undefined || value.splits || value.pattern) return null
    values.set(read.valued, [...(values.get(read.valued) ?? []), value])
    if (read.value === null) index += 1
  }
}

interface Read {
  readonly flags: readonly string[]
  /** The option that takes a value, which is the next word when `value` is null. */
  readonly valued: string | null
  readonly value: ShellWord | null
}

function readLong(word: ShellWord, spec: OptionSpec): Read | null {
  const equals = word.text.indexOf('=')
  const name = equals === -1 ? word.text : word.text.slice(0, equals)
  if (equals === -1 && spec.longFlags?.includes(name.slice(2)) === true) {
    return { flags: [name], valued: null, value: null }
  }
  if (spec.longValued?.includes(name.slice(2)) !== true) return null
  return { flags: [], valued: name, value: equals === -1 ? null : tail(word, equals + 1) }
}

function readCluster(word: ShellWord, spec: OptionSpec): Read | null {
  const flags: string[] = []
  for (const [index, letter] of [...word.text.slice(1)].entries()) {
    const rest = index + 2
    if (spec.valued?.includes(letter) === true) {
      return {
        flags,
        valued: `-${letter}`,
        value: rest < word.text.length ? tail(word, rest) : null,
      }
    }
    if (spec.optional?.includes(letter) === true)
      return { flags: [...flags, `-${letter}`], valued: null, value: null }
    if (spec.flags?.includes(letter) !== true) return null
    flags.push(`-${letter}`)
  }
  return { flags, valued: null, value: null }
}

function tail(word: ShellWord, from: number): ShellWord {
  return { ...word, text: word.text.slice(from), path: word.text.slice(from), opensDynamic: false }
}
