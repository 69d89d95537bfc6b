/** The grammar of run and session ids (trace.md §7): checked before an id touches a path or a table. */

import { RecordError } from '../core/errors.js'
import type { RunId, SessionId } from '../core/ids.js'

/** The id itself; throws `malformed_record` unless it is a ULID in its canonical upper case. */
export function checkUlid<Id extends RunId | SessionId>(id: Id): Id {
  const parsed = parseUlid<Id>(id)
  if (parsed === undefined) throw new RecordError('malformed_record', 'an id is a ULID')
  return parsed
}

/** Reads an id; `undefined` for anything that is not a ULID. */
export function parseUlid<Id extends RunId | SessionId>(text: unknown): Id | undefined {
  return typeof text === 'string' && ULID.test(text) ? (text as Id) : undefined
}

/** The first digit holds three bits: 26 digits of five would be 130, a ULID has 128. */
const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/
