/** The snapshot port (delegation.md §4): versions of one session's bytes. Stores implement it. */

import type { SessionId } from '../core/ids.js'

/** Rejects with `RecordError` only. A version, once put, never changes. */
export interface Snapshots {
  /** Durable when it resolves: atomic, file and folder flushed. */
  readonly put: (session: SessionId, version: number, bytes: Uint8Array) => Promise<void>
  readonly get: (session: SessionId, version: number) => Promise<Uint8Array | null>
  /** Every version that is there, ascending. */
  readonly versions: (session: SessionId) => Promise<readonly number[]>
  /** Removes versions below `version`. */
  readonly prune: (session: SessionId, version: number) => Promise<void>
  /** Removes every version of a session. */
  readonly remove: (session: SessionId) => Promise<void>
}
