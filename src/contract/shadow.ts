/** Shadow mode (hosts.md §2): what a policy would decide, on record, while something else still decides. */

import type { CallId, PolicyRevision, SessionId } from '../core/ids.js'
import type { NodeLayer } from '../core/layer-name.js'
import type { ReasonCode } from '../core/reasons.js'
import type { DecisionNode } from '../trace/records.js'
import type { CallRequest, Session, Sixgate } from './session.js'

/** What would have become of a call. Nobody was asked and nothing ran. */
export interface ShadowOutcome {
  readonly callId: CallId
  /** `ask`: somebody would have been asked. */
  readonly decision: 'allow' | 'ask' | 'deny'
  /** Who settled it: the layer that denied, that granted, or that asked first. */
  readonly layer: NodeLayer
  readonly matchedRule: string
  /** Of a denial; `null` for the others. */
  readonly reason: ReasonCode | null
  readonly message: string
  readonly humanMessage: string
}

/** It has no `dispatch`, `run`, `spawn` or `resolve`: there is nothing that it could admit. */
export interface ShadowSession extends AsyncDisposable {
  readonly id: SessionId
  readonly revision: PolicyRevision
  /** Judges and records; never rejects. One call id is one call, and a replay gives the same outcome. */
  readonly evaluate: (call: CallRequest) => Promise<ShadowOutcome>
  readonly check: Session['check']
  readonly visibleTools: Session['visibleTools']
  readonly chain: (callId: string) => Promise<readonly DecisionNode[]>
  readonly close: Session['close']
}

/** A host's policy on trial. Its runs are in a ledger of their own, and say `enforcement: "shadow"`. */
export interface Shadow extends AsyncDisposable {
  readonly session: (options?: Parameters<Sixgate['session']>[0]) => Promise<ShadowSession>
  readonly on: Sixgate['on']
}
