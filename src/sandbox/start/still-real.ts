/** A session's profile before each of its commands: what was real then is real still (sandbox.md §2). */

import type { SandboxProfile } from '../../contract/sandbox.js'
import type { Machine } from '../../platform/machine.js'
import { workspaceRefused } from '../real-profile.js'
import { refusedWorkspace } from '../workspace.js'

/**
 * The same profile before a later call: what has become a link since grants nothing, and a workspace
 * that has is refused. Nothing is followed any more.
 */
export function stillReal(profile: SandboxProfile, machine: Machine): SandboxProfile {
  const { fileSystem } = profile
  const isReal = (path: string): boolean => machine.realPath(path) === path
  const refusal = refusedWorkspace(fileSystem.workspace, machine.home)
  if (refusal !== null) throw workspaceRefused(`the workspace ${refusal}`)
  if (!isReal(fileSystem.workspace)) {
    throw workspaceRefused('the workspace is gone or has become a link')
  }
  return {
    ...profile,
    fileSystem: {
      ...fileSystem,
      writable: fileSystem.writable.filter(isReal),
      readable: fileSystem.readable.filter(isReal),
    },
  }
}
