/** How a fold ends (pipeline.md §4 note 8). Plain data: it survives a JSON round trip. */

import type { Ask } from './facts.js'
import type { Escalation } from './escalation.js'
import type { Visit } from './visit.js'

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
        /** The visit that last set the standing to granted; `null` for host origin. */
        readonly admittedBy: Visit
        /** True: an answered escalation runs the call outside every driver. */
        readonly unconfined: boolean
      }
    | { readonly status: 'denied'; readonly by: Visit }
    | { readonly status: 'suspended' }
  )
