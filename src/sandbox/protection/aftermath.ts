/** Control files of repositories that appeared while a command ran (sandbox.md §8). */

import type { SandboxProfile } from '../../contract/sandbox.js'
import type { Machine } from '../../platform/machine.js'
import type { Protection, Protector } from './protect.js'
import type { Found } from './search.js'
import { controlFiles } from './repository.js'

/**
 * Paths that a program outside should not act on unseen: a command can make a whole new repository,
 * hooks included. Names that end in `.sample` do nothing and are left out.
 */
export function newControlFiles(
  profile: SandboxProfile,
  before: Pick<Protection, 'repositories'>,
  { protector, machine }: { readonly protector: Protector; readonly machine: Machine },
): readonly string[] | null {
  const found = searched(profile, protector)
  if (found === null) return null
  const { repositories, bare } = found
  return [...repositories, ...bare]
    .filter((path) => !before.repositories.includes(path))
    .flatMap((path) =>
      machine.facts(path)?.kind === 'directory' ? controlFiles(path, machine) : [path],
    )
    .filter((path) => !path.endsWith('.sample'))
    .sort()
}

function searched(profile: SandboxProfile, protector: Protector): Found | null {
  try {
    return protector.search(profile)
  } catch {
    // Denied: the claim that nothing appeared. The next command in this workspace is refused.
    return null
  }
}
