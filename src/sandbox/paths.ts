/** Absolute POSIX paths as text: containment and normal form, without touching the disk. */

/** True when `path` is `root` or below it. Both are normalised. */
export function isInside(path: string, root: string): boolean {
  return path === root || path.startsWith(root === '/' ? '/' : `${root}/`)
}

/** The normal form of `path`, taken from `base` when it is relative. `..` stops at `/`. */
export function absolutePath(path: string, base: string): string {
  const parts: string[] = []
  for (const part of (path.startsWith('/') ? path : `${base}/${path}`).split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  return `/${parts.join('/')}`
}

/** How many folders lie above. Parents sort before their children. */
export function depth(path: string): number {
  return path === '/' ? 0 : path.split('/').length - 1
}
