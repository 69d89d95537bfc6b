/** Where a workspace's own policy and ledger are when nobody says (pipeline.md §2, "control directory"). */

import { controlDirectory } from './platform/control-directory.js'
import { absolutePath } from './platform/disk/private-files.js'
import { workspaceName } from './workspace-name.js'

/**
 * `policy.jsonc` in the user's control directory, whether or not it is there; `jsonlStore()` keeps the
 * workspace's ledger beside it. Throws `RecordError store_failed` for a user without a home.
 */
export function defaultPolicyFile(workspace: string): string {
  return absolutePath(`${controlDirectory(workspaceName(workspace))}/policy.jsonc`)
}
