/** Unwraps by the rows of the table. */

import type { RefusalCode } from '../../core/need.js'
import { PLAIN_NAME, steersAs } from '../guard/variables.js'
import type { ShellWord } from '../unfold/word.js'
import { readOptions, type Options } from './options.js'
import { WRAPPERS, type WrapperSpec } from './table.js'
import { fillMark, unreadable, type Inner, type Unwrapped } from './unwrapped.js'

/** `null` when no row is for these words. */
export function unwrapSpec(name: string, words: readonly ShellWord[]): Unwrapped | null {
  const spec = (BY_NAME.get(name) ?? []).find(({ prefix = [] }) =>
    prefix.every((word, index) => words[index + 1]?.text === word),
  )
  if (spec === undefined) return null
  if (spec.names.includes('env') && words.some(({ text }) => SPLIT_STRING.test(text))) {
    return unwrapSplitString(words)
  }
  const start = 1 + (spec.prefix?.length ?? 0)
  const dashes = spec.dash === true && words[start]?.text === '-' ? 1 : 0
  const options = readOptions(words, start + dashes, spec)
  return options === null ? unreadable('wrapper_option') : unwrapRead(spec, words, options)
}

function unwrapRead(
  spec: WrapperSpec,
  words: readonly ShellWord[],
  { end, values }: Options,
): Unwrapped {
  if ([...(spec.inert ?? '')].some((letter) => values.has(`-${letter}`))) return nothing(spec)
  const text = textOf(spec, words, { end, values })
  if (text !== undefined) return text
  const { start, assigns } = passAssignments(spec, words, end)
  const refusals: readonly RefusalCode[] = assigns.some(isSteering) ? ['variable'] : []
  const from = start + (spec.operands ?? 0)
  if (words.slice(end, from).some((word) => word.splits || word.pattern))
    return unreadable('wrapper_option')
  // `flock file -c text` has its option behind the operand.
  if (spec.textOption !== undefined && words[from]?.text === spec.textOption) {
    return inText(spec, words[from + 1], refusals)
  }
  const rest = words.slice(from)
  if (rest.length > 0) {
    const inner = replaced(spec, rest, values)
    const folder = spec.folder === undefined ? undefined : values.get(spec.folder)?.at(-1)
    const moved = spec.names.includes('chroot') ? null : folder
    return {
      transparent: spec.transparent === true,
      runs: [{ ...inner, ...(moved === undefined ? {} : { folder: moved }) }],
      refusals,
    }
  }
  return spec.shellAlone === true ? unreadable('piped_program') : { ...nothing(spec), refusals }
}

function isSteering(text: string): boolean {
  const [name = ''] = text.split('=', 1)
  return !PLAIN_NAME.test(name) || steersAs(text)
}

function nothing(spec: WrapperSpec): Unwrapped {
  return { transparent: spec.transparent === true, runs: [], refusals: [] }
}

function textOf(
  spec: WrapperSpec,
  words: readonly ShellWord[],
  { end, values }: Options,
): Unwrapped | undefined {
  const given = values.get(spec.textOption ?? '') ?? values.get('--command')
  if (given?.[0] !== undefined) return inText(spec, given.length === 1 ? given[0] : undefined, [])
  const rest = words.slice(end)
  switch (spec.text) {
    case undefined:
      return undefined
    case 'first':
      return rest.length < 2 || rest[0]?.text === '-' ? nothing(spec) : inText(spec, rest[0], [])
    case 'joined': {
      const [first] = rest
      if (first === undefined) return nothing(spec)
      const text = rest.map((word) => word.text).join(' ')
      return inText(spec, { ...first, text, dynamic: rest.some(isOpen) }, [])
    }
  }
}

/** Globs become other words before text is joined. */
function isOpen(word: ShellWord): boolean {
  return word.dynamic || word.pattern
}

function inText(
  spec: WrapperSpec,
  word: ShellWord | undefined,
  refusals: readonly RefusalCode[],
): Unwrapped {
  if (word === undefined) return unreadable('wrapper_option')
  const more: readonly RefusalCode[] = word.dynamic ? ['dynamic_program'] : []
  return {
    transparent: false,
    runs: [{ kind: 'text', text: word.text, sameShell: spec.sameShell, suspected: word.dynamic }],
    refusals: [...refusals, ...more],
  }
}

function passAssignments(
  spec: WrapperSpec,
  words: readonly ShellWord[],
  end: number,
): { readonly start: number; readonly assigns: readonly string[] } {
  let start = end
  if (spec.assigns === true) {
    while (ASSIGNMENT.test(words[start]?.text ?? '')) start += 1
  }
  return { start, assigns: words.slice(end, start).map((word) => word.text) }
}

/** Under `-I` a mark stands for what comes from the input; without it that follows the words. */
function replaced(
  spec: WrapperSpec,
  words: readonly ShellWord[],
  values: Options['values'],
): Inner & { readonly kind: 'words' } {
  const mark = spec.replaces === undefined ? undefined : markOf(spec.replaces, values)
  if (mark === undefined) return { kind: 'words', words, open: spec.open }
  return { kind: 'words', words: words.map((word) => fillMark(word, mark)) }
}

function markOf(option: string, values: Options['values']): string | undefined {
  return values.get(option)?.at(-1)?.text ?? (values.has('-i') ? '{}' : undefined)
}

/** `env -S text` cuts its text by rules of its own; only plain words are followed. */
function unwrapSplitString(words: readonly ShellWord[]): Unwrapped {
  const [, option, ...rest] = words
  const attached = option?.text.replace(SPLIT_STRING, '') ?? ''
  const text = attached === '' ? rest[0] : { ...option, text: attached }
  const isLeading = option !== undefined && SPLIT_STRING.test(option.text)
  if (!isLeading || text === undefined || option.dynamic || !PLAIN_TEXT.test(text.text)) {
    return unreadable('wrapper_option')
  }
  const more = attached === '' ? rest.slice(1) : rest
  const cut = text.text.split(' ').filter((word) => word !== '')
  const split = cut.map((word) => ({ ...option, text: word, path: word, pattern: false }))
  return (
    unwrapSpec('env', [...words.slice(0, 1), ...split, ...more]) ?? unreadable('wrapper_option')
  )
}

const SPLIT_STRING = /^(?:-[iv]*S|--split-string(?:=|$))/
const PLAIN_TEXT = /^[A-Za-z0-9_./:=@%+, -]+$/
/** What `env` takes for one: any word with an equals sign. */
const ASSIGNMENT = /^[^-=][^=]*=/

const BY_NAME: ReadonlyMap<string, readonly WrapperSpec[]> = byName()

function byName(): Map<string, WrapperSpec[]> {
  const table = new Map<string, WrapperSpec[]>()
  for (const spec of WRAPPERS) {
    for (const name of spec.names) table.set(name, [...(table.get(name) ?? []), spec])
  }
  return table
}
