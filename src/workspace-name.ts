/** The name under which a workspace's ledger is kept, from the path that a person gives. */

import { workspaceId } from './enforce/session.js'
import { absolutePath } from './platform/disk/private-files.js'
import { nodePathResolver } from './platform/node-path-resolver.js'

/** As the composition root has it: links followed; what cannot be resolved keeps its own name. */
export function workspaceName(workspace: string): string {
  const path = absolutePath(workspace)
  const resolution = nodePathResolver().resolveNow(path)
  return workspaceId(resolution.status === 'resolved' ? resolution.real : path)
}
