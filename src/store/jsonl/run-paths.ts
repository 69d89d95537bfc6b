/** Where the files of a run are (trace.md §4): `runs/<first six of the id>/<id>.jsonl` and beside it. */

import type { RunId } from '../../core/ids.js'
import { checkUlid, parseUlid } from '../ulid.js'

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
  const id = checkUlid(run)
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

/** The run whose records have this file name; `undefined` for any other name. */
export function runOfFile(name: string): RunId | undefined {
  return name.endsWith(RECORDS) ? parseUlid(name.slice(0, -RECORDS.length)) : undefined
}

export function runsFolder(ledgerFolder: string): string {
  return `${ledgerFolder}/runs`
}

const RECORDS = '.jsonl'
