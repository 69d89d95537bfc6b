/** The ledger port (trace.md §1, §4): append-only runs of lines. Stores implement it. */

import type { RunId } from '../core/ids.js'

/** How safe a line is when `append` resolves. */
export type Durability =
  /** Handed to the operating system: survives the process, not the machine. */
  | 'written'
  /** On the medium (fdatasync or its equal). */
  | 'durable'

/** What was found and mended when a run was opened again. */
export interface TornTail {
  readonly bytes: number
  /** SHA-256 of the bytes that were moved aside, lower-case hexadecimal. */
  readonly digest: string
}

/** All runs of one workspace. Rejects with `RecordError` only. */
export interface Ledger {
  readonly id: string
  readonly durable: boolean
  /** Creates a run exclusively; `run_exists` when it is there, `locked` when another process owns it. */
  readonly createRun: (run: RunId) => Promise<RunLog>
  /** Takes over a run whose owner is gone; moves a torn last line aside before it returns. */
  readonly reopenRun: (
    run: RunId,
  ) => Promise<{ readonly log: RunLog; readonly torn: TornTail | null }>
  /** The accepted lines of a run in order, without LF; `run_missing` when there is none. */
  readonly read: (run: RunId) => AsyncIterable<Uint8Array>
  readonly runs: () => Promise<readonly RunId[]>
  readonly close: () => Promise<void>
}

/** The one writer of a run. */
export interface RunLog {
  /**
   * Appends lines (each canonical JSON without LF) as one write, all or nothing. Calls take effect in
   * call order; `durable` callers that wait together share one flush. After a failure the log is
   * poisoned: every later append rejects with `writer_poisoned`.
   */
  readonly append: (lines: readonly Uint8Array[], durability: Durability) => Promise<void>
  /** Flushes what is pending and gives up ownership. Later appends reject with `writer_closed`. */
  readonly close: () => Promise<void>
}
