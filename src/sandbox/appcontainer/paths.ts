/** Windows' absolute paths as text: normal form, containment, folders that are the system's. */

import { SandboxError } from '../../core/errors.js'

/**
 * A drive, then names, with backslashes. Relative paths are taken from `base`. Throws
 * `workspace_refused` for shares, devices, streams, and names that Windows reads as another.
 */
export function drivePath(given: string, base?: string): string {
  const text = given.replaceAll('/', '\\')
  // What begins with a backslash is neither relative nor whole: a share, a device, the current drive.
  const isRelative = base !== undefined && !/^(?:[A-Za-z]:)?\\/.test(text)
  const whole = isRelative ? `${base}\\${text}` : text
  const names: string[] = []
  for (const name of whole.slice(3).split('\\')) {
    if (name === '..') names.pop()
    else if (name !== '' && name !== '.') names.push(name)
  }
  if (!/^[A-Za-z]:\\/.test(whole) || names.some(isStrange) || /\p{Surrogate}/u.test(whole)) {
    throw new SandboxError(
      'workspace_refused',
      `\`${given.replaceAll('\0', '')}\` is not a plain path on a drive`,
      'name folders and files as they stand on a local drive',
    )
  }
  return `${whole.slice(0, 2).toUpperCase()}\\${names.join('\\')}`
}

/** Devices in any folder, streams, and what Windows cuts off or expands. */
function isStrange(name: string): boolean {
  return (
    /[\p{Cc}<>:"|?*]|[. ]$/u.test(name) ||
    /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?:\.|$)/i.test(name)
  )
}

/** True when `path` is `root` or below it, whatever the case. Both are of `drivePath`. */
export function isOnDrive(path: string, root: string): boolean {
  const [one, other] = [path.toLowerCase(), root.toLowerCase()]
  return one === other || one.startsWith(other.endsWith('\\') ? other : `${other}\\`)
}

/** True for what belongs to the system or to all programs: every container reads it, none may get more. */
export function isSystems(path: string): boolean {
  return /^[a-z]:\\(?:windows|program files(?: \(x86\))?|programdata)(?:\\|$)/i.test(path)
}
