/** The format that begins with `*** Begin Patch`: sections of files, hunks found by their lines. */

import {
  header,
  malformed,
  pathIn,
  skipBlank,
  type Cursor,
  type FileChange,
  type Hunk,
} from './change.js'

export const BEGIN = '*** Begin Patch'
const END = '*** End Patch'
const END_OF_FILE = '*** End of File'

/** The cursor stands at the first line. Throws `ToolError`. */
export function parseBeginPatch(cursor: Cursor): readonly FileChange[] {
  cursor.at += 1
  const changes: FileChange[] = []
  for (;;) {
    skipBlank(cursor)
    const line = header(cursor)
    if (line === undefined) throw malformed(`\`${END}\` is missing`, cursor)
    cursor.at += 1
    if (line === END) break
    changes.push(section(line, cursor))
  }
  skipBlank(cursor)
  if (header(cursor) !== undefined) throw malformed(`something follows \`${END}\``, cursor)
  return changes
}

function section(line: string, cursor: Cursor): FileChange {
  const parts = /^\*\*\* (Add|Delete|Update) File: (.*)$/u.exec(line)
  cursor.at -= 1
  if (parts === null) throw malformed('no section of a file begins here', cursor)
  const path = pathIn(parts[2] ?? '', cursor)
  cursor.at += 1
  if (parts[1] === 'Delete') return { kind: 'delete', path, content: null }
  return parts[1] === 'Add' ? added(path, cursor) : updated(path, cursor)
}

function added(path: string, cursor: Cursor): FileChange {
  const lines: string[] = []
  for (let line = cursor.lines[cursor.at]; line?.startsWith('+') === true;) {
    lines.push(line.slice(1))
    cursor.at += 1
    line = cursor.lines[cursor.at]
  }
  if (!isSectionEnd(cursor)) throw malformed('a line of a new file begins with no `+`', cursor)
  return { kind: 'add', path, content: lines.map((line) => `${line}\n`).join('') }
}

/** Blank lines may part sections. */
function isSectionEnd(cursor: Cursor): boolean {
  skipBlank(cursor)
  return header(cursor)?.startsWith('*** ') === true
}

const MOVE = '*** Move to: '

function updated(path: string, cursor: Cursor): FileChange {
  let moveTo: string | null = null
  const line = header(cursor)
  if (line?.startsWith(MOVE) === true) {
    moveTo = pathIn(line.slice(MOVE.length), cursor)
    cursor.at += 1
  }
  const hunks: Hunk[] = []
  while (!isSectionEnd(cursor)) hunks.push(hunk(`hunk ${hunks.length + 1} of \`${path}\``, cursor))
  if (hunks.length === 0 && moveTo === null) {
    throw malformed(`the section of \`${path}\` changes nothing`, cursor)
  }
  return { kind: 'update', path, moveTo, hunks }
}

function hunk(name: string, cursor: Cursor): Hunk {
  const anchors: string[] = []
  for (let line = header(cursor); line !== undefined && isMark(line); line = header(cursor)) {
    const anchor = line.slice(2).trim()
    if (anchor !== '') anchors.push(anchor)
    if (anchors.length > MOST_ANCHORS) throw malformed(`${name} follows too many lines`, cursor)
    cursor.at += 1
  }
  const body = linesOf(name, cursor)
  const isAtEnd = header(cursor) === END_OF_FILE
  if (isAtEnd) cursor.at += 1
  return { name, anchors, line: null, ...body, isAtEnd, endsInNewline: null }
}

const MOST_ANCHORS = 8

function isMark(line: string): boolean {
  return line === '@@' || line.startsWith('@@ ')
}

function linesOf(name: string, cursor: Cursor): Pick<Hunk, 'before' | 'after'> {
  const before: string[] = []
  const after: string[] = []
  let isChange = false
  for (;;) {
    const line = cursor.lines[cursor.at]
    const head = header(cursor)
    if (line === undefined || head === undefined) break
    if (head.startsWith('*** ') || isMark(head)) break
    if (head === '') {
      // A line that lost its only blank is an empty one, except in front of the next section.
      const blank = blankLines(cursor)
      if (blank === null) break
      for (const empty of blank) {
        before.push(empty)
        after.push(empty)
      }
      continue
    }
    const rest = line.slice(1)
    if (line.startsWith(' ')) {
      before.push(rest)
      after.push(rest)
    } else if (line.startsWith('-')) before.push(rest)
    else if (line.startsWith('+')) after.push(rest)
    else throw malformed(`a line of ${name} begins with no blank, \`+\` or \`-\``, cursor)
    isChange ||= /^[-+]/.test(line)
    cursor.at += 1
  }
  if (!isChange) throw malformed(`${name} changes nothing`, cursor)
  return { before, after }
}

/** Takes the empty lines that follow; `null`: they only part this section from the next one. */
function blankLines(cursor: Cursor): readonly string[] | null {
  const { at } = cursor
  while (header(cursor) === '') cursor.at += 1
  const next = header(cursor)
  if (next === undefined || (next.startsWith('*** ') && next !== END_OF_FILE)) return null
  return cursor.lines.slice(at, cursor.at)
}
