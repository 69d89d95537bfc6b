/** Looks through a writable folder for repositories, secrets and package stores (sandbox.md §3). */

import type { Clock } from '../../platform/clock.js'
import type { FileFacts, FolderEntry, Machine } from '../../platform/machine.js'
import { SEARCH_LIMITS, VIRTUAL_ENVIRONMENT } from '../../lists/searching.js'
import { folded, isPackageStore, isRepository, isSecret } from './names.js'
import { refusedPath } from './refusal.js'
import { canEnter, isUnseen } from './unseen.js'

/** What a search found, as paths. */
export interface Found {
  /** `.git`, whatever it is. */
  readonly repositories: readonly string[]
  /** Folders that are repositories themselves. */
  readonly bare: readonly string[]
  readonly secrets: readonly string[]
  readonly stores: readonly string[]
}

/**
 * Searches a folder. Folders whose list of names has not changed since the last search are not listed
 * again. Throws `workspace_refused` at the limits, and for what a command could reach and this cannot look at.
 */
export type Search = (root: string) => Found

export function createSearch(machine: Machine, clock: Clock): Search {
  const known = new Map<string, Listing>()
  return (root) => {
    const found: Record<keyof Found, string[]> = {
      repositories: [],
      bare: [],
      secrets: [],
      stores: [],
    }
    const waiting = [{ path: root, depth: 0 }]
    let entries = 0
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const { path, depth } = next
      const listing = listingOf(path, known, { machine, nowMs: clock.wallMs() })
      entries += listing.count
      if (entries > SEARCH_LIMITS.entries) throw tooMuch(root, 'entries', SEARCH_LIMITS.entries)
      if (depth > SEARCH_LIMITS.depth) throw tooMuch(root, 'folders deep', SEARCH_LIMITS.depth)
      if (listing.isBare) found.bare.push(path)
      for (const kind of ['repositories', 'secrets', 'stores'] as const) {
        for (const name of listing[kind]) found[kind].push(`${path}/${name}`)
      }
      for (const name of listing.folders)
        waiting.push({ path: `${path}/${name}`, depth: depth + 1 })
    }
    return found
  }
}

/** One folder as it was listed. */
interface Listing {
  readonly id: string
  readonly changedMs: number
  readonly listedMs: number
  readonly count: number
  readonly folders: readonly string[]
  readonly repositories: readonly string[]
  readonly secrets: readonly string[]
  readonly stores: readonly string[]
  readonly isBare: boolean
}

/** A change right after a listing may carry the listing's own time. */
const TICK_MS = 50

function listingOf(
  path: string,
  known: Map<string, Listing>,
  { machine, nowMs }: { readonly machine: Machine; readonly nowMs: number },
): Listing {
  const facts = machine.facts(path)
  const before = known.get(path)
  if (facts !== null && before !== undefined && isCurrent(before, facts)) return before
  const entries = machine.entries(path)
  if (facts?.kind !== 'directory' || entries === null) {
    // Whoever owns a folder can open it again inside; a closed folder of somebody else stays closed there too.
    if (facts !== null && canEnter(path, facts, machine)) throw unsearchable(path)
    return { ...sorted([]), id: '', changedMs: 0, listedMs: 0 }
  }
  const listing = { ...sorted(entries), id: facts.id, changedMs: facts.changedMs, listedMs: nowMs }
  const { folders, repositories, secrets, stores } = listing
  const unseen = [...folders, ...repositories, ...secrets, ...stores].find((name) =>
    isUnseen(path, name, machine),
  )
  if (unseen !== undefined && canEnter(path, facts, machine)) {
    throw unsearchable(`${path}/${unseen}`)
  }
  known.set(path, listing)
  return listing
}

function unsearchable(path: string): Error {
  return refusedPath(path, 'cannot be searched')
}

function isCurrent(listing: Listing, facts: FileFacts): boolean {
  return (
    listing.id === facts.id &&
    listing.changedMs === facts.changedMs &&
    facts.changedMs + TICK_MS < listing.listedMs
  )
}

function sorted(
  entries: readonly FolderEntry[],
): Pick<Listing, 'count' | 'folders' | 'repositories' | 'secrets' | 'stores' | 'isBare'> {
  const names = (test: (entry: FolderEntry) => boolean): readonly string[] =>
    entries.filter(test).map(({ name }) => name)
  const has = (name: string): boolean => entries.some((entry) => entry.name === name)
  const isVirtual = has(VIRTUAL_ENVIRONMENT)
  const isSkipped = ({ name, kind }: FolderEntry): boolean =>
    kind === 'directory' && isPackageStore(name)
  // Any command can put the mark of a virtual environment anywhere: it may close folders, and hides nothing.
  const isStore = (entry: FolderEntry): boolean =>
    isSkipped(entry) || (isVirtual && entry.kind === 'directory')
  const isNotable = ({ name }: FolderEntry): boolean => isRepository(name) || isSecret(name)
  return {
    count: entries.length,
    repositories: names(({ name }) => isRepository(name)),
    secrets: names(({ name }) => isSecret(name)),
    stores: names((entry) => isStore(entry) && !isNotable(entry)),
    folders: names((entry) => entry.kind === 'directory' && !isSkipped(entry) && !isNotable(entry)),
    isBare: isBare(new Set(entries.map(({ name }) => folded(name)))),
  }
}

/** What git takes for a repository without a `.git`: whole, or the folder of a worktree of another one. */
function isBare(names: ReadonlySet<string>): boolean {
  if (!names.has('head')) return false
  return (names.has('objects') && names.has('refs')) || names.has('commondir')
}

function tooMuch(root: string, what: string, limit: number): Error {
  return refusedPath(root, `has more than ${limit} ${what} to search`)
}
