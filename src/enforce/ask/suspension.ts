/** What asking is about (pipeline.md §5): a walk that suspended, and what may be remembered of it. */

import type { Facts } from '../../core/facts.js'
import type { Verdict } from '../../core/verdict.js'
import type { EffectivePolicy } from '../../policy/effective-policy.js'

/** A walk that suspended, with what it was folded from. */
export interface Suspension {
  readonly policy: EffectivePolicy
  readonly facts: Facts
  readonly verdict: Verdict
}

/** One thing that an answer may have remembered. */
export interface OfferedProposal {
  readonly id: string
  /** Match texts, as a whitelist would hold them. */
  readonly entries: readonly string[]
}
