/** Reads a patch in either format; strict, so that it has one reading or none. */

import { BEGIN, parseBeginPatch } from './begin-patch.js'
import { Cursor, header, malformed, skipBlank, type FileChange } from './change.js'
import { parseUnified } from './unified.js'

const LIMITS = { characters: 1024 * 1024, files: 200, hunks: 2000 } as const

/** What the patch would change, each file once. Throws `ToolError invalid_input` that names the place. */
export function parsePatch(text: string): readonly FileChange[] {
  // Behind the last line end no line begins.
  const cursor = new Cursor(text.replace(/\n$/, '').split('\n'))
  if (text.length > LIMITS.characters) throw malformed('it is longer than 1 MiB', cursor)
  skipBlank(cursor)
  const changes = header(cursor) === BEGIN ? parseBeginPatch(cursor) : parseUnified(cursor)
  if (changes.length === 0) throw malformed('it changes no file', cursor)
  const hunks = changes.reduce(
    (sum, one) => sum + (one.kind === 'update' ? one.hunks.length : 0),
    0,
  )
  if (changes.length > LIMITS.files || hunks > LIMITS.hunks) {
    throw malformed(`it has more than ${LIMITS.files} files or ${LIMITS.hunks} hunks`, cursor)
  }
  demandDistinct(changes, cursor)
  return changes
}

/** Every path that the patch reads or writes. */
export function pathsOf(changes: readonly FileChange[]): readonly string[] {
  return changes.flatMap((one) =>
    one.kind === 'update' && one.moveTo !== null ? [one.path, one.moveTo] : [one.path],
  )
}

/** Two changes of one file would be checked against the same text, and the second would undo the first. */
function demandDistinct(changes: readonly FileChange[], cursor: Cursor): void {
  const seen = new Set<string>()
  for (const path of pathsOf(changes)) {
    const folded = fold(path)
    if (seen.has(folded)) throw malformed(`\`${path}\` is named twice`, cursor)
    seen.add(folded)
  }
}

function fold(path: string): string {
  const kept: string[] = []
  for (const name of path.split('/')) {
    if (name === '..' && kept.length > 0 && kept.at(-1) !== '..') kept.pop()
    else if (name !== '' && name !== '.') kept.push(name)
  }
  return (path.startsWith('/') ? '/' : '') + kept.join('/')
}
