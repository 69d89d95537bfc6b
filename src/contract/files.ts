/** Files as an executor sees them: only what its call was judged for. */

/** Reads need a `read` path of the call, writes a `write` path; anything else rejects with `SandboxError not_judged`. */
export interface CallFiles {
  /** The whole file; rejects past `maximumBytes` (default 8 MiB). Directories, FIFOs, sockets and devices are refused. */
  readonly read: (path: string, options?: { readonly maximumBytes?: number }) => Promise<Uint8Array>
  /**
   * Creates or replaces a regular file; parent folders inside the workspace are made. A file that is
   * made has the permissions of `like`, which needs a `read` path; one that the call removed has its own back.
   */
  readonly write: (
    path: string,
    content: Uint8Array | string,
    options?: { readonly like?: string | undefined },
  ) => Promise<void>
  /** Takes a regular file away; needs a `write` path. Folders, links and files with a second name are refused. */
  readonly remove: (path: string) => Promise<void>
  /** Names in a folder, sorted, with their kind. */
  readonly list: (path: string) => Promise<readonly DirectoryEntry[]>
  /** Regular files below a folder, sorted, links not followed; at most `limit`. */
  readonly walk: (path: string, limit: number) => AsyncIterable<string>
}

/** One name in a folder. */
export interface DirectoryEntry {
  readonly name: string
  readonly kind: 'file' | 'directory' | 'link' | 'other'
}
