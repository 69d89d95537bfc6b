/** Which folders of a repository the Git write profile opens (sandbox.md §3). */

import type { SandboxProfile } from '../../../contract/sandbox.js'
import type { Machine } from '../../../platform/machine.js'
import { gitFolders, isWorktreeFolder } from '../repository.js'

/** A folder that is written but for its control files. */
export interface OpenedFolder {
  readonly path: string
  /** `whole` holds all of a repository; a `worktree` shares hooks and configuration with one. */
  readonly kind: 'whole' | 'worktree'
}

/**
 * The repository whose working tree is the workspace, or with a gitfile the folders that it leads to. Other
 * repositories below stay as they are. Nothing is opened that shares a file with a folder outside.
 */
export function openedFolders(
  profile: SandboxProfile,
  machine: Machine,
  {
    isWritable,
    sharesFiles,
  }: {
    readonly isWritable: (path: string) => boolean
    readonly sharesFiles: (folder: string) => boolean
  },
): readonly OpenedFolder[] {
  const { git, mode, workspace, packageStores } = profile.fileSystem
  if (git === undefined || mode === 'read_only') return []
  const folders = gitFolders(`${workspace}/.git`, machine, isWritable)
  // A clone on the same disk shares its objects with its source: writing to one would change the other.
  const shares = (path: string): boolean =>
    packageStores === undefined && (sharesFiles(`${path}/objects`) || sharesFiles(path))
  if (folders.some(shares)) return []
  return folders.map((path) => ({
    path,
    // By a control file, which no command changes: whatever else tells them apart can be taken away.
    kind: isWorktreeFolder(path, machine) ? 'worktree' : 'whole',
  }))
}
