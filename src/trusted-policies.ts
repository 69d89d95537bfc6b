/** Which policy files a person trusts (pipeline.md §2, H-01), read from the user's own list. */

import type { Policy } from './contract/policy.js'
import { trustFile } from './platform/control-directory.js'
import { linksOn, mayChangeElsewhere, nodePathResolver } from './platform/node-path-resolver.js'
import { folderOf, placeIn, readTrustFile } from './platform/trust-file.js'
import { asWorkspaceSource, originOf } from './policy/compile.js'
import { isOnTrustList, parseTrustList, type TrustEntry } from './policy/trust/trust-list.js'

/** What the list says now. Throws `ConfigError` for a list that cannot be believed. */
export function trustedPolicies(file: string): readonly TrustEntry[] {
  const text = readTrustFile(file)
  return text === null ? [] : parseTrustList(text, file)
}

/** Where the list is, in its real folder; `null` where that cannot be told, and then nothing is trusted. */
export function ownTrustFile(): string | null {
  try {
    const file = trustFile()
    const folder = nodePathResolver().resolveNow(folderOf(file))
    // The file itself is not followed: as a link it is refused.
    return folder.status === 'resolved' ? placeIn(folder.real, file) : null
  } catch {
    // A user without a home trusts nothing.
    return null
  }
}

/** A policy file that lies at `real`, judged by where a session could write. */
export interface PolicyPlace {
  readonly real: string
  readonly isWritten: (path: string) => boolean
  /** The list of trust; `null` for none. */
  readonly list: string | null
}

/**
 * The policy as the source that it is: untouched outside of what a session could write, else a
 * `workspace` source, trusted or not. A link that a session could turn elsewhere is as good as the file,
 * and so is a second name: nobody knows where it lies.
 */
export function sourced(policy: Policy, { real, isWritten, list }: PolicyPlace): Policy {
  const { file } = policy
  if (file === null) return policy
  if (!mayChangeElsewhere(real) && ![real, ...linksOn(file)].some(isWritten)) return policy
  return asWorkspaceSource(policy, isTrusted(originOf(policy).bytes, { real, list }))
}

/** True when a person trusts these bytes at the place where they lie. */
export function isTrusted(
  bytes: string | undefined,
  { real, list }: Pick<PolicyPlace, 'real' | 'list'>,
): boolean {
  if (bytes === undefined || list === null) return false
  return isOnTrustList(trustedPolicies(list), { path: real, sha256: bytes })
}
