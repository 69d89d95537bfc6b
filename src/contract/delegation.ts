/** What a session hands to a child, and what a tightening may say (api.md, delegation.md). */

import type { ApprovalPolicy } from '../core/reasons.js'
import type { PolicyInput } from './policy.js'

/** Constraints: an absent key leaves the parent's value, a present one can only narrow it. */
export type Narrowing = Omit<
  PolicyInput,
  'version' | '$schema' | 'profile' | 'toolApproval' | 'approvalResponse'
>

/** A narrowing with what a delegation chooses for itself. */
export interface Delegation extends Narrowing {
  /** What the child may do unasked; default `whitelist_accept` with an empty list. */
  readonly toolApproval?:
    | ApprovalPolicy
    | { readonly policy: ApprovalPolicy; readonly whitelist?: readonly string[] | undefined }
    | undefined
  /** `parent`: layer 4 of the parent is consulted as well, and the stricter answer counts. */
  readonly approvalCeiling?: 'parent' | undefined
  /** Fixed for spawn and fork: anything but `never` is refused (S0-25). */
  readonly approvalResponse?: 'never' | 'parent' | 'route' | undefined
}

export const CHILD_KINDS = ['spawn', 'fork'] as const
export type ChildKind = (typeof CHILD_KINDS)[number]
