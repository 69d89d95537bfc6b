/** Bytes that are to be text, and what tells them from binary ones. */

import { ToolError } from '../core/errors.js'

const LOOKED_AT = 8 * 1024

/** The text of a file, wrong bytes replaced; `null` for a binary one: NUL among the first 8 KiB. */
export function textOf(bytes: Uint8Array): string | null {
  return isBinary(bytes) ? null : new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
}

/** As `textOf`, but refuses what would not survive being written again. */
export function exactTextOf(bytes: Uint8Array): string {
  if (isBinary(bytes)) throw new ToolError('not_text', 'the file is no text')
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (error) {
    // Denied: nothing is written back.
    throw new ToolError('not_text', 'the file is no UTF-8 text', error)
  }
}

function isBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, LOOKED_AT).includes(0)
}
