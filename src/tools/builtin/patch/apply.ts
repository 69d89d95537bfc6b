/** Puts hunks into a text: where they say, or at the only place where their lines stand. */

import { ToolError } from '../../../core/errors.js'
import type { Hunk } from './change.js'

/** The text afterwards. Throws `ToolError no_match` or `ambiguous_match` that names the hunk. */
export function applyHunks(text: string, hunks: readonly Hunk[]): string {
  const file = splitText(text)
  if (file.lines.length * hunks.length > MOST_WORK) {
    throw new ToolError('too_large', 'the file has too many lines for this many hunks')
  }
  const made: string[] = []
  let from = 0
  let endsInNewline = file.endsInNewline
  for (const given of hunks) {
    const hunk = file.end === '\r\n' ? withoutReturns(given) : given
    const at = placeOf(hunk, file, from)
    for (const line of file.lines.slice(from, at)) made.push(line)
    for (const line of hunk.after) made.push(line)
    from = at + hunk.before.length
    if (hunk.endsInNewline !== null) endsInNewline = atEnd(hunk, file, from)
  }
  for (const line of file.lines.slice(from)) made.push(line)
  return made.join(file.end) + (endsInNewline && made.length > 0 ? file.end : '')
}

/** Lines times hunks: what a search may cost. */
const MOST_WORK = 5_000_000

interface FileText {
  readonly lines: readonly string[]
  readonly end: '\n' | '\r\n'
  readonly endsInNewline: boolean
}

/** A file whose every line ends the same way keeps that; a patch need not repeat it. */
function splitText(text: string): FileText {
  const parts = text.split('\n')
  const last = parts.pop() ?? ''
  const isWindows = parts.length > 0 && parts.every((line) => line.endsWith('\r'))
  const whole = isWindows ? parts.map((line) => line.slice(0, -1)) : parts
  return {
    lines: last === '' ? whole : [...whole, last],
    end: isWindows ? '\r\n' : '\n',
    endsInNewline: last === '',
  }
}

function withoutReturns(hunk: Hunk): Hunk {
  const strip = (line: string): string => line.replace(/\r$/, '')
  return { ...hunk, before: hunk.before.map(strip), after: hunk.after.map(strip) }
}

function atEnd(hunk: Hunk, { lines }: FileText, end: number): boolean {
  if (end !== lines.length) throw noMatch(hunk, 'does not end where the file ends')
  return hunk.endsInNewline === true
}

function placeOf(hunk: Hunk, file: FileText, from: number): number {
  const start = hunk.anchors.reduce((at, anchor) => afterAnchor(hunk, { file, at }, anchor), from)
  if (hunk.isAtEnd && hunk.endsInNewline !== null && file.endsInNewline) {
    throw noMatch(hunk, 'says that the file ends without a line end')
  }
  if (hunk.before.length === 0) return insertion(hunk, file, { from, start })
  const stated = (hunk.line ?? 0) - 1
  if (stated >= start && !hunk.isAtEnd && standsAt(hunk.before, file.lines, stated)) return stated
  const tail = file.lines.length - hunk.before.length
  if (hunk.isAtEnd) {
    if (tail >= start && standsAt(hunk.before, file.lines, tail)) return tail
    throw noMatch(hunk, 'does not match the end of the file')
  }
  const [first, second] = occurrences(hunk.before, file.lines, start)
  if (first === undefined) throw noMatch(hunk, 'does not match the file')
  // Behind an anchor the next place is meant.
  if (second !== undefined && hunk.anchors.length === 0) {
    throw new ToolError('ambiguous_match', `${hunk.name} matches more than one place of the file`)
  }
  return first
}

function insertion(
  hunk: Hunk,
  { lines }: FileText,
  { from, start }: { readonly from: number; readonly start: number },
): number {
  if (hunk.line !== null) {
    if (hunk.line >= from && hunk.line <= lines.length) return hunk.line
    throw noMatch(hunk, 'is to go where the file has no line')
  }
  if (hunk.isAtEnd || lines.length === 0) return lines.length
  if (hunk.anchors.length > 0) return start
  throw new ToolError('ambiguous_match', `${hunk.name} does not say where its lines go`)
}

function afterAnchor(
  hunk: Hunk,
  { file, at }: { readonly file: FileText; readonly at: number },
  anchor: string,
): number {
  const found = file.lines.flatMap((line, index) =>
    index >= at && line.trim() === anchor ? [index] : [],
  )
  const [first, second] = found
  if (first === undefined) throw noMatch(hunk, 'follows a line that the file does not have')
  if (second !== undefined) {
    throw new ToolError('ambiguous_match', `${hunk.name} follows a line that the file has twice`)
  }
  return first + 1
}

function standsAt(lines: readonly string[], file: readonly string[], at: number): boolean {
  return at + lines.length <= file.length && lines.every((line, index) => file[at + index] === line)
}

/** The first two places, in time linear in both (Knuth, Morris, Pratt): a hostile file repeats itself. */
function occurrences(
  lines: readonly string[],
  file: readonly string[],
  from: number,
): readonly number[] {
  const back = borders(lines)
  const found: number[] = []
  let length = 0
  for (let at = from; at < file.length && found.length < 2; at += 1) {
    while (length > 0 && (length === lines.length || lines[length] !== file[at])) {
      length = back[length - 1] ?? 0
    }
    if (lines[length] === file[at]) length += 1
    if (length === lines.length) found.push(at - length + 1)
  }
  return found
}

/** For each prefix the length of the longest one that it also ends with. */
function borders(lines: readonly string[]): readonly number[] {
  const back: number[] = [0]
  let length = 0
  for (let at = 1; at < lines.length; at += 1) {
    while (length > 0 && lines[length] !== lines[at]) length = back[length - 1] ?? 0
    if (lines[length] === lines[at]) length += 1
    back.push(length)
  }
  return back
}

function noMatch(hunk: Hunk, what: string): ToolError {
  return new ToolError('no_match', `${hunk.name} ${what}`)
}
