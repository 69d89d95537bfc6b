/** Finds a folder again that somebody moved, by descriptor (sandbox.md §3). */

import { closeSync, constants, openSync, readlinkSync } from 'node:fs'

/** A folder while it is held open. Where descriptors have no names it is never found elsewhere. */
export interface FollowedFolder {
  /** A path to the folder if it is not at its own path any more, else `null`. */
  readonly elsewhere: () => string | null
  readonly close: () => void
}

/** Linux' O_PATH, which Node has no name for: nothing is read. */
const NAME_ONLY = 0o10000000

/** Holds the folder at a path open. Throws what the system says: it is gone, or no descriptor is left. */
export function followFolder(path: string): FollowedFolder {
  if (process.platform !== 'linux') return { elsewhere: () => null, close: () => undefined }
  let descriptor: number | null = openSync(path, NAME_ONLY | constants.O_DIRECTORY)
  return {
    elsewhere() {
      const name = `/proc/self/fd/${descriptor ?? ''}`
      return descriptor === null || readlinkSync(name) === path ? null : name
    },
    close() {
      // Once: the number may be another file's by the second time.
      if (descriptor !== null) closeSync(descriptor)
      descriptor = null
    },
  }
}
