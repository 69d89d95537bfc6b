/** A virtual file system for the path port (rules.md §7): a map of links, where everything else is itself. */

import type { PathResolution, PathResolver } from '../platform/path-resolver.js'

/** Link paths and what each link says: absolute, or relative to the folder of the link. */
export type VirtualLinks = Readonly<Record<string, string>>

/** Resolves POSIX paths without a disk. More than 40 links resolve to nothing, as on a real system. */
export function virtualPathResolver(links: VirtualLinks = {}): PathResolver {
  const table = new Map(Object.entries(links).map(([path, target]) => [spelled(path), target]))
  const resolveNow = (path: string): PathResolution => follow(path, table)
  return { resolve: (path) => Promise.resolve(resolveNow(path)), resolveNow }
}

const MAXIMUM_LINKS = 40

function follow(path: string, links: ReadonlyMap<string, string>): PathResolution {
  if (!path.startsWith('/') || path.includes('\0')) {
    return { status: 'unresolvable', cause: 'the path is not absolute' }
  }
  const pending = components(path).reverse()
  let real: readonly string[] = []
  let followed = 0
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    const here = name === '..' ? real.slice(0, -1) : [...real, name]
    const target = name === '..' ? undefined : links.get(`/${here.join('/')}`)
    if (target === undefined) {
      real = here
      continue
    }
    followed += 1
    if (followed > MAXIMUM_LINKS) {
      return { status: 'unresolvable', cause: `more than ${MAXIMUM_LINKS} links` }
    }
    pending.push(...components(target).reverse())
    if (target.startsWith('/')) real = []
  }
  return { status: 'resolved', real: `/${real.join('/')}`, links: 1 }
}

function spelled(path: string): string {
  return `/${components(path).join('/')}`
}

function components(path: string): string[] {
  return path.split('/').filter((name) => name !== '' && name !== '.')
}
