/** Builtins that evaluate the text of their operands, or set what later commands depend on (rules.md §5 item 3). */

import type { RefusalCode } from '../../core/need.js'
import type { ShellWord } from '../unfold/word.js'
import { readOptions, type OptionSpec } from '../wrappers/options.js'
import { PLAIN_NAME, steers, steersAs } from './variables.js'

/** Why these words of a builtin prove nothing, or `null`. */
export function guardBuiltin(name: string, words: readonly ShellWord[]): RefusalCode | null {
  const spec = NAMING.get(name)
  if (spec !== undefined) return guardNames(words, spec)
  switch (name) {
    case 'test':
    case '[':
      return guardTest(words.slice(1))
    case 'printf':
      return guardPrintf(words)
    case 'set':
      return guardModes(words)
    case 'shopt':
      return words.slice(1).every(({ text }) => SHOPT.has(text)) ? null : 'unanalysed'
    case 'wait':
      return words.some(({ text }) => text.startsWith('-p')) ? 'evaluated_operand' : null
    case 'jobs':
      return words.some(({ text }) => text.startsWith('-x')) ? 'unanalysed' : null
    default:
      return null
  }
}

/** True for builtins that this file knows. */
export function isGuardedBuiltin(name: string): boolean {
  return NAMING.has(name) || OTHERS.has(name)
}

const OTHERS: ReadonlySet<string> = new Set([
  'test',
  '[',
  'printf',
  'set',
  'shopt',
  'wait',
  'dirs',
  'jobs',
])

const DECLARING: OptionSpec = { flags: 'aAgrxlup' }
/** Builtins whose operands name variables. */
const NAMING: ReadonlyMap<string, OptionSpec> = new Map([
  ['read', { flags: 'ers', valued: 'pnNtdua' }],
  ['mapfile', { flags: 't', valued: 'dnOsu' }],
  ['readarray', { flags: 't', valued: 'dnOsu' }],
  ['unset', { flags: 'vf' }],
  ['export', { flags: 'np' }],
  ['readonly', { flags: 'ap' }],
  ['declare', DECLARING],
  ['typeset', DECLARING],
  ['local', DECLARING],
  ['getopts', {}],
])

function guardNames(words: readonly ShellWord[], spec: OptionSpec): RefusalCode | null {
  const options = readOptions(words, 1, spec)
  if (options === null) return 'evaluated_operand'
  // The operand of `getopts` that comes first is no name.
  const skip = words[0]?.text === 'getopts' ? 1 : 0
  const named = [...words.slice(options.end + skip), ...(options.values.get('-a') ?? [])]
  for (const word of named) {
    const [name = ''] = word.text.split(/\+?=/, 1)
    if (!PLAIN_NAME.test(name)) return 'evaluated_operand'
    if (steersAs(word.text)) return 'variable'
  }
  return null
}

/** `-v` evaluates the subscript of its operand, wherever a word may turn out to be `-v`. */
function guardTest(args: readonly ShellWord[]): RefusalCode | null {
  const words = args.at(-1)?.text === ']' ? args.slice(0, -1) : args
  const isNamed = words.every(
    (word, index) => !/^-[vR]$/.test(word.text) || PLAIN_NAME.test(words[index + 1]?.text ?? ''),
  )
  const dynamic = words.filter((word) => word.opensDynamic || word.splits)
  const isFixed =
    !words.some((word) => word.splits) &&
    (words.length <= 1 || dynamic.length === 0 || (words.length <= 4 && hasFixedOperator(words)))
  return isNamed && isFixed ? null : 'evaluated_operand'
}

/** `[ -f "$x" ]`, `[ "$x" = y ]`, either with `!`: which word is the operator is certain. */
function hasFixedOperator(words: readonly ShellWord[]): boolean {
  const rest = words[0]?.text === '!' ? words.slice(1) : words
  if (rest.length === 1) return true
  const operator = rest.length === 2 ? rest[0] : rest[1]
  return rest.length <= 3 && operator?.dynamic === false
}

function guardPrintf([, format, name]: readonly ShellWord[]): RefusalCode | null {
  if (format === undefined) return null
  if (format.opensDynamic || format.splits) return 'evaluated_operand'
  if (!format.text.startsWith('-v')) return null
  const target = format.text === '-v' ? (name?.text ?? '') : format.text.slice(2)
  if (!PLAIN_NAME.test(target)) return 'evaluated_operand'
  return steers(target) ? 'variable' : null
}

function guardModes(words: readonly ShellWord[]): RefusalCode | null {
  for (let index = 1; index < words.length; index += 1) {
    const word = words[index]
    if (word === undefined || word.text === '--') return null
    if (word.opensDynamic || word.splits) return 'unanalysed'
    if (!/^[-+]/.test(word.text)) return null
    if (!/^[-+][abCeEfhmnuvxBT]*o?$/.test(word.text)) return 'unanalysed'
    if (word.text.endsWith('o') && !MODES.has(words[(index += 1)]?.text ?? 'errexit'))
      return 'unanalysed'
  }
  return null
}

const MODES: ReadonlySet<string> = new Set([
  ...['pipefail', 'errexit', 'nounset', 'xtrace', 'noglob', 'noclobber', 'verbose', 'allexport'],
  ...['errtrace', 'functrace', 'monitor', 'notify'],
])
const SHOPT: ReadonlySet<string> = new Set([
  ...[
    '-s',
    '-u',
    '-q',
    '-p',
    'nullglob',
    'dotglob',
    'globstar',
    'failglob',
    'nocaseglob',
    'nocasematch',
  ],
])
