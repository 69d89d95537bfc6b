/** Why a workspace is refused before a command starts in it (sandbox.md §3). */

import { SandboxError } from '../../core/errors.js'

/** A refusal that names the path and says what about it. */
export function refusedPath(path: string, why: string): SandboxError {
  return new SandboxError(
    'workspace_refused',
    `\`${path}\` ${why}`,
    'replace the path by a file or folder of its own, or move it out of the workspace',
  )
}
