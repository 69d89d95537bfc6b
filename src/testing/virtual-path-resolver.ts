/** A virtual file system for the path port (rules.md §7): a map of links, where everything else is itself. */

import type { Platform } from '../core/guarantee.js'
import type { FolderName, PathResolution, PathResolver } from '../platform/path-resolver.js'
import { foldForProof } from '../policy/rules/compare.js'
import { windowsSpelling } from '../policy/rules/windows-paths.js'

/** Link paths and what each link says: absolute, or relative to the folder of the link. */
export type VirtualLinks = Readonly<Record<string, string>>

/** Further names of files: the second name, and the first. */
export type VirtualHardLinks = Readonly<Record<string, string>>

/** What the file system is like besides its links. */
export interface VirtualOptions {
  /** Default `linux`. Windows has one drive without a name of its own, `C:`. */
  readonly platform?: Platform | undefined
  readonly hardlinks?: VirtualHardLinks | undefined
}

/**
 * Resolves paths of any platform without a disk, names compared as its usual volume does. More than
 * 40 links resolve to nothing, as on a real system.
 */
export function virtualPathResolver(
  links: VirtualLinks = {},
  { platform = 'linux', hardlinks = {} }: VirtualOptions = {},
): PathResolver {
  const disk = new VirtualDisk(platform, { links, hardlinks })
  const resolveNow = (path: string): PathResolution => disk.follow(path)
  return {
    resolve: (path) => Promise.resolve(resolveNow(path)),
    resolveNow,
    namesIn: (folder) => disk.namesIn(folder),
  }
}

const MAXIMUM_LINKS = 40

/** A path taken apart: what it hangs on, and its names. */
interface Parts {
  readonly root: string
  readonly names: readonly string[]
}

class VirtualDisk {
  private readonly platform: Platform
  private readonly links: ReadonlyMap<string, string>
  /** Every name of a file that has several, in the spelling of the case. */
  private readonly groups: ReadonlyMap<string, { readonly path: string; readonly names: string[] }>

  constructor(
    platform: Platform,
    given: { readonly links: VirtualLinks; readonly hardlinks: VirtualHardLinks },
  ) {
    this.platform = platform
    this.links = new Map(
      Object.entries(given.links).map(([path, target]) => [this.key(this.parts(path)), target]),
    )
    this.groups = this.grouped(given.hardlinks)
  }

  follow(path: string): PathResolution {
    const start = this.parts(path)
    if (start.root === '' || path.includes('\0')) return unresolvable('the path is not absolute')
    const pending = [...start.names].reverse()
    let real: Parts = { root: start.root, names: [] }
    let followed = 0
    for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
      const here = {
        ...real,
        names: name === '..' ? real.names.slice(0, -1) : [...real.names, name],
      }
      const target = name === '..' ? undefined : this.links.get(this.key(here))
      if (target === undefined) {
        real = here
        continue
      }
      followed += 1
      if (followed > MAXIMUM_LINKS) return unresolvable(`more than ${MAXIMUM_LINKS} links`)
      const { root, names } = this.parts(target)
      pending.push(...[...names].reverse())
      if (root !== '') real = { root, names: [] }
    }
    const names = this.groups.get(this.key(real))?.names
    const identity = names === undefined ? {} : { identity: `virtual:${names[0] ?? ''}` }
    return { status: 'resolved', real: this.spelt(real), links: names?.length ?? 1, ...identity }
  }

  namesIn(folder: string): readonly FolderName[] {
    const above = `${this.key(this.parts(folder)).replace(/\/$/, '')}/`
    const found = new Map<string, FolderName['kind']>()
    const note = (key: string, kind: FolderName['kind']): void => {
      if (!key.startsWith(above)) return
      const [name = '', ...deeper] = key.slice(above.length).split('/')
      if (!found.has(name) || deeper.length > 0)
        found.set(name, deeper.length > 0 ? 'folder' : kind)
    }
    for (const key of this.links.keys()) note(key, 'link')
    for (const key of this.groups.keys()) note(key, 'other')
    return [...found].map(([name, kind]) => ({ name, kind }))
  }

  private grouped(hardlinks: VirtualHardLinks): VirtualDisk['groups'] {
    const groups = new Map<string, { readonly path: string; readonly names: string[] }>()
    for (const pair of Object.entries(hardlinks)) {
      const keys = pair.map((path) => this.key(this.parts(path)))
      const names = keys.flatMap((key) => groups.get(key)?.names ?? [key])
      const all = [...new Set(names)].sort()
      for (const key of all) groups.set(key, { path: key, names: all })
    }
    return groups
  }

  private parts(path: string): Parts {
    const isWindows = this.platform === 'win32'
    const text = isWindows ? windowsSpelling(path) : path
    const root = isWindows ? windowsRoot(text) : text.startsWith('/') ? '/' : ''
    const rest =
      isWindows && root !== '' && !DRIVE_OR_SHARE.test(text) ? text : text.slice(root.length)
    return { root, names: rest.split('/').filter((name) => name !== '' && name !== '.') }
  }

  /** Equal for what the volume takes for one name. */
  private key({ root, names }: Parts): string {
    return foldForProof(root + names.join('/'), this.platform)
  }

  /** As the platform's own resolver spells it. */
  private spelt({ root, names }: Parts): string {
    const path = root + names.join('/')
    return this.platform === 'win32' ? path.replaceAll('/', '\\') : path
  }
}

const DRIVE_OR_SHARE = /^(?:[A-Za-z]:\/|\/\/[^/]+\/[^/]+)/

/** `C:/`, `//server/share/`; `C:/` for a path that begins at its root; empty for a relative one. */
function windowsRoot(text: string): string {
  const [root] = DRIVE_OR_SHARE.exec(text) ?? []
  if (root !== undefined) return root.endsWith('/') ? root : `${root}/`
  return text.startsWith('/') || text === 'C:' ? 'C:/' : ''
}

function unresolvable(cause: string): PathResolution {
  return { status: 'unresolvable', cause }
}
