/** What a patch says, whatever format it was written in. */

import { ToolError } from '../../../core/errors.js'

/** One change of one file. Paths stand as they are judged and opened. */
export type FileChange =
  | { readonly kind: 'add'; readonly path: string; readonly content: string }
  | {
      readonly kind: 'delete'
      readonly path: string
      /** What the file must hold; `null`: whatever it holds. */
      readonly content: string | null
    }
  | {
      readonly kind: 'update'
      readonly path: string
      readonly moveTo: string | null
      readonly hunks: readonly Hunk[]
    }

/** One run of lines that is replaced by another. */
export interface Hunk {
  /** How a fault names it. */
  readonly name: string
  /** Lines that must stand before it, outermost first. */
  readonly anchors: readonly string[]
  /** The line that the patch says it begins at, from 1; `null` where a format says none. */
  readonly line: number | null
  readonly before: readonly string[]
  readonly after: readonly string[]
  /** Its last line is the last one of the file. */
  readonly isAtEnd: boolean
  /** Whether the file ends in a line end afterwards; `null`: as it did. */
  readonly endsInNewline: boolean | null
}

/** Lines of a patch, read one after the other. */
export class Cursor {
  readonly lines: readonly string[]
  at: number

  constructor(lines: readonly string[], at = 0) {
    this.lines = lines
    this.at = at
  }
}

/** A header without the line end that some editors leave at it. */
export function header({ lines, at }: Cursor): string | undefined {
  return lines[at]?.replace(/\r$/, '')
}

export function skipBlank(cursor: Cursor): void {
  while (header(cursor)?.trim() === '') cursor.at += 1
}

/** The patch is refused, and nothing of it was done. */
export function malformed(what: string, { at }: Cursor): ToolError {
  return new ToolError('invalid_input', `the patch is refused at its line ${at + 1}: ${what}`)
}

/** A path that has one reading: the one that is judged is the one that is opened. */
export function pathIn(text: string, cursor: Cursor): string {
  if (text === '') throw malformed('a path is missing', cursor)
  if (text.length > LONGEST_PATH) throw malformed('a path is too long', cursor)
  if (/^\s|\s$/.test(text)) throw malformed('a path begins or ends with a blank', cursor)
  if (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text) || !isWellFormed(text)) {
    throw malformed('a path holds a character that is not shown', cursor)
  }
  if (text.startsWith('"')) throw malformed('a path begins with a quotation mark', cursor)
  if (text === '/dev/null') throw malformed('`/dev/null` is no file to change', cursor)
  return text
}

const LONGEST_PATH = 4096

function isWellFormed(text: string): boolean {
  return !/\p{Cs}/u.test(text)
}
