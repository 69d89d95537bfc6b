/** Looks at the disk before a command and says what to pin, fix, close and cover (sandbox.md §3). */

import type { SandboxProfile } from '../../contract/sandbox.js'
import type { Clock } from '../../platform/clock.js'
import type { Machine } from '../../platform/machine.js'
import type { Placeholder } from '../../platform/placeholder/placeholder.js'
import { isInside } from '../paths.js'
import { refuseAlias, refuseAliasesBelow } from './aliases.js'
import { credentialMasks } from './credentials.js'
import type { Mask } from './guard.js'
import { createSharesFiles } from './package-stores.js'
import { refusedPath } from './refusal.js'
import { isWithin, repositoryPaths } from './repository.js'
import { createSearch, type Found } from './search.js'
import { topNames } from './top-names.js'

/** What was found before placeholders are made. */
export interface Protection {
  readonly fixed: readonly string[]
  readonly masks: readonly Mask[]
  readonly absent: readonly Placeholder[]
  /** The workspace and the writable folders that a profile names; empty where nothing is written. */
  readonly roots: readonly string[]
  /** Repositories that were there before. */
  readonly repositories: readonly string[]
}

/** Throws `SandboxError workspace_refused` with the path and the reason. */
export interface Protector {
  /** `standing` are placeholders of this process: they are absent names, already stood in for. */
  readonly look: (profile: SandboxProfile, standing: readonly Placeholder[]) => Protection
  readonly search: (profile: SandboxProfile) => Found
}

/** Looks with a memory of what has not changed since. */
export function createProtector(machine: Machine, clock: Clock): Protector {
  const searchOne = createSearch(machine, clock)
  const sharesFiles = createSharesFiles(machine)
  const search = (profile: SandboxProfile): Found => united(searchRoots(profile).map(searchOne))
  return {
    search,
    look(profile, standing) {
      const found = search(profile)
      const secrets = found.secrets.map((path) => secretMask(path, machine))
      const masks = [...secrets.flat(), ...credentialMasks(profile, machine)]
      const stands = standing.map(({ name }) => `${profile.fileSystem.workspace}/${name}`)
      const repositories = [...found.repositories, ...found.bare]
      const { mode, workspace, writable } = profile.fileSystem
      if (mode === 'read_only') return { fixed: [], masks, absent: [], roots: [], repositories }
      const roots = [workspace, ...writable]
      const isWritable = (path: string): boolean => mode === 'open' || isWithin(path, roots)
      const { existing, absent } = topNames(workspace, machine, standing)
      const fixed = [
        ...existing,
        ...found.repositories
          .filter((path) => !stands.includes(path))
          .flatMap((path) => repositoryPaths(path, machine, isWritable)),
      ]
      const isOpen = (path: string): boolean => isWritable(path) && !isWithin(path, fixed)
      for (const path of fixed) refuseAliasesBelow(path, machine, isOpen)
      const stores = found.stores.filter(sharesFiles)
      return { fixed: [...new Set([...fixed, ...stores])], masks, absent, roots, repositories }
    },
  }
}

/** Where repositories and secrets are looked for. An open file system is not searched as a whole. */
function searchRoots({ fileSystem }: SandboxProfile): readonly string[] {
  const { mode, workspace, writable } = fileSystem
  const extra = mode === 'read_only' ? [] : writable.filter((root) => !isFresh(root))
  const all = [...new Set([workspace, ...extra])]
  return all.filter((one) => !all.some((other) => other !== one && isInside(one, other)))
}

/** Made fresh for each call: nothing of the host is shown there. */
function isFresh(root: string): boolean {
  return ['/tmp', '/run', '/dev', '/proc', '/sys', '/'].includes(root)
}

function united(all: readonly Found[]): Found {
  return {
    repositories: all.flatMap((one) => one.repositories),
    bare: all.flatMap((one) => one.bare),
    secrets: all.flatMap((one) => one.secrets),
    stores: all.flatMap((one) => one.stores),
  }
}

function secretMask(path: string, machine: Machine): readonly Mask[] {
  refuseAlias(path, machine)
  const kind = machine.facts(path)?.kind
  if (kind === undefined) return []
  if (kind === 'file' || kind === 'directory') return [{ path, kind }]
  throw refusedPath(path, 'cannot be covered')
}
