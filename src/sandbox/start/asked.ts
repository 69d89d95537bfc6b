/** What a runner is asked, and what it saw (sandbox.md §2). */

import type { ExecResult, SandboxExec, SandboxProfile } from '../../contract/sandbox.js'
import type { Clock } from '../../platform/clock.js'
import type { Machine } from '../../platform/machine.js'
import type { ScratchFolders } from '../../platform/scratch-folders.js'
import type { Probed } from '../choice.js'

/** How a command is run. */
export interface ExecOptions {
  /** For a call that a person let out, and for no other. */
  readonly unconfined: boolean
  /** Whose scratch it works in, where the profile keeps one a session; absent: one of its own. */
  readonly session?: string | undefined
  /** Asked as the last act before a command with a grant starts; `false` refuses it, `undefined` is a yes. */
  readonly mayStart?: (() => boolean) | undefined
}

/** A result with what else the runner saw. */
export interface SandboxedResult extends ExecResult {
  /**
   * Control files of repositories that appeared while the command ran; `null` when the workspace could
   * not be searched any more.
   */
  readonly newControlFiles?: readonly string[] | null | undefined
  /** Package stores that were read-only because a file of theirs has a name outside (H-27). */
  readonly readOnlyStores?: readonly string[] | undefined
}

/** One command with everything that says how it runs. */
export interface Asked extends ExecOptions {
  readonly profile: SandboxProfile
  readonly request: SandboxExec
}

/** What all commands of a runner share. */
export interface RunnerParts {
  /** What the start probe decided; asked once. */
  readonly find: () => Promise<Probed>
  readonly machine: Machine
  readonly clock: Clock
  readonly scratches: ScratchFolders
}
