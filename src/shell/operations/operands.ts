/** Splits the words of a program into options and operands, kindly: an unknown option takes no value. */

import type { ShellWord } from '../unfold/word.js'

export interface Operands {
  readonly operands: readonly ShellWord[]
  /** Options without a value: letters as `-r`, long ones as `--recursive`. */
  readonly flags: ReadonlySet<string>
  readonly values: ReadonlyMap<string, readonly ShellWord[]>
}

/** Letters and long names (without dashes) of options that have a value; long ones may be abbreviated. */
export interface Valued {
  readonly valued?: string | undefined
  readonly longValued?: readonly string[] | undefined
  readonly longFlags?: readonly string[] | undefined
}

export function readOperands(args: readonly ShellWord[], spec: Valued): Operands {
  const operands: ShellWord[] = []
  const flags = new Set<string>()
  const values = new Map<string, ShellWord[]>()
  for (let index = 0; index < args.length; index += 1) {
    const word = args[index]
    if (word === undefined) break
    if (word.text === '--') {
      operands.push(...args.slice(index + 1))
      break
    }
    if (!word.text.startsWith('-') || word.text === '-') {
      operands.push(word)
      continue
    }
    const option = word.text.startsWith('--') ? readLong(word, spec) : readCluster(word, spec)
    for (const flag of option.flags) flags.add(flag)
    if (option.name === null) continue
    const value = option.value ?? args[index + 1]
    // What may be another option takes nothing away from the operands.
    if (option.value === null && option.isCertain) index += 1
    if (value !== undefined) values.set(option.name, [...(values.get(option.name) ?? []), value])
  }
  return { operands, flags, values }
}

/** Picks the values of options, in the order of the names given. */
export function valuesOf({
  values,
}: Operands): (...names: readonly string[]) => readonly ShellWord[] {
  return (...names) => names.flatMap((name) => values.get(name) ?? [])
}

interface Option {
  readonly flags: readonly string[]
  /** The option that has a value, which is the next word when `value` is null. */
  readonly name: string | null
  readonly value: ShellWord | null
  readonly isCertain: boolean
}

const FLAGS = { name: null, value: null, isCertain: true } as const

function readLong(word: ShellWord, { longValued = [], longFlags = [] }: Valued): Option {
  const equals = word.text.indexOf('=')
  const given = word.text.slice(2, equals === -1 ? undefined : equals)
  const isExact = longValued.includes(given)
  const valued = isExact ? given : longValued.find((long) => long.startsWith(given))
  const flag = longFlags.find((long) => long.startsWith(given))
  const flags = [...new Set([word.text, ...(flag === undefined ? [] : [`--${flag}`])])]
  if (equals !== -1) {
    const value = cut(word, equals + 1)
    return { flags: [], name: `--${valued ?? given}`, value, isCertain: true }
  }
  if (valued === undefined) return { ...FLAGS, flags }
  return { flags: isExact ? [] : flags, name: `--${valued}`, value: null, isCertain: isExact }
}

function readCluster(word: ShellWord, { valued = '' }: Valued): Option {
  const letters = [...word.text.slice(1)]
  const at = letters.findIndex((letter) => valued.includes(letter))
  const flags = (at === -1 ? letters : letters.slice(0, at)).map((letter) => `-${letter}`)
  const letter = letters[at]
  if (letter === undefined) return { ...FLAGS, flags }
  const value = at === letters.length - 1 ? null : cut(word, at + 2)
  return { flags, name: `-${letter}`, value, isCertain: true }
}

/** What follows in the word; its path is the text, since no tilde is expanded there. */
function cut(word: ShellWord, from: number): ShellWord {
  const text = word.text.slice(from)
  return { ...word, text, path: /^[~$]/.test(text) && !word.dynamic ? `./${text}` : text }
}
