/** How a fold ends (pipeline.md §4 note 8). Plain data: it survives a JSON round trip. */

import type { Ask } from './facts.js'
import type { Escalation } from './escalation.js'
import type { Decision } from './effect.js'
import type { NodeLayer } from './layer-name.js'
import type { ReasonCode } from './reasons.js'

/** One visited layer. A layer that is not reached leaves no visit. */
export interface Visit {
  readonly layer: NodeLayer
  readonly decision: Decision
  /** `null` exactly when the decision is `no_match`. */
  readonly matchedRule: string | null
  readonly reason: ReasonCode | null
  /** A later gate spoke before anybody was asked in vain (pipeline.md §4 note 1). */
  readonly moot: boolean
}

interface Walked {
  readonly visits: readonly Visit[]
  /** Every question raised, in order, whether or not it was answered. */
  readonly asks: readonly Ask[]
  readonly escalations: readonly Escalation[]
}

export type Verdict = Walked &
  (
    | {
        readonly status: 'admitted'
        /** The visit that last set the standing to granted; the origin's for a call of the host. */
        readonly admittedBy: Visit
        /** True: an answered escalation runs the call outside every driver. */
        readonly unconfined: boolean
      }
    | { readonly status: 'denied'; readonly by: Visit }
    | { readonly status: 'suspended' }
  )
