/** Which folders can never be a workspace (sandbox.md §2). */

import { absolutePath, isInside } from './paths.js'

/** Folders whose contents are the machine's or everybody's; none of them, nor what holds them. */
const NEVER = ['/tmp', '/run', '/dev', '/proc', '/sys', '/etc', '/usr', '/var'] as const

/** Nothing below these is a place to work in. */
const NEVER_INSIDE = ['/dev', '/proc', '/sys'] as const

/**
 * Why `path` is refused as a workspace, as the end of a sentence; `null` when it is not. `path` and
 * `home` are real paths. Refuses `/`, volume roots, system folders, a home directory and every
 * parent of one.
 */
export function refusedWorkspace(path: string, home: string): string | null {
  if (path.includes('\0')) return 'holds a NUL character'
  if (/^(?:[A-Za-z]:[\\/]*|\\\\[^\\]+\\[^\\]+\\*)$/.test(path)) return 'is the root of a volume'
  if (/^[A-Za-z]:[\\/]|^\\\\/.test(path)) return refusedDrivePath(path, home)
  if (!path.startsWith('/')) return 'is not an absolute path'
  const folder = absolutePath(path, '/')
  if (folder === '/') return 'is the root of the file system'
  if (/^\/Volumes\/[^/]+$/.test(folder)) return 'is the root of a volume'
  if (home.startsWith('/')) {
    const own = absolutePath(home, '/')
    if (folder === own) return 'is a home directory'
    if (isInside(own, folder)) return 'holds a home directory'
  }
  if (/^\/(?:root|(?:home|Users)\/[^/]+)$/.test(folder)) return 'is a home directory'
  if (/^\/(?:home|Users)$/.test(folder)) return 'holds home directories'
  if (NEVER.some((system) => isInside(system, folder))) return 'is a system folder'
  return NEVER_INSIDE.some((system) => isInside(folder, system))
    ? 'is inside a system folder'
    : null
}

function refusedDrivePath(path: string, home: string): string | null {
  const folder = spelled(path)
  const own = spelled(home)
  if (folder === own) return 'is a home directory'
  if (own.startsWith(`${folder}\\`)) return 'holds a home directory'
  return null
}

function spelled(path: string): string {
  const parts = path.toLowerCase().split(/[\\/]/)
  return parts.filter((part, index) => part !== '' || index < 2).join('\\')
}
