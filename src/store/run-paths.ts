/** Where the files of a run are (trace.md §4): `runs/<first six of the id>/<id>.jsonl` and beside it. */

import { RecordError } from '../core/errors.js'
import type { RunId } from '../core/ids.js'

/** Paths of one run in a ledger folder. */
export interface RunPaths {
  readonly folder: string
  readonly records: string
  readonly lock: string
  /** Space kept for the records that close the run on a full disk. */
  readonly reserve: string
  /** The n-th piece of a torn line that was moved aside. */
  readonly torn: (n: number) => string
}

/** Throws `malformed_record` for an id that is not a ULID: it never touches a path. */
export function runPaths(ledgerFolder: string, run: RunId): RunPaths {
  const id = checkRunId(run)
  const folder = `${runsFolder(ledgerFolder)}/${id.slice(0, 6)}`
  const base = `${folder}/${id}`
  return {
    folder,
    records: `${base}${RECORDS}`,
    lock: `${base}.lock`,
    reserve: `${base}.reserve`,
    torn: (n) => `${base}.torn.${n}`,
  }
}

/** Throws `malformed_record` unless the id is a ULID in its canonical upper case. */
export function checkRunId(run: RunId): RunId {
  if (typeof run === 'string' && ULID.test(run)) return run
  throw new RecordError('malformed_record', 'a run id is a ULID')
}

/** The run whose records have this file name; `undefined` for any other name. */
export function runOfFile(name: string): RunId | undefined {
  const id = name.slice(0, -RECORDS.length)
  return name.endsWith(RECORDS) && ULID.test(id) ? (id as RunId) : undefined
}

export function runsFolder(ledgerFolder: string): string {
  return `${ledgerFolder}/runs`
}

const RECORDS = '.jsonl'
/** The first digit holds three bits: 26 digits of five would be 130, a ULID has 128. */
const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/
