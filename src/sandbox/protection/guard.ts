/** What a look at the disk found before one command, as the driver gets it (sandbox.md §3). Plain data. */

import type { ConfineRequest } from '../../contract/sandbox.js'

/** A path to cover: a file with `/dev/null`, a folder with an empty one. */
export interface Mask {
  readonly path: string
  readonly kind: 'file' | 'directory'
}

/** Real paths inside writable roots, parents before children in each list. */
export interface Guard {
  /** Folders on the way to what is protected: writable, but nobody renames them. */
  readonly pinned: readonly string[]
  /** Shown as they are and never changed. */
  readonly fixed: readonly string[]
  /** Empty folders that stand for protected names that do not exist. */
  readonly closed: readonly string[]
  /** Secrets. */
  readonly masks: readonly Mask[]
}

/** A request with what its workspace holds. Without a guard no driver confines a writable root. */
export interface GuardedRequest extends ConfineRequest {
  readonly guard?: Guard | undefined
  /** A private folder of the host that takes the place of the fresh one for home and temporary files. */
  readonly scratch?: string | undefined
}

/** Nothing to protect: an empty private folder, or a workspace that is read-only. */
export const NO_GUARD: Guard = { pinned: [], fixed: [], closed: [], masks: [] }
