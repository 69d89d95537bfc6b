/** Control files of repositories that appeared while a command ran (sandbox.md §8). */

import type { SandboxProfile } from '../../contract/sandbox.js'
import type { Machine } from '../../platform/machine.js'
import { stoppedIn } from './git/stopped.js'
import type { Protection, Protector } from './protect.js'
import { controlFiles } from './repository.js'
import type { Found } from './search.js'

/** What there was before a command. */
export interface Before {
  readonly repositories: readonly string[]
  /** Folders of repositories that gitfiles lead to and that are written. */
  readonly written: readonly string[]
  readonly stopped: readonly string[]
}

/** Notes what there is: what is found later and stands here is none of the command's. */
export function noteBefore(
  { repositories, opened }: Pick<Protection, 'repositories' | 'opened'>,
  machine: Machine,
): Before {
  const written = opened.map(({ path }) => path).filter((path) => !repositories.includes(path))
  const stopped = stoppedIn([...repositories, ...written], machine)
  return { repositories, written, stopped }
}

/**
 * Paths that a program outside should not act on unseen: a command can make a whole new repository,
 * hooks included, and leave a rebase half-way. Names that end in `.sample` do nothing and are left out.
 */
export function newControlFiles(
  profile: SandboxProfile,
  before: Before,
  { protector, machine }: { readonly protector: Protector; readonly machine: Machine },
): readonly string[] | null {
  const found = searched(profile, protector)
  if (found === null) return null
  const all = [...found.repositories, ...found.bare]
  const files = all
    .filter((path) => !before.repositories.includes(path))
    .flatMap((path) =>
      machine.facts(path)?.kind === 'directory' ? controlFiles(path, machine) : [path],
    )
    .filter((path) => !path.endsWith('.sample'))
  const stopped = stoppedIn([...all, ...before.written], machine)
  return [...files, ...stopped.filter((path) => !before.stopped.includes(path))].sort()
}

function searched(profile: SandboxProfile, protector: Protector): Found | null {
  try {
    return protector.search(profile)
  } catch {
    // Denied: the claim that nothing appeared. The next command in this workspace is refused.
    return null
  }
}
