/** What somebody said yes to (pipeline.md §5): a call that would be shown otherwise now is another one. */

import type { Facts } from '../../core/facts.js'
import type { EffectivePolicy } from '../../policy/effective-policy.js'
import { buildRequest, type RequestInput } from '../../responders/request.js'
import type { Prepared } from '../call/prepare.js'

/** A question as it was shown, and what would be shown of the call now. */
export interface Shown {
  readonly displayDigest: string
  /** Digest of what the schema was given: hooks may make something else of it after a restart. */
  readonly inputDigest: string
  readonly again: (now: Judging) => RequestInput
}

/** What a call is judged by. */
export interface Judging {
  readonly policy: EffectivePolicy
  readonly facts: Facts
}

/** False when a link leads elsewhere, or hooks made other arguments of the call, since it was shown. */
export function isAsShown(shown: Shown, prepared: Prepared, now: Judging): boolean {
  return (
    inputDigest(prepared) === shown.inputDigest &&
    buildRequest(shown.again(now)).displayDigest === shown.displayDigest
  )
}

/** Of the submitted arguments, or of what hooks made of them. */
export function inputDigest({ rewritten, submission }: Prepared): string {
  return (rewritten?.args ?? submission.argsRef).d
}
