/** Which policy a command judges by: the one given, the workspace's own, or the strict default. */

import { existsSync, realpathSync } from 'node:fs'
import { sep } from 'node:path'
import { defaultPolicyFile } from '../audit/entry.js'
import { definePolicy, loadPolicy, type Policy } from '../index.js'

/** A policy and where it is from; `file` is null for the strict default. */
export interface PolicySource {
  readonly policy: Policy
  readonly file: string | null
  /** True for a file that a session could write: what it allows does not count (H-01). */
  readonly isInWorkspace: boolean
}

/** Rejects with `ConfigError`; a file that fails to load never becomes the default. */
export async function policySource(
  given: string | undefined,
  workspace: string,
): Promise<PolicySource> {
  const file = given ?? defaultPolicyFile(workspace)
  if (given === undefined && !existsSync(file)) {
    return { policy: definePolicy({}), file: null, isInWorkspace: false }
  }
  const policy = await loadPolicy(file)
  return { policy, file, isInWorkspace: isInside(file, workspace) }
}

/** The file was read a moment ago; a workspace that is not there is refused later. */
function isInside(file: string, workspace: string): boolean {
  const real = existsSync(workspace) ? realpathSync(workspace) : workspace
  return realpathSync(file).startsWith(real + sep)
}

/** Says which policy is in force, for a person. */
export function describePolicy({ file, policy, isInWorkspace }: PolicySource): string {
  if (file === null) return 'policy: the strict default, for there is no policy file'
  const text = `policy: ${file} (sha256:${policy.digest.slice(0, 12)})`
  return isInWorkspace ? `${text}, in the workspace: what it allows does not count` : text
}
