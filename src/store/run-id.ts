/** The grammar of run ids (trace.md §7): checked before an id touches a path or a table. */

import { RecordError } from '../core/errors.js'
import type { RunId } from '../core/ids.js'

/** Throws `malformed_record` unless the id is a ULID in its canonical upper case. */
export function checkRunId(run: RunId): RunId {
  const id = parseRunId(run)
  if (id === undefined) throw new RecordError('malformed_record', 'a run id is a ULID')
  return id
}

/** Reads a run id; `undefined` for anything that is not a ULID. */
export function parseRunId(text: unknown): RunId | undefined {
  return typeof text === 'string' && ULID.test(text) ? (text as RunId) : undefined
}

/** The first digit holds three bits: 26 digits of five would be 130, a ULID has 128. */
const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/
