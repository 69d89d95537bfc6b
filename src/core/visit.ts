/** What a layer said of a call, before it becomes a node of the trace. */

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
