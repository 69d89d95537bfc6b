/** Keeps the control files of opened repositories as they are while a command runs (sandbox.md §3). */

import type { Machine } from '../../../platform/machine.js'
import type { Claim } from '../../../platform/placeholder/claim.js'
import type { Claims } from '../../../platform/placeholder/claims.js'
import { refuseAlias } from '../aliases.js'
import { standInsAt, type StandIn } from '../compose.js'
import type { Mask } from '../guard.js'
import type { Protection } from '../protect.js'
import { gitFolders } from '../repository.js'
import { controlsOf } from './controls.js'

/** What is added to a workspace's guard. */
export interface GitHold {
  readonly fixed: readonly string[]
  readonly standIns: readonly StandIn[]
  /** Notes about placeholders, hidden from commands. */
  readonly masks: readonly Mask[]
  readonly release: () => void
}

/**
 * Stands in for absent control files, one claim a folder. Rejects when one cannot be kept; whatever stood
 * in already goes then.
 */
export async function holdGit(
  opened: Protection['opened'],
  isWritable: (path: string) => boolean,
  { machine, claims }: { readonly machine: Machine; readonly claims: Claims },
): Promise<GitHold> {
  const taken: Claim[] = []
  const release = (): void => {
    for (const claim of taken) claim.release()
  }
  const fixed: string[] = []
  const standIns: StandIn[] = []
  try {
    for (const folder of opened) {
      const claim = await claims.take(folder.path)
      taken.push(claim)
      const standing = claim.standing()
      const controls = controlsOf(folder, opened, { machine, standing, isWritable })
      const made = claim.make(controls.absent)
      const stands = [...standing, ...made]
      const missing = controls.absent
        .filter(({ name, kind }) => kind !== 'open' && !stands.some((one) => one.name === name))
        .map(({ name }) => `${folder.path}/${name}`)
      // What came to be meanwhile, another host's placeholder too, is kept as what it is now.
      for (const path of missing) refuseAlias(path, machine)
      fixed.push(...controls.existing, ...missing.filter((path) => machine.facts(path) !== null))
      standIns.push(...standInsAt(folder.path, stands))
    }
  } catch (cause) {
    // Denied: the run.
    release()
    throw cause
  }
  const masks = taken.map(({ folder }) => ({ path: folder, kind: 'directory' }) as const)
  return { fixed, standIns, masks, release }
}

/** What a killed host left in a repository goes at the next start, also under a profile that does not open it. */
export async function clearGit(
  workspace: string,
  opened: Protection['opened'],
  {
    machine,
    claims,
    isWritable,
  }: {
    readonly machine: Machine
    readonly claims: Claims
    readonly isWritable: (path: string) => boolean
  },
): Promise<void> {
  for (const folder of gitFolders(`${workspace}/.git`, machine, isWritable)) {
    if (!opened.some(({ path }) => path === folder)) await claims.clear(folder)
  }
}
