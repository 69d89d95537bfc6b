/** What a host gets back (api.md): refusals are values. */

import type { Decision } from '../core/effect.js'
import type { CallId } from '../core/ids.js'
import type { NodeLayer } from '../core/layer-name.js'
import type { ReasonCode } from '../core/reasons.js'
import type { Ticket } from './approval.js'

declare const admission: unique symbol

/** A single-use right to dispatch one exact call. It cannot be made from data and lapses after 60 s. */
export interface Admission {
  readonly [admission]: true
  readonly callId: CallId
}

export interface Denied {
  readonly status: 'denied'
  readonly callId: CallId
  readonly layer: NodeLayer
  readonly matchedRule: string
  readonly reason: ReasonCode
  /** One sentence that is safe to hand to the model. */
  readonly message: string
  /** Everything a person needs, rule and paths included; not for the model. */
  readonly humanMessage: string
}

export interface Suspended {
  readonly status: 'suspended'
  readonly callId: CallId
  readonly ticket: Ticket
  readonly message: string
  readonly humanMessage: string
}

export interface Admitted {
  readonly status: 'admitted'
  readonly callId: CallId
  readonly admission: Admission
}

export type Outcome = Admitted | Denied | Suspended

export type Result<R> =
  | { readonly status: 'ok'; readonly callId: CallId; readonly value: R }
  | {
      readonly status: 'error'
      readonly callId: CallId
      readonly error: unknown
      readonly message: string
    }
  | {
      readonly status: 'timeout' | 'cancelled' | 'killed' | 'revoked'
      readonly callId: CallId
      readonly started: boolean
      readonly effects: 'none' | 'unknown'
      readonly message: string
    }
  | Denied
  | Suspended

/** What `check` says: the fold without side effects. */
export interface Check {
  readonly decision: 'allow' | 'ask' | 'deny'
  readonly visits: readonly {
    readonly layer: NodeLayer
    readonly decision: Decision
    readonly matchedRule: string | null
  }[]
  readonly subjects: readonly { readonly subject: string; readonly rules: readonly string[] }[]
  /** The smallest rule that would have allowed the call, verified to cover it; absent when none would. */
  readonly allowedBy?: string | undefined
  readonly message: string
  readonly humanMessage: string
}
