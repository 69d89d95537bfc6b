/** Which policy a command judges by: the one given, the workspace's own, or the strict default. */

import { existsSync } from 'node:fs'
import { defaultPolicyFile, standingOf } from '../audit/entry.js'
import { definePolicy, loadPolicy, type Policy } from '../index.js'

/** A policy and where it is from; `file` is null for the strict default. */
export interface PolicySource {
  readonly policy: Policy
  readonly file: string | null
  /** The file that was looked for, so that a rule for this workspace has a place. */
  readonly place: string
  /** What the file allows does not count where a session could write it, unless a person trusts it (H-01). */
  readonly standing: ReturnType<typeof standingOf>
}

/** Rejects with `ConfigError`; a file that fails to load never becomes the default. */
export async function policySource(
  given: string | undefined,
  workspace: string,
): Promise<PolicySource> {
  const file = given ?? defaultPolicyFile(workspace)
  if (given === undefined && !existsSync(file)) {
    return { policy: definePolicy({}), file: null, place: file, standing: 'outside' }
  }
  const policy = await loadPolicy(file)
  return { policy, file, place: file, standing: standingOf(policy, workspace) }
}

/** What makes a rule of this file count, said behind advice to write one. */
export function trustHint({ file, standing }: PolicySource): string {
  return standing === 'untrusted' ? `; it counts after \`sixgate trust ${file ?? ''}\`` : ''
}

/** Says which policy is in force, for a person. */
export function describePolicy({ file, place, policy, standing }: PolicySource): string {
  if (file === null) return `policy: the strict default, for there is no ${place}`
  // What was read, not the bytes of the file: `sixgate trust` prints the digest of those.
  const text = `policy: ${file} (policy ${policy.digest.slice(0, 12)})`
  return `${text}${STANDING[standing]}`
}

const STANDING: { readonly [S in PolicySource['standing']]: string } = {
  outside: '',
  untrusted:
    ', in the workspace: what it allows does not count until a person runs `sixgate trust`',
  trusted: ', in the workspace and trusted',
}
