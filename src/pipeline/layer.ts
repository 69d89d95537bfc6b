/** What a layer is (pipeline.md §4): a decider of one kind, and the kind fixes what it can say. */

import type { ToolCall } from '../core/call.js'
import type { Escalation } from '../core/escalation.js'
import type { Ask, Facts } from '../core/facts.js'
import type { LayerName } from '../core/layer-name.js'
import type { ReasonCode } from '../core/reasons.js'
import type { EffectivePolicy } from '../policy/effective-policy.js'

/** Everything that a fold reads; the same value gives the same verdict. */
export interface Question {
  readonly call: ToolCall
  readonly policy: EffectivePolicy
  readonly facts: Facts
}

/** The state of a call while it walks. */
export type Standing = 'open' | 'asking' | 'granted'

/** What earlier layers left for the one that decides now. */
export interface Walk {
  readonly standing: Standing
  readonly asks: readonly Ask[]
  readonly escalations: readonly Escalation[]
}

interface Settled<D extends 'allow' | 'ask'> {
  readonly decision: D
  readonly matchedRule: string
  readonly reason?: ReasonCode | null
}
interface Refused {
  readonly decision: 'deny'
  readonly matchedRule: string
  readonly reason: ReasonCode
}
interface Unmatched {
  readonly decision: 'no_match'
  readonly matchedRule: null
  readonly reason?: ReasonCode | null
}

/** What each kind can say. A gate that asks does not compile. */
export interface Sayings {
  /** Can stop a call, never grant it. */
  readonly gate: Settled<'allow'> | Refused | Unmatched
  readonly rule: Settled<'allow'> | Settled<'ask'> | Refused | Unmatched
  /** Must settle what the rules left open. */
  readonly fallback: Settled<'allow'> | Settled<'ask'> | Refused
  /** Settles a question, or waits for its answer. */
  readonly answer: Settled<'allow'> | Refused | { readonly decision: 'suspend' }
}
export type LayerKind = keyof Sayings

/** What makes a fallback speak although a rule already allowed the call. */
interface Insistent {
  readonly insists: (question: Question, walk: Walk) => boolean
}

/** A layer that also hears calls of the host itself; the others decide for models (S1-57). */
interface Reach {
  readonly everyOrigin?: true
}

/** One of the six. `decide` is pure and synchronous; what it throws denies the call (note 7). */
export type Layer<K extends LayerKind, N extends LayerName = LayerName> = {
  readonly name: N
  readonly kind: K
  readonly decide: (question: Question, walk: Walk) => Sayings[K]
} & Reach &
  (K extends 'fallback' ? Insistent : unknown)

/** A layer of some kind; `kind` tells which sayings it has. */
export type AnyLayer<N extends LayerName = LayerName> = {
  [K in LayerKind]: Layer<K, N>
}[LayerKind]
