/** A profile's folders as they really are, fixed when a session starts (sandbox.md §2). */

import type { SandboxProfile } from '../contract/sandbox.js'
import { SandboxError } from '../core/errors.js'
import type { Machine } from '../platform/machine.js'
import { isInside } from './paths.js'
import { refusedWorkspace } from './workspace.js'

/**
 * Follows links once. A root that does not exist grants nothing, nor does one inside a writable root
 * that leads out of it: a command could have put that link there. Throws `workspace_refused`.
 */
export function realProfile(profile: SandboxProfile, machine: Machine): SandboxProfile {
  const { fileSystem } = profile
  const workspace = machine.realPath(fileSystem.workspace)
  const refusal = workspace === null ? 'does not exist' : refusedFolder(workspace, machine)
  if (workspace === null || refusal !== null) {
    throw workspaceRefused(`the workspace ${refusal ?? 'does not exist'}`)
  }
  const writable = [fileSystem.workspace, ...fileSystem.writable]
  const real = (path: string): readonly string[] => {
    const target = machine.realPath(path)
    if (target === null) return []
    const leadsOut = writable.some(
      (root) => isInside(path, root) && !isInside(target, machine.realPath(root) ?? root),
    )
    return leadsOut ? [] : [target]
  }
  return {
    ...profile,
    fileSystem: {
      ...fileSystem,
      workspace,
      writable: fileSystem.writable.flatMap(real),
      readable: fileSystem.readable.flatMap(real),
      hidden: fileSystem.hidden.map((path) => machine.realPath(path) ?? path),
    },
  }
}

function refusedFolder(workspace: string, machine: Machine): string | null {
  const kind = machine.facts(workspace)?.kind
  if (kind === 'file' || kind === 'special') return 'is no folder'
  return refusedWorkspace(workspace, machine.home)
}

/** Denied: whatever was to start there. */
export function workspaceRefused(message: string): SandboxError {
  return new SandboxError('workspace_refused', message, 'work in an existing project folder')
}
