/** Names one state of a session's policy (pipeline.md §1). */

import { policyRevision, type PolicyRevision } from '../core/ids.js'
import { canonicalDigest } from '../encoding/canonical.js'
import type { PolicyAxes } from './effective-policy.js'

/** The `count`-th policy of a session; the digest is over every field of the axes. */
export function reviseAxes(axes: PolicyAxes, count: number): PolicyRevision {
  return policyRevision(count, canonicalDigest(axes))
}
