/** Reading one line of a run: fatal UTF-8, one JSON object, bytes equal to their canonical form. */

import { RecordError } from '../core/errors.js'
import { canonicalText } from '../encoding/canonical.js'
import { copyJson } from '../encoding/plain-json.js'
import type { TraceRecord } from './records.js'

/** Longer lines are never parsed (trace.md §7). */
export const MAXIMUM_LINE: number = 1024 * 1024

/** The record of a line without LF; throws `RecordError malformed_record` for anything else. */
export function parseRecord(line: Uint8Array): TraceRecord {
  if (line.length > MAXIMUM_LINE) throw malformed()
  let text: string
  let value: unknown
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(line)
    value = JSON.parse(text)
  } catch (cause) {
    throw malformed(cause)
  }
  const copy = copyJson(value)
  if (!copy.ok || !isObject(copy.value) || canonicalText(copy.value) !== text) throw malformed()
  if (typeof Reflect.get(copy.value, 'kind') !== 'string') throw malformed()
  return copy.value as unknown as TraceRecord
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function malformed(cause?: unknown): RecordError {
  return new RecordError('malformed_record', 'a line is not a canonical record', {}, cause)
}
