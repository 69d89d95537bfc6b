/** Everything that surrounds one confined command in its workspace: look, stand in, clear away (sandbox.md §3). */

import type { SandboxProfile } from '../../contract/sandbox.js'
import { SandboxError } from '../../core/errors.js'
import type { Machine } from '../../platform/machine.js'
import type { Claim } from '../../platform/placeholder/claim.js'
import type { Placeholder } from '../../platform/placeholder/placeholder.js'
import type { Claims } from '../../platform/placeholder/claims.js'
import { refuseAlias } from './aliases.js'
import { newControlFiles, noteBefore } from './aftermath.js'
import { composeGuard, standInsAt } from './compose.js'
import { clearGit, holdGit, type GitHold } from './git/hold-git.js'
import type { Guard } from './guard.js'
import type { Protection, Protector } from './protect.js'
import { isWithin } from './repository.js'

/** A workspace while a command runs in it. */
export interface Hold {
  readonly guard: Guard
  /** Removes the placeholders. Call it once, whatever became of the command. */
  readonly release: () => void
  /** Control files of repositories that appeared since; `null` when it cannot be told. Ask after `release`. */
  readonly newControlFiles: () => readonly string[] | null
  /** Package stores and repositories that cannot be written although they lie in a writable folder. */
  readonly readOnly: readonly string[]
}

/** What a hold works with. */
export interface HoldPorts {
  readonly machine: Machine
  readonly protector: Protector
  readonly claims: Claims
}

/** Rejects with `SandboxError` when the workspace cannot be protected; then nothing may start. */
export async function holdWorkspace(profile: SandboxProfile, ports: HoldPorts): Promise<Hold> {
  const { protector } = ports
  const { workspace, mode } = profile.fileSystem
  if (mode === 'read_only') {
    const guard = composeGuard(protector.look(profile, []), [], workspace)
    return { guard, release: () => undefined, newControlFiles: () => [], readOnly: [] }
  }
  const claim = await claimed(workspace, ports.claims)
  let git: GitHold | undefined
  try {
    const standing = claim.standing()
    const found = protector.look(profile, standing)
    const isWritable = (path: string): boolean => mode === 'open' || isWithin(path, found.roots)
    const isOpen = (path: string): boolean => isWritable(path) && !isWithin(path, found.fixed)
    await clearGit(workspace, found.opened, { ...ports, isWritable })
    git = await holdGit(found.opened, isOpen, ports)
    const made = claim.make(found.absent)
    const late = appeared(found, made, { workspace, machine: ports.machine })
    const fixed = [...found.fixed, ...late, ...git.fixed]
    const standIns = [...standInsAt(workspace, [...standing, ...made]), ...git.standIns]
    const guard = composeGuard({ ...found, fixed }, standIns, workspace)
    const before = noteBefore(found, ports.machine)
    const notes = [{ path: claim.folder, kind: 'directory' } as const, ...git.masks]
    return {
      guard: { ...guard, masks: [...guard.masks, ...notes] },
      release: () => released(claim, git),
      newControlFiles: () => newControlFiles(profile, before, ports),
      readOnly: found.shared,
    }
  } catch (cause) {
    // Denied: the run; whatever stood in already goes.
    released(claim, git)
    throw asRefusal(cause)
  }
}

/** The placeholders of the repository first: a folder of the workspace is empty only then. */
function released(claim: Claim, git: GitHold | undefined): void {
  git?.release()
  claim.release()
}

// INVARIANT: a name that came to be between the look and the placeholder is protected as what it is
// ("protects a name that came to be while it looked"): another host may have looked at the same time.
function appeared(
  { absent }: Protection,
  made: readonly Placeholder[],
  { workspace, machine }: { readonly workspace: string; readonly machine: Machine },
): readonly string[] {
  const missing = absent.filter(({ name }) => !made.some((one) => one.name === name))
  const paths = missing
    .filter(({ kind }) => kind !== 'open')
    .map(({ name }) => `${workspace}/${name}`)
    .filter((path) => machine.facts(path) !== null)
  for (const path of paths) refuseAlias(path, machine)
  return paths
}

async function claimed(workspace: string, claims: Claims): Promise<Claim> {
  try {
    return await claims.take(workspace)
  } catch (cause) {
    // Denied: the run. Without notes a crash would leave names that nobody knows to be placeholders.
    throw asRefusal(cause)
  }
}

function asRefusal(cause: unknown): SandboxError {
  if (cause instanceof SandboxError) return cause
  return new SandboxError(
    'setup_failed',
    'the workspace could not be protected',
    'check that the workspace and the state directory of this user can be written',
    cause,
  )
}
