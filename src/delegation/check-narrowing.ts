/** `checkNarrowing` (api.md): what a narrowing would be refused for, all of it at once. */

import type { Narrowing } from '../contract/delegation.js'
import type { Policy } from '../contract/policy.js'
import type { Violation } from '../core/errors.js'
import { unite } from '../policy/unite.js'
import { narrow, narrowingDocument } from './narrow.js'

/** Empty when a child of `parent` could be given it. Throws `DelegationError invalid_constraint`. */
export function checkNarrowing(parent: Policy, given: Narrowing): readonly Violation[] {
  return narrow(unite([parent]), narrowingDocument(given)).violations
}
