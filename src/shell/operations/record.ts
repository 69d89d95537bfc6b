/** Notes what a command does to a file, once for each folder that it may run in (rules.md §5 item 6). */

import type { FileOperation, PathHazard, Tree } from '../../core/need.js'
import type { Context } from '../context.js'
import { SHELL_LIMITS } from '../findings.js'
import { isAnchored, joinFolder } from '../folders.js'
import type { ShellWord } from '../unfold/word.js'
import { expandBraces } from './braces.js'

export interface Recorded {
  readonly access: FileOperation['access']
  readonly word: ShellWord
  readonly origin: FileOperation['origin']
  readonly tree?: Tree | undefined
  readonly hazard?: PathHazard | undefined
}

/** A word of which nothing is known names no file. */
export function record(context: Context, { word, access, origin, tree, hazard }: Recorded): void {
  if (word.path === '' || FILLED_IN.test(word.path)) return
  const paths = word.pattern ? expandBraces(word.path) : [word.path]
  if (paths === null) return context.findings.refuse('unread', word.at)
  const reach = tree ?? (word.pattern ? 'matched' : undefined)
  const more = {
    ...(reach === undefined ? {} : { tree: reach }),
    ...(hazard === undefined ? {} : { hazard }),
  }
  for (const path of paths.filter((one) => one !== '' && !FILLED_IN.test(one))) {
    const folders = context.folders.current ?? [null]
    for (const folder of folders) {
      const adrift = folder === null && !isAnchored(path) ? { adrift: true } : {}
      const seen = joinFolder(folder ?? '', path)
      context.findings.operation({ access, path: seen, origin, ...more, ...adrift })
    }
  }
}

/** A read of an operand, of everything below it where it is `walked`. */
export function read(context: Context, word: ShellWord, walked = false): void {
  record(context, {
    access: 'read',
    word,
    origin: 'operand',
    ...(walked ? { tree: 'walked' } : {}),
  })
}

export function write(context: Context, word: ShellWord): void {
  record(context, { access: 'write', word, origin: 'operand' })
}

/** A write that an option names, and that an allow has to cover; standard output is none. */
export function output(context: Context, word: ShellWord | undefined): void {
  if (word !== undefined && word.text !== '-' && !NOWHERE.has(word.text))
    record(context, { access: 'write', word, origin: 'redirect' })
}

/** Where a file lands that is named after its source. */
export function baseOf(word: ShellWord): ShellWord {
  const [path = ''] = word.path.split(/[?#]/, 1)
  const name = path.split('/').findLast((part) => part !== '') ?? ''
  return { ...word, path: name === '' ? '.' : name }
}

/** Each word as a path below each folder, whatever it begins with. More than can be told is refused. */
export function belowEach(
  folders: readonly ShellWord[],
  words: readonly ShellWord[],
  { findings }: Context,
): readonly ShellWord[] {
  if (folders.length * words.length <= SHELL_LIMITS.operations) {
    return folders.flatMap((folder) => words.map((word) => within(folder, word)))
  }
  findings.refuse('unread', folders[0]?.at ?? 0)
  return []
}

function within(folder: ShellWord, word: ShellWord): ShellWord {
  return {
    ...word,
    text: `${folder.text}/${word.text}`,
    path: folder.path === '' ? word.path : `${folder.path}/${word.path}`,
    pattern: word.pattern || folder.pattern,
    pathUnknown: word.pathUnknown || folder.pathUnknown,
  }
}

const FILLED_IN = /^(?:\$\{\}|\$\(\)|\$\(\(\)\)|[<>]\(\))+$/

/** What swallows or passes on what is written to it. */
export const NOWHERE: ReadonlySet<string> = new Set([
  ...[
    '/dev/null',
    '/dev/zero',
    '/dev/full',
    '/dev/stdout',
    '/dev/stderr',
    '/dev/fd/1',
    '/dev/fd/2',
  ],
])
