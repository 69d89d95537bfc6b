/** Looks at the disk before a command and says what to pin, fix, close and cover (sandbox.md §3). */

import type { SandboxProfile } from '../../contract/sandbox.js'
import type { Clock } from '../../platform/clock.js'
import type { Machine } from '../../platform/machine.js'
import type { Placeholder } from '../../platform/placeholder/placeholder.js'
import { isInside } from '../paths.js'
import { refuseAlias, refuseAliasesBelow } from './aliases.js'
import { credentialMasks } from './credentials.js'
import { openedFolders, type OpenedFolder } from './git/opened.js'
import type { Mask } from './guard.js'
import { createSharesFiles, type SharesFiles } from './package-stores.js'
import { refusedPath } from './refusal.js'
import { barePaths, isWithin, repositoryPaths } from './repository.js'
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
  /** Folders of repositories that are written; their control files are not in `fixed` yet. */
  readonly opened: readonly OpenedFolder[]
  /** Package stores and repositories that are read-only because they share files with folders outside. */
  readonly shared: readonly string[]
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
      const repositories = [...found.repositories, ...found.bare]
      const { mode, workspace, writable } = profile.fileSystem
      const seen = { masks, repositories }
      if (mode === 'read_only') {
        return { ...seen, fixed: [], absent: [], roots: [], opened: [], shared: [] }
      }
      const roots = [workspace, ...writable]
      const isWritable = (path: string): boolean => mode === 'open' || isWithin(path, roots)
      const around = { machine, standing, roots, isWritable, sharesFiles }
      return { ...seen, roots, ...writtenParts(profile, found, around) }
    },
  }
}

interface Around {
  readonly machine: Machine
  readonly standing: readonly Placeholder[]
  readonly roots: readonly string[]
  readonly isWritable: (path: string) => boolean
  readonly sharesFiles: SharesFiles
}

/** What of a folder that commands write stays as it is. */
function writtenParts(
  profile: SandboxProfile,
  found: Found,
  { machine, standing, roots, isWritable, sharesFiles }: Around,
): Pick<Protection, 'fixed' | 'absent' | 'opened' | 'shared'> {
  const { workspace, packageStores } = profile.fileSystem
  const stands = standing.map(({ name }) => `${workspace}/${name}`)
  const { existing, absent } = topNames(workspace, machine, standing)
  const written = openedFolders(profile, machine, { isWritable, sharesFiles })
  const repositories = found.repositories
    .filter((path) => !stands.includes(path))
    .flatMap((path) => repositoryPaths(path, machine, isWritable))
  const named = [...existing, ...repositories]
  const bare = found.bare.filter((path) => !isWithin(path, named))
  const opened = [...written, ...writtenRoots(bare, written, roots)]
  const fixed = [...named, ...bare.flatMap((path) => barePaths(path, machine, isWritable))].filter(
    (path) => !opened.some((one) => one.path === path),
  )
  const isOpen = (path: string): boolean => isWritable(path) && !isWithin(path, fixed)
  for (const path of fixed) refuseAliasesBelow(path, machine, isOpen)
  const stores = packageStores === 'writable' ? [] : found.stores.filter(sharesFiles)
  return {
    absent,
    opened,
    fixed: [...new Set([...fixed, ...stores])],
    shared: [...stores, ...unopened(profile, written, machine)],
  }
}

/** A root that is a repository itself is written, as the policy says, but for its control files. */
function writtenRoots(
  bare: readonly string[],
  written: readonly OpenedFolder[],
  roots: readonly string[],
): readonly OpenedFolder[] {
  return bare
    .filter((path) => roots.includes(path) && !written.some((one) => one.path === path))
    .map((path) => ({ path, kind: 'whole' }))
}

/** The repository that the profile opens and that stays closed because of what it shares. */
function unopened(
  { fileSystem: { git, workspace } }: SandboxProfile,
  opened: readonly OpenedFolder[],
  machine: Machine,
): readonly string[] {
  const path = `${workspace}/.git`
  return git !== undefined && opened.length === 0 && machine.facts(path) !== null ? [path] : []
}

/** Where repositories and secrets are looked for. An open file system is not searched as a whole. */
function searchRoots({ fileSystem }: SandboxProfile): readonly string[] {
  const { workspace, writable } = fileSystem
  // Where nothing is written they are shown all the same.
  const all = [...new Set([workspace, ...writable.filter((root) => !isFresh(root))])]
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
