/**
 * Absolute paths as text: containment and normal form, without touching the disk. A path on Windows is
 * its drive with slashes, `C:/work`.
 */

/** True when `path` is `root` or below it, on a drive in any case. Both are normalised. */
export function isInside(path: string, root: string): boolean {
  if (!DRIVE.test(root)) return path === root || path.startsWith(root === '/' ? '/' : `${root}/`)
  const [one = '', other = ''] = [path, root].map((text) => slashed(text).toLowerCase())
  return one === other || one.startsWith(other.endsWith('/') ? other : `${other}/`)
}

const DRIVE = /^[A-Za-z]:(?=[\\/])/

/** The normal form of `path`, taken from `base` when it is relative. `..` stops at `/`. */
export function absolutePath(path: string, base: string): string {
  // Only where the base is on a drive: elsewhere a colon and a backslash are letters of a name.
  const drive = DRIVE.exec(base)?.[0]
  if (drive !== undefined) return onDrive(slashed(path), slashed(base), drive)
  const parts: string[] = []
  for (const part of (path.startsWith('/') ? path : `${base}/${path}`).split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  return `/${parts.join('/')}`
}

function slashed(path: string): string {
  return path.replaceAll('\\', '/')
}

function onDrive(path: string, base: string, drive: string): string {
  const own = DRIVE.exec(path)?.[0]
  if (own !== undefined) return `${own}${absolutePath(path.slice(own.length), '/')}`
  return `${drive}${absolutePath(path, base.slice(drive.length))}`
}

/** How many folders lie above. Parents sort before their children. */
export function depth(path: string): number {
  return path === '/' ? 0 : path.split('/').length - 1
}
