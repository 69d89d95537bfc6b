/** Lines and bytes (trace.md §1): how a batch of records is laid out, and taken apart again. */

import { RecordError } from '../core/errors.js'

/** The longest line, LF not counted; a longer one is refused when written and when read. */
export const MAX_LINE: number = 1024 * 1024

/**
 * The bytes of a batch: each line followed by LF. A copy, so what the caller does to its lines
 * afterwards changes nothing. Throws `malformed_record` for an empty line, one with LF in it, or one
 * that is too long: a reader would take it apart differently.
 */
export function joinLines(lines: readonly Uint8Array[]): Uint8Array {
  const total = lines.reduce((sum, line) => sum + line.length + 1, 0)
  const bytes = new Uint8Array(total)
  let offset = 0
  for (const line of lines) {
    if (line.length === 0 || line.length > MAX_LINE || line.includes(LF)) {
      throw new RecordError('malformed_record', 'not one line', { bytes: line.length })
    }
    bytes.set(line, offset)
    offset += line.length + 1
    bytes[offset - 1] = LF
  }
  return bytes
}

/** Joins batches into what goes to the store as one write. */
export function joinBatches(batches: readonly Uint8Array[]): Uint8Array {
  const [only] = batches
  if (only !== undefined && batches.length === 1) return only
  const bytes = new Uint8Array(batches.reduce((sum, batch) => sum + batch.length, 0))
  let offset = 0
  for (const batch of batches) {
    bytes.set(batch, offset)
    offset += batch.length
  }
  return bytes
}

/**
 * The lines in a stream of chunks, without LF, each a copy of its own. What follows the last LF was
 * never accepted and is not yielded. Holds one chunk and one line; rejects with `malformed_record`
 * when a line is too long.
 */
export async function* splitLines(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, void> {
  let rest = new Uint8Array(0)
  for await (const chunk of chunks) {
    let start = 0
    for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, start)) {
      yield checkLine(concatenate(rest, chunk.subarray(start, end)))
      rest = new Uint8Array(0)
      start = end + 1
    }
    rest = checkLine(concatenate(rest, chunk.subarray(start)))
  }
}

export const LF: number = 0x0a

function concatenate(left: Uint8Array, right: Uint8Array): Uint8Array<ArrayBuffer> {
  if (left.length === 0) return new Uint8Array(right)
  const bytes = new Uint8Array(left.length + right.length)
  bytes.set(left)
  bytes.set(right, left.length)
  return bytes
}

function checkLine<T extends Uint8Array>(line: T): T {
  if (line.length <= MAX_LINE) return line
  throw new RecordError('malformed_record', 'a line is too long', { limit: MAX_LINE })
}
