/** What a session holds while it is open. Only this folder changes it. */

import type { Suspended, Outcome } from '../contract/outcome.js'
import type { SandboxProfile } from '../contract/sandbox.js'
import type { ApprovalId, CallId, RunId, SessionId } from '../core/ids.js'
import type { AnswerFacts, Ask, Facts, GuardAnswer } from '../core/facts.js'
import type { EffectivePolicy } from '../policy/effective-policy.js'
import type { Recorder } from '../trace/recorder.js'
import type { Prepared } from './call/prepare.js'
import type { CallSignals } from './call/signals.js'
import type { Starting } from './start/starting.js'
import type { Surroundings } from './surroundings.js'
import type { Trail } from './trail.js'

/** How far a call has come. */
export type CallStatus =
  | 'judging'
  | 'suspended'
  | 'admitted'
  | 'denied'
  /** Its admission was used; it is never judged or started again. */
  | 'dispatched'

/** A question that somebody may still answer. */
export interface Pending {
  readonly approvalId: ApprovalId
  readonly asks: readonly Ask[]
  readonly displayDigest: string
  readonly askedAt: number
  readonly expiresAt: number
  readonly suspended: Suspended
}

/** One call of a session. */
export interface LiveCall {
  /** Origin, tool, definition, arguments and folder: what a replay must repeat. */
  readonly identity: string
  readonly prepared: Prepared
  readonly signals: CallSignals
  trail: Trail
  guards: readonly GuardAnswer[] | null
  answer: AnswerFacts | null
  /** How often somebody was asked. */
  rounds: number
  pending: Pending | null
  status: CallStatus
  /** The outcome that stands, for replays. */
  outcome: Outcome | null
}

/** A place in the register is taken before the first wait, so that one id is one call. */
export interface CallEntry {
  readonly identity: string
  readonly signals: CallSignals
  call: LiveCall | null
  /** The evaluation under way, or the last one; a second evaluate joins it. */
  turn: Promise<Outcome>
  isBusy: boolean
}

/** How a call ends that did not end by itself. */
export type Stopped = 'cancelled' | 'revoked' | 'timeout'

/** A call whose executor may be running. */
export interface RunningCall {
  readonly call: LiveCall
  readonly facts: Facts
  /** The boundary that its commands run in; `null` when they run in none. */
  readonly profile: SandboxProfile | null
  /** Ends it as `timeout` once it ran this long, in milliseconds; a longer limit than before changes nothing. */
  readonly limitTo: (ms: number) => void
  /** Ends the call as far as anybody is told; its executor may still run. */
  readonly end: (status: Stopped) => void
  /** Resolves when the executor has ended, too. */
  readonly done: Promise<void>
}

export interface LiveSession {
  readonly id: SessionId
  readonly runId: RunId
  readonly taskId: string
  readonly cwd: string
  readonly around: Surroundings
  readonly recorder: Recorder
  /** Authenticates this session's tickets. */
  readonly ticketKey: Uint8Array
  readonly calls: Map<CallId, CallEntry>
  readonly starting: Starting
  /** What was not stopped yet; a new policy looks at these. */
  readonly running: Set<RunningCall>
  /** Every executor that has not ended, stopped or not. */
  readonly unsettled: Set<RunningCall>
  readonly closing: AbortController
  policy: EffectivePolicy
  /** Steps counted so far: the next intent's number. */
  steps: number
  denied: number
  dispatched: number
}

/** Waits until nobody judges the call any more; what follows without a wait has it for itself. */
export async function whenIdle(entry: CallEntry): Promise<void> {
  while (entry.isBusy) await entry.turn
}
