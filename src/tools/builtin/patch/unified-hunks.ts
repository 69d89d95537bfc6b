/** The hunks of one file of a unified diff: as many lines as their header says, no more and no less. */

import { header, malformed, type Cursor, type Hunk } from './change.js'

const HUNK = /^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@(?: .*)?$/u
const NO_NEWLINE = /^\\ No newline at end of file$/

/** At least one. Throws `ToolError`. */
export function parseHunks(path: string, cursor: Cursor): readonly Hunk[] {
  const hunks: Hunk[] = []
  while (header(cursor)?.startsWith('@@') === true) {
    hunks.push(parseHunk(`hunk ${hunks.length + 1} of \`${path}\``, cursor))
  }
  const line = header(cursor) ?? ''
  if (hunks.length === 0) throw malformed(`\`${path}\` has no hunk`, cursor)
  if (line.trim() !== '' && !/^(?:diff --git |--- )/.test(line)) {
    throw malformed(`hunk ${hunks.length} of \`${path}\` has more lines than it says`, cursor)
  }
  return hunks
}

interface Body {
  readonly before: string[]
  readonly after: string[]
  isChange: boolean
  /** The side whose last line has no line end. */
  oldOpen: boolean
  newOpen: boolean
}

function parseHunk(name: string, cursor: Cursor): Hunk {
  const parts = HUNK.exec(header(cursor) ?? '')
  if (parts === null) {
    throw malformed(`${name} has no header of the form \`@@ -1,2 +1,3 @@\``, cursor)
  }
  const [line, removed, added] = [parts[1], parts[2] ?? '1', parts[4] ?? '1'].map(Number)
  cursor.at += 1
  const body: Body = { before: [], after: [], isChange: false, oldOpen: false, newOpen: false }
  while (body.before.length < (removed ?? 0) || body.after.length < (added ?? 0)) {
    takeLine(name, body, cursor)
  }
  takeMark(name, body, cursor)
  if (body.before.length !== removed || body.after.length !== added) {
    throw malformed(`${name} does not have the numbers of lines that it says`, cursor)
  }
  if (!body.isChange) throw malformed(`${name} changes nothing`, cursor)
  return {
    name,
    anchors: [],
    line: line ?? 0,
    before: body.before,
    after: body.after,
    isAtEnd: body.oldOpen,
    endsInNewline: body.newOpen ? false : body.oldOpen ? true : null,
  }
}

function takeLine(name: string, body: Body, cursor: Cursor): void {
  const line = cursor.lines[cursor.at]
  if (line === undefined) throw malformed(`${name} has fewer lines than it says`, cursor)
  if (takeMark(name, body, cursor)) return
  const rest = line.slice(1)
  const isSame = line.startsWith(' ') || line === '' || line === '\r'
  if ((isSame || line.startsWith('-')) && !body.oldOpen) body.before.push(rest)
  else if (isSame || line.startsWith('-')) throw afterEnd(name, cursor)
  if ((isSame || line.startsWith('+')) && !body.newOpen) body.after.push(rest)
  else if (isSame || line.startsWith('+')) throw afterEnd(name, cursor)
  if (!isSame && !/^[-+]/.test(line)) {
    throw malformed(`a line of ${name} begins with no blank, \`+\` or \`-\``, cursor)
  }
  body.isChange ||= !isSame
  cursor.at += 1
}

/** The mark is about the line above it: of the old file, of the new one, or of both. */
function takeMark(name: string, body: Body, cursor: Cursor): boolean {
  if (!NO_NEWLINE.test(header(cursor) ?? '')) return false
  const above = cursor.lines[cursor.at - 1] ?? ''
  if (above.startsWith('@@') || above.startsWith('\\')) {
    throw malformed(`${name} ends a line that is not there`, cursor)
  }
  if (!above.startsWith('+')) body.oldOpen = true
  if (!above.startsWith('-')) body.newOpen = true
  cursor.at += 1
  return true
}

function afterEnd(name: string, cursor: Cursor): Error {
  return malformed(`${name} goes on after the end of the file`, cursor)
}
