/** Second names of secret and protected files (rules.md §4): a hard link is the file itself. */

import type { PathResolver } from '../../platform/path-resolver.js'
import type { Roots } from '../../core/facts.js'
import { isInClass, mayHoldSecrets } from '../../policy/rules/classes.js'

/**
 * Every known name of this file among the credentials and the protected files of home and workspace;
 * `null` when there is too much to look through. Only asked for files that have several names.
 */
export function guardedNames(
  identity: string,
  roots: Roots,
  paths: PathResolver,
): readonly string[] | null {
  const found: string[] = []
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
        const resolution = paths.resolveNow(path)
        if (resolution.status === 'resolved' && resolution.identity === identity) found.push(path)
      }
    }
  }
  return found
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
