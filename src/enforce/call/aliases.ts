/** Second names of secret and protected files (rules.md §4): a hard link is the file itself. */

import type { PathResolver } from '../../platform/path-resolver.js'
import type { Roots } from '../../core/facts.js'
import { isInClass, mayHoldSecrets } from '../../policy/rules/classes.js'

/** Names of guarded files that have several, by the identity of the file. */
export type GuardedFiles = ReadonlyMap<string, readonly string[]>

/**
 * Looks through the credentials and the protected files of home and workspace for files with several
 * names; `null` when there is too much to look through.
 */
export function guardedFiles(roots: Roots, paths: PathResolver): GuardedFiles | null {
  const found = new Map<string, string[]>()
  const isGuarded = guardOf(roots)
  const waiting = [roots.home, roots.workspace].map((path) => ({ path, isLinked: false }))
  let looked = 0
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    for (const { name, kind } of paths.namesIn?.(folder.path) ?? []) {
      looked += 1
      if (looked > MOST_NAMES) return null
      const path = folder.path.endsWith('/') ? folder.path + name : `${folder.path}/${name}`
      if (kind === 'folder') {
        if (isSearched(path, roots)) waiting.push({ ...folder, path })
      } else if (isGuarded(path)) {
        // A store may be kept elsewhere and linked to; once, or a link to itself would never end.
        if (kind === 'link' && !folder.isLinked) waiting.push({ path, isLinked: true })
        const identity = identityOf(path, paths)
        if (identity !== undefined) found.set(identity, [...(found.get(identity) ?? []), path])
      }
    }
  }
  return found
}

/** The guarded names of the file at a real path; `null` when it may be a second name of anything. */
export function guardedNames(
  real: string,
  guarded: () => GuardedFiles | null,
  paths: PathResolver,
): readonly string[] | null {
  const known = guarded()
  if (known?.size === 0) return []
  const identity = identityOf(real, paths)
  if (identity === undefined) return []
  return known === null ? null : (known.get(identity) ?? [])
}

function identityOf(path: string, paths: PathResolver): string | undefined {
  const resolution = paths.resolveNow(path)
  return resolution.status === 'resolved' ? resolution.identity : undefined
}

const MOST_NAMES = 50_000

/** What a package manager or Git links by name on purpose holds no secret of this user. */
const LINKED_ON_PURPOSE =
  /\/(?:node_modules|target|\.venv|venv|\.tox|\.nox|\.git\/(?:objects|lfs))$/

function isSearched(folder: string, roots: Roots): boolean {
  if (LINKED_ON_PURPOSE.test(folder)) return false
  return (
    isInClass('@workspace', folder, { roots, claim: 'suspicion' }) || mayHoldSecrets(folder, roots)
  )
}

function guardOf(roots: Roots): (path: string) => boolean {
  const measure = { roots, claim: 'suspicion' } as const
  const inside = `${roots.workspace}/`
  const isStore = mayHoldSecrets(roots.workspace, roots)
  return (path) => {
    // Most names: below a folder of the workspace, and nothing on the way begins as guarded ones do.
    if (!isStore && path.startsWith(inside) && ORDINARY.test(path.slice(inside.length)))
      return false
    return isInClass('@credentials', path, measure) || isInClass('@protected', path, measure)
  }
}

const ORDINARY = /^(?:[!-\-0-~][ -.0-~]*\/)+[!-\-0-~][ -.0-~]*$/
