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
  const waiting = [roots.home, roots.workspace]
  let looked = 0
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    for (const { name, kind } of paths.namesIn?.(folder) ?? []) {
      looked += 1
      if (looked > MOST_NAMES) return null
      const path = folder.endsWith('/') ? folder + name : `${folder}/${name}`
      if (kind === 'folder') {
        if (isSearched(path, roots)) waiting.push(path)
      } else if (isGuarded(path, roots)) {
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

function isGuarded(path: string, roots: Roots): boolean {
  const measure = { roots, claim: 'suspicion' } as const
  return isInClass('@credentials', path, measure) || isInClass('@protected', path, measure)
}
