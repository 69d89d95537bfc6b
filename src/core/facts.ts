/** Everything the fold reads besides call and policy (pipeline.md §1). Plain data, so it replays. */

import type { Escalation } from './escalation.js'
import type { ApprovalId } from './ids.js'
import type { Guarantee, GuaranteeReport, Platform } from './guarantee.js'
import type { NodeLayer } from './layer-name.js'
import type { Subject } from './subject.js'
import type { AnswerEnd } from './reasons.js'

/** The folders that path classes are measured against: real, absolute, normalised. */
export interface Roots {
  readonly workspace: string
  readonly home: string
  readonly temporary: readonly string[]
  readonly platform: Platform
}

/** What the sandbox can do for a call. */
export type SandboxFacts =
  | {
      readonly status: 'ready'
      readonly driver: string
      readonly report: GuaranteeReport
      /** What the host allowed a driver outside of every sandbox to lack (H-25). Absent: nothing. */
      readonly waived?: readonly Guarantee[] | undefined
    }
  /** No driver at all, or the start probe failed. */
  | {
      readonly status: 'unavailable'
      readonly cause: string
      /** One line that tells a person what to do. */
      readonly remedy: string | null
    }
  /** The driver works, but refuses this workspace; no host fallback is offered (H-23). */
  | { readonly status: 'refused'; readonly cause: string }

export const RESPONDER_KINDS = ['human', 'policy', 'model', 'script', 'parent'] as const
export type ResponderKind = (typeof RESPONDER_KINDS)[number]

/** Whether anybody can be asked. */
export type ResponderFacts =
  | { readonly status: 'absent' }
  | { readonly status: 'present'; readonly kind: ResponderKind }
  | { readonly status: 'suspend' }

/** A guard that spoke; guards run once a call, their answers are facts ever after. */
export interface GuardAnswer {
  readonly decision: 'ask' | 'deny'
  readonly matchedRule: string
  /** What a hook gave as its reason, for a person. */
  readonly reason?: string | undefined
}

/** One question that a call raised on its walk. */
export interface Ask {
  readonly layer: NodeLayer
  readonly matchedRule: string
  readonly escalation: Escalation | null
}

/** How a question ended: a yes with the asks it covers, or one of the ends of note 5. */
export type AnswerFacts =
  | { readonly verdict: 'approved'; readonly covers: readonly Ask[]; readonly by: ResponderKind }
  | { readonly verdict: 'refused'; readonly end: AnswerEnd }

export interface Facts {
  /** Wall-clock milliseconds since the epoch. */
  readonly now: number
  readonly roots: Roots
  readonly subjects: readonly Subject[]
  readonly guards: readonly GuardAnswer[]
  readonly sandbox: SandboxFacts
  readonly responder: ResponderFacts
  readonly answer: AnswerFacts | null
  /** What a person had remembered in this session; read at layer 4 only (H-12). */
  readonly grants: readonly RememberedGrant[]
}

/** A yes that was remembered. A fact, not policy: it moves no revision and ends with its session. */
export interface RememberedGrant {
  readonly approvalId: ApprovalId
  /** Match texts, as a whitelist would hold them. */
  readonly entries: readonly string[]
}
