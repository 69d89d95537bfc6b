/** Which open files of this process a child would inherit by accident (sandbox.md §2, E-07). */

import { closeSync, openSync, readFileSync, readdirSync } from 'node:fs'
import { devNull } from 'node:os'
import { SandboxError } from '../../core/errors.js'

/** The bit of `flags:` in /proc/self/fdinfo that stands for close-on-exec, octal 02000000. */
const CLOSE_ON_EXEC = 0o2000000

/** Descriptors above this cannot be covered by index without an absurd table: the start is refused. */
const HIGHEST = 4096

/**
 * The descriptors above 2 without close-on-exec. Other systems than Linux have no such list and give
 * none; on macOS the first program inside the boundary closes what is open.
 */
export function inheritedDescriptors(): readonly number[] {
  if (process.platform !== 'linux') return []
  const found = entries().filter((descriptor) => descriptor > 2 && isInherited(descriptor))
  if (found.some((descriptor) => descriptor > HIGHEST)) {
    throw refused('a file descriptor above 4096 is open without close-on-exec', undefined)
  }
  return found
}

/** The system's empty file, open until `close`. */
export function openNull(): { readonly descriptor: number; readonly close: () => void } {
  const descriptor = openSync(devNull, 'r')
  return { descriptor, close: () => closeSync(descriptor) }
}

function entries(): readonly number[] {
  try {
    return readdirSync('/proc/self/fdinfo').map(Number)
  } catch (cause) {
    // Denied: the start. An unknown descriptor could be a way out of the boundary.
    throw refused('the open file descriptors of this process cannot be listed', cause)
  }
}

function isInherited(descriptor: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)$/m.exec(
      readFileSync(`/proc/self/fdinfo/${descriptor}`, 'latin1'),
    )?.[1]
    return flags === undefined || (parseInt(flags, 8) & CLOSE_ON_EXEC) === 0
  } catch {
    // Nothing is denied: the descriptor, the one that listed the folder, is closed by now.
    return false
  }
}

function refused(message: string, cause: unknown): SandboxError {
  return new SandboxError(
    'setup_failed',
    message,
    'start the host with /proc mounted and without leaked file descriptors',
    cause,
  )
}
