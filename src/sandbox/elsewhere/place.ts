/** Where the workspace of a driver lies, if that is not this machine (sandbox.md §1, S1-14). */

import type { SandboxDriver } from '../../contract/sandbox.js'
import type { Platform } from '../../core/guarantee.js'
import type { Files } from '../../platform/files.js'
import type { Machine } from '../../platform/machine.js'
import type { PathResolver } from '../../platform/path-resolver.js'
import type { Programs } from '../../platform/programs.js'

/** What takes the place of this machine for everything that a call means. */
export interface Place {
  /** For the paths of calls, of policies and of the workspace. */
  readonly ports: {
    readonly paths: PathResolver
    readonly programs: Programs
    readonly home: string
    readonly temporary: readonly string[]
    readonly platform: Platform
    /** True for a folder that is there, links followed. */
    readonly isFolder: (path: string) => boolean
  }
  readonly files: Files
  /** The state of a file now; `null` for what cannot be read. */
  readonly digest: (path: string) => string | null
  /** Of another place only paths are known: nothing is searched, protected or made there from here. */
  readonly machine: Machine
}

/** Where a driver keeps its place: no property of a host's own driver has this name. */
export const PLACE: unique symbol = Symbol('place')

/** A driver whose workspace is not on this machine. */
export interface PlacedDriver extends SandboxDriver {
  readonly [PLACE]: Place
}

/** The place of a driver, or `null` for this machine. */
export function placeOf(driver: SandboxDriver | null): Place | null {
  return driver !== null && PLACE in driver ? (driver as PlacedDriver)[PLACE] : null
}
