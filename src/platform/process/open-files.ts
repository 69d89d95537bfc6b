/** Opens what a launcher mounts by descriptor, so that no link can be put in its place (sandbox.md §4). */

import { closeSync, constants, fstatSync, openSync, readlinkSync } from 'node:fs'
import { SandboxError } from '../../core/errors.js'
import { systemErrorCode } from '../disk/system-error.js'

/** A real path, and the descriptor at which the launcher expects it. */
export interface OpenFile {
  readonly descriptor: number
  readonly path: string
}

/** The open files until `close`; the launcher's descriptors with ours. */
export interface OpenFiles {
  readonly descriptors: ReadonlyMap<number, number>
  readonly close: () => void
}

/** Opens all of them for no other use than to name them. Throws `SandboxError` when one has moved, and what the system says for want of descriptors. */
export function openFiles(wanted: readonly OpenFile[]): OpenFiles {
  const descriptors = new Map<number, number>()
  const close = (): void => {
    for (const opened of descriptors.values()) closeSync(opened)
  }
  try {
    for (const { descriptor, path } of wanted) {
      const opened = named(path)
      if (opened !== null) descriptors.set(descriptor, opened)
      if (opened === null || !isAt(opened, path)) throw moved(path)
    }
    return { descriptors, close }
  } catch (cause) {
    // Denied: the run.
    close()
    throw cause
  }
}

/** Linux' O_PATH, which Node has no name for: the file is neither read nor waited for. */
const NAME_ONLY = 0o10000000

function named(path: string): number | null {
  try {
    return openSync(path, NAME_ONLY | constants.O_NOFOLLOW)
  } catch (cause) {
    // Denied: the run that needs this file.
    if (['EMFILE', 'ENFILE'].includes(systemErrorCode(cause) ?? '')) throw cause
    return null
  }
}

/** A descriptor that only names can name a link itself; and a link above shows in the real path. */
function isAt(opened: number, path: string): boolean {
  return !fstatSync(opened).isSymbolicLink() && nameOf(opened) === path
}

function nameOf(opened: number): string {
  try {
    return readlinkSync(`/proc/self/fd/${opened}`)
  } catch (cause) {
    // Denied: the run.
    const remedy = 'start the host with /proc mounted'
    throw new SandboxError('setup_failed', 'an open file cannot be named', remedy, cause)
  }
}

function moved(path: string): SandboxError {
  return new SandboxError(
    'setup_failed',
    `\`${path}\` has moved or has become a link since it was looked at`,
    'run the command again when nothing else changes the workspace',
  )
}
