/** What sandbox.md §1, §3 and §5 promise for one request, said again without rules or their order. */

import { PROTECTED_DIRECTORIES, PROTECTED_FILES } from '../../src/lists/protected.js'
import type { ViewInput } from '../../src/sandbox/seatbelt/view.js'
import type { Query } from './sbpl-evaluator.js'

/** True when the promises let a command do this. */
export function modelPermits(
  input: ViewInput,
  { operation, path: given = '', kind }: Query,
): boolean {
  const path = real(given)
  const places = placesOf(input)
  const isSpecial = kind === 'FIFO' || kind === 'SOCKET'
  const isOwnPlace = places.written.some((root) => within(path, root)) || within(path, '/dev/fd')
  switch (operation) {
    case 'file-read-data':
    case 'file-read-metadata':
    case 'file-read-xattr':
      if (isSpecial && operation === 'file-read-data' && !isOwnPlace) return false
      if (path === '/' || isDevice(path)) return true
      return (
        (operation === 'file-read-metadata' && isOnTheWay(path, places)) || isRead(path, places)
      )
    case 'file-test-existence':
      return isDevice(path) || isOnTheWay(path, places) || isRead(path, places)
    case 'file-map-executable':
    case 'process-exec':
    case 'process-exec-interpreter':
      return isRead(path, places)
    case 'file-write-data':
      if (isSpecial && !isOwnPlace) return false
      return isSink(path) || isWritten(path, places)
    case 'file-write-create':
    case 'file-write-unlink':
      return isWritten(path, places) && !isPinned(path, places)
    case 'file-write-mode':
    case 'file-write-times':
    case 'file-write-xattr':
      return isWritten(path, places)
    default:
      return false
  }
}

interface Places {
  readonly own: string
  /** Where the protected names are protected. */
  readonly repositories: readonly string[]
  /** Roots that commands write, but `/`. */
  readonly written: readonly string[]
  readonly shown: readonly string[]
  /** Of these, what a policy names. */
  readonly readable: readonly string[]
  readonly closed: readonly string[]
  readonly secret: readonly string[]
  readonly veiled: readonly string[]
  readonly fixed: readonly string[]
  readonly pinned: readonly string[]
  readonly isOpen: boolean
}

function placesOf({ profile, guard, surroundings, scratch }: ViewInput): Places {
  const { workspace, writable, readable, hidden, mode } = profile.fileSystem
  const own = real(workspace)
  const veils = hidden.map(real)
  const opened = (paths: readonly string[]): readonly string[] =>
    paths
      .map(real)
      .filter((path) => path !== '/' && !surroundings.temporary.includes(path))
      .filter((path) => !within(path, '/dev') && !veils.some((veil) => within(path, veil)))
  const mine = scratch === undefined ? [] : [real(scratch)]
  const roots = [own, ...opened(writable)]
  const isOpen = mode === 'open'
  return {
    own,
    repositories: mode === 'read_only' ? [] : roots,
    written: mode === 'read_only' ? mine : [...roots, ...mine],
    shown: [
      ...(mode === 'read_only' ? roots : []),
      ...opened(readable),
      ...(isOpen
        ? []
        : surroundings.tools.filter((path) => !veils.some((veil) => within(path, veil)))),
    ],
    readable: opened(readable),
    closed: [
      ...(isOpen ? surroundings.temporary : surroundings.closed),
      ...veils.filter((veil) => within(own, veil)),
    ],
    secret: [...surroundings.secrets, ...guard.masks.map(({ path }) => path)]
      .map(real)
      .filter((path) => !within(own, path)),
    veiled: veils.filter((veil) => !within(own, veil)),
    fixed: [...guard.fixed, ...guard.closed].map(real),
    pinned: guard.pinned.map(real),
    isOpen,
  }
}

/** Climbs until something says what holds here. */
function accessOf(path: string, places: Places): 'none' | 'read' | 'write' {
  let isShown = false
  for (let at = path; ; at = parent(at)) {
    if (places.closed.includes(at)) return isShown ? 'read' : 'none'
    if (places.written.includes(at)) return 'write'
    isShown ||= places.shown.includes(at)
    if (at === '/') return places.isOpen ? 'write' : isShown ? 'read' : 'none'
  }
}

function isCovered(path: string, places: Places): boolean {
  return (
    places.secret.some((secret) => within(path, secret)) ||
    places.veiled.some((veil) => within(folded(path), folded(veil)))
  )
}

function isRead(path: string, places: Places): boolean {
  return accessOf(path, places) !== 'none' && !isCovered(path, places)
}

function isWritten(path: string, places: Places): boolean {
  if (accessOf(path, places) !== 'write' || isCovered(path, places)) return false
  if (places.fixed.some((fixed) => within(path, fixed))) return false
  return !isControl(path, places)
}

function isControl(path: string, { own, repositories }: Places): boolean {
  const parts = partsBelow(path, own)
  const isTop = [...PROTECTED_DIRECTORIES, ...PROTECTED_FILES].some((name) => {
    const wanted = name.split('/')
    return (
      repositories.length > 0 &&
      wanted.every((part, at) => folded(parts[at] ?? '') === part.toLowerCase())
    )
  })
  return (
    isTop ||
    repositories.some((root) => partsBelow(path, root).some((part) => folded(part) === '.git'))
  )
}

/** A folder whose change would change what a rule about a path below means. */
function isPinned(path: string, places: Places): boolean {
  const isAbove = (one: string): boolean => path !== one && within(one, path)
  const names = [...PROTECTED_DIRECTORIES, ...PROTECTED_FILES].map((name) => name.split('/'))
  const parts = partsBelow(path, places.own)
  return (
    [...places.written, ...places.pinned].includes(path) ||
    places.veiled.some(
      (one) => folded(path) !== folded(one) && within(folded(one), folded(path)),
    ) ||
    [
      ...[...places.written, ...places.readable, ...places.closed, ...places.secret],
      ...places.fixed,
    ].some(isAbove) ||
    (parts.length > 0 &&
      places.repositories.length > 0 &&
      names.some(
        (name) =>
          parts.length < name.length &&
          parts.every((part, at) => folded(part) === name[at]?.toLowerCase()),
      ))
  )
}

/** Folders above what is shown and secrets can be looked at, not opened; the data volume lies below two of them. */
function isOnTheWay(path: string, places: Places): boolean {
  const open = [...places.written, ...places.shown].filter((one) => isRead(one, places))
  const above = (one: string): boolean => path !== one && within(one, path)
  const isEntry =
    places.secret.includes(path) &&
    accessOf(path, places) !== 'none' &&
    !isCovered(path, { ...places, secret: places.secret.filter((one) => one !== path) })
  return (
    isEntry ||
    open.some(above) ||
    (open.length > 0 && ['/', '/System', '/System/Volumes'].includes(path))
  )
}

function isDevice(path: string): boolean {
  return /^\/dev\/(?:null|zero|u?random|std(?:in|out|err)|fd(?:\/.*)?)$/s.test(path)
}

function isSink(path: string): boolean {
  return isDevice(path) && !/random$/.test(path)
}

/** One name for a file: the system links three folders, and shows its data volume a second time. */
function real(path: string): string {
  const short = path.replace(/^\/System\/Volumes\/Data(?=\/(?!System|dev|s?bin)|$)/, '') || '/'
  return short.replace(/^\/(?=(?:var|tmp|etc)(?:\/|$))/, '/private/')
}

function folded(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}

function within(path: string, root: string): boolean {
  return path === root || path.startsWith(root === '/' ? '/' : `${root}/`)
}

function partsBelow(path: string, root: string): readonly string[] {
  return within(path, root) ? path.slice(root.length).split('/').slice(1) : []
}

function parent(path: string): string {
  return path.slice(0, path.lastIndexOf('/')) || '/'
}
