/** The private folder of one call, where the driver cannot make one inside the boundary (sandbox.md §2). */

import type { SandboxDriver } from '../../contract/sandbox.js'
import { SandboxError } from '../../core/errors.js'
import type { Machine } from '../../platform/machine.js'

/** A folder for one call; absent where the driver makes its own. */
export interface Scratch {
  readonly path?: string | undefined
  /** Removes the folder with whatever the command left in it. */
  readonly remove: () => void
}

/**
 * Makes an empty folder that only this user enters. Throws `setup_failed` when none can be made: a
 * command would write its temporary files somewhere else, or nowhere.
 */
export function scratchFor(driver: SandboxDriver, machine: Machine): Scratch {
  if (driver.platform !== 'darwin') return { remove: () => undefined }
  const folder = machine.privateFolder()
  if (folder !== null) return folder
  throw new SandboxError(
    'setup_failed',
    'no private folder could be made for the command',
    'make the temporary folder of this user writable',
  )
}
