/** The path port on this system (rules.md §4): `lstat` and `readlink`, one component after the other. */

import { accessSync, constants, lstatSync, readdirSync, readlinkSync } from 'node:fs'
import { parse } from 'node:path'
import type { FolderName, PathResolution, PathResolver } from './path-resolver.js'

/** Resolves as this process sees the file system. What it cannot resolve proves nothing. */
export function nodePathResolver(): PathResolver {
  // A look takes a few microseconds and a turn through the thread pool ten times that, for each
  // component of each spelling; so both ways look at once, and only the answer is a promise.
  return {
    resolve: (path) => Promise.resolve(resolveNow(path)),
    resolveNow,
    // Windows numbers files beyond what a number holds, and not on every volume.
    ...(IS_WINDOWS ? {} : { namesIn }),
  }
}

function resolveNow(path: string): PathResolution {
  const walk = follow(path)
  let step = walk.next()
  while (!step.done) step = walk.next(look(step.value))
  return step.value
}

/** Where the links stand that lead to what a path means; whoever can write there decides what it means. */
export function linksOn(path: string): readonly string[] {
  const walk = follow(path)
  const links: string[] = []
  let step = walk.next()
  while (!step.done) {
    const sight = look(step.value)
    if (sight.kind === 'link') links.push(step.value)
    step = walk.next(sight)
  }
  return links
}

/** True for a file that this user may change by a second name, wherever that is; the path leads through no link. */
export function mayChangeElsewhere(real: string): boolean {
  try {
    const stats = lstatSync(real, { throwIfNoEntry: false })
    if (stats === undefined || stats.nlink <= 1) return false
    return stats.uid === process.geteuid?.() || isWritable(real)
  } catch {
    // Denied: a file that cannot be looked at may be anywhere.
    return true
  }
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch {
    // Nobody but its owner writes it, by whatever name.
    return false
  }
}

/** What stands at one path, whose folders hold no link. */
type Sight =
  | { readonly kind: 'missing' }
  | { readonly kind: 'link'; readonly target: string }
  | { readonly kind: 'file'; readonly links: number; readonly identity: string }
  | { readonly kind: 'other' }
  | { readonly kind: 'unreadable'; readonly cause: string }

const MAXIMUM_LINKS = 40
const IS_WINDOWS = process.platform === 'win32'
/** What the system itself takes; also bounds the work that a hostile path can ask for. */
const MAXIMUM_LENGTH = IS_WINDOWS ? 32_767 : 4096
const SEPARATOR = IS_WINDOWS ? '\\' : '/'
/** Their targets are names for people: the kernel follows them without reading the text. */
const KERNEL_LINK = /^\/proc\/\d+\//

/** Asks for one sight after the other. */
function* follow(path: string): Generator<string, PathResolution, Sight> {
  const { root } = parse(path)
  if (!isAbsolute(root) || path.includes('\0')) return unresolvable('the path is not absolute')
  if (path.length > MAXIMUM_LENGTH) return unresolvable('the path is too long')
  const pending = components(path.slice(root.length)).reverse()
  let real = canonicalRoot(root)
  let names: Names = ONE_NAME
  let followed = 0
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    names = ONE_NAME
    if (name === '..') {
      real = parent(real)
      continue
    }
    const here = real.endsWith(SEPARATOR) ? real + name : real + SEPARATOR + name
    const sight: Sight = yield here
    if (sight.kind === 'unreadable') return unresolvable(sight.cause)
    if (sight.kind !== 'link') {
      real = here
      if (sight.kind === 'file' && sight.links > 1) names = namesOf(sight)
      continue
    }
    followed += 1
    if (followed > MAXIMUM_LINKS) return unresolvable(`more than ${MAXIMUM_LINKS} links`)
    if (KERNEL_LINK.test(here)) return unresolvable('a link that only the kernel can follow')
    const target = parse(sight.target)
    pending.push(...components(sight.target.slice(target.root.length)).reverse())
    if (target.root !== '') real = canonicalRoot(target.root)
  }
  return { status: 'resolved', real, ...names }
}

type Names = Pick<PathResolution & { readonly status: 'resolved' }, 'links' | 'identity'>
const ONE_NAME: Names = { links: 1 }

function namesOf({ links, identity }: Sight & { readonly kind: 'file' }): Names {
  return IS_WINDOWS ? { links } : { links, identity }
}

function unresolvable(cause: string): PathResolution {
  return { status: 'unresolvable', cause }
}

/** `C:` alone and `\` alone depend on a current folder or drive. */
function isAbsolute(root: string): boolean {
  return IS_WINDOWS ? /^(?:[A-Za-z]:[\\/]|[\\/]{2})/.test(root) : root === '/'
}

function canonicalRoot(root: string): string {
  return IS_WINDOWS ? root.replaceAll('/', '\\') : root
}

function components(path: string): string[] {
  const names = IS_WINDOWS ? path.split(/[\\/]/) : path.split('/')
  return names.filter((name) => name !== '' && name !== '.')
}

function parent(real: string): string {
  const { root, dir } = parse(real)
  return real === root ? root : dir
}

function look(path: string): Sight {
  try {
    const stats = lstatSync(path)
    if (stats.isSymbolicLink()) return { kind: 'link', target: readlinkSync(path) }
    if (!stats.isFile()) return { kind: 'other' }
    return { kind: 'file', links: stats.nlink, identity: `${stats.dev}:${stats.ino}` }
  } catch (error) {
    // Denied unless the name is certainly absent: an unreadable component resolves to nothing.
    return unseen(error)
  }
}

function unseen(error: unknown): Sight {
  const code = (error as NodeJS.ErrnoException).code ?? 'unknown'
  if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'missing' }
  return { kind: 'unreadable', cause: code }
}

function namesIn(folder: string): readonly FolderName[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).map((entry) => ({
      name: entry.name,
      kind: entry.isDirectory() ? 'folder' : entry.isSymbolicLink() ? 'link' : 'other',
    }))
  } catch {
    // What this process cannot list it cannot read by that name either.
    return []
  }
}
