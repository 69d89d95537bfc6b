/** What a session holds while it is open. Only this folder changes it. */

import type { Outcome, Suspended } from '../contract/outcome.js'
import type { SandboxProfile } from '../contract/sandbox.js'
import type { CallSession, OpenStore, Session } from '../contract/session.js'
import type { ApprovalId, CallId, RunId, SessionId } from '../core/ids.js'
import type { AnswerFacts, Ask, Facts, GuardAnswer, RememberedGrant } from '../core/facts.js'
import type { Json, JsonObject } from '../core/json.js'
import type { AncestorMark, Snapshot } from '../delegation/snapshot.js'
import type { EffectivePolicy, PolicyAxes } from '../policy/effective-policy.js'
import type { Recorder } from '../trace/recorder.js'
import type { Prepared } from './call/prepare.js'
import type { AskBook } from './ask/ask-book.js'
import type { Bind } from './ask/binds.js'
import type { Shown } from './ask/shown.js'
import type { OfferedProposal } from './ask/suspension.js'
import type { FixedChildren } from './call/fixed-children.js'
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

/** A question that somebody may still answer, as the run remembers it. */
export interface RestoredPending {
  readonly approvalId: ApprovalId
  readonly asks: readonly Ask[]
  readonly displayDigest: string
  readonly askedAt: number
  readonly expiresAt: number
  /** What an answer may have remembered. */
  readonly offered: readonly OfferedProposal[]
}

/** The same with the ticket that was handed out. */
export interface Pending extends RestoredPending {
  readonly suspended: Suspended
}

/** One call of a session. */
export interface LiveCall {
  /** Origin, tool, definition, arguments and folder: what a replay must repeat. */
  readonly identity: string
  /** Hooks may put other arguments in, before the first fold and never after it. */
  prepared: Prepared
  readonly signals: CallSignals
  /** The call whose executor made this one; `null` for a call of the host or the model. */
  readonly within: LiveCall | null
  /** Aborts when something ends its executor before that is done: calls within it end as well. */
  readonly stopped: AbortController
  /** What the host fixed for the executor of a direct call; `null` for every other call. */
  readonly fixed: FixedChildren | null
  trail: Trail
  guards: readonly GuardAnswer[] | null
  answer: AnswerFacts | null
  /** How often somebody was asked. */
  rounds: number
  /** The files of the last question, as they were then. */
  binds: readonly Bind[]
  /** What the last question showed; `null` before one. */
  shown: Shown | null
  /** A question to a responder that is open; told when something was remembered meanwhile. */
  asking: { readonly recheck: () => void } | null
  pending: Pending | null
  status: CallStatus
  /** The outcome that stands, for replays. */
  outcome: Outcome | null
}

/** A call before its first fold. */
export function newCall(
  made: Pick<LiveCall, 'identity' | 'prepared' | 'signals' | 'within' | 'fixed' | 'trail'>,
): LiveCall {
  return {
    ...made,
    stopped: new AbortController(),
    guards: null,
    answer: null,
    rounds: 0,
    binds: [],
    shown: null,
    asking: null,
    pending: null,
    status: 'judging',
    outcome: null,
  }
}

/** A place in the register is taken before the first wait, so that one id is one call. */
export interface CallEntry {
  readonly identity: string
  readonly signals: CallSignals
  /** The turn that the host counts the call to. */
  inTurn: string | null
  call: LiveCall | null
  /** The evaluation under way, or the last one; a second evaluate joins it. */
  turn: Promise<Outcome>
  isBusy: boolean
  /** How the call stood when its run was taken up again; absent for a call of this process. */
  readonly past?: 'dispatched' | 'denied' | 'open' | undefined
  /** What was written of it before, and the question that it left. */
  readonly trail?: Trail | undefined
  readonly pending?: RestoredPending | null | undefined
  /** Digest of the arguments that hooks made of it then. */
  readonly rewritten?: string | undefined
  /** The call as it is being prepared; whoever else needs it waits for the same one. */
  waking?: Promise<LiveCall> | undefined
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

/** What is made once for all sessions of one `createSixgate`. */
export interface SessionHome {
  /** `shadow`: sessions judge and record, and nothing else. */
  readonly enforcement: 'enforced' | 'shadow'
  readonly around: Surroundings
  readonly store: OpenStore
  /** Binds axes as the n-th policy of a session. Throws `ConfigError`; then nothing was changed. */
  readonly bind: (axes: PolicyAxes, count: number, isDelegated: boolean) => EffectivePolicy
  readonly faceOf: (session: LiveSession) => Session
  /** The session inside one of its calls, for as long as `isAlive` says so. */
  readonly nested: (session: LiveSession, call: LiveCall, isAlive: () => boolean) => CallSession
  /** Judges another host for a call that runs, as a nested call of its tool. */
  readonly authorize: (session: LiveSession, call: LiveCall, url: string) => Promise<Outcome>
  /** Every session that is open in this process, and every child that is just being created. */
  readonly sessions: Set<LiveSession>
  /** Tightenings of this process, for sessions that are being taken up again meanwhile. */
  readonly tightenings: Tightening[]
}

/** One tightening by its place in the run that holds it. */
export interface Tightening {
  readonly runId: RunId
  readonly seq: number
  readonly constraints: JsonObject
}

export interface LiveSession {
  readonly id: SessionId
  readonly kind: Snapshot['kind']
  /** The objects that this session shares with every other one of its `createSixgate`. */
  readonly home: SessionHome
  /** Absent for a root, and for a session that was taken up again by itself. */
  readonly parent: LiveSession | null
  /** The call that asked for this child, when one did. */
  readonly spawnCallId: CallId | null
  /** How many levels of children may still follow. */
  readonly spawnsLeft: number
  /** The finished dialogue that a fork begins with. */
  readonly history: readonly Json[] | undefined
  /** Digest of the axes that the host gave when the root began; `null` for a child. */
  readonly givenDigest: string | null
  readonly createdAt: string
  /** The parent of a session that was taken up again by itself, as its snapshot names it. */
  readonly coldParent: Pick<Snapshot, 'parent_session_id' | 'parent_policy_revision'> | null
  /** Runs of ancestors that are not live, nearest first, with what their tightenings are counted from. */
  readonly coldAncestors: readonly AncestorMark[]
  /** Version of the snapshot that was last handed to the store. */
  snapshotVersion: number
  /** The writing of snapshots, one after the other. */
  saving: Promise<void>
  readonly runId: RunId
  readonly taskId: string
  readonly cwd: string
  readonly around: Surroundings
  readonly recorder: Recorder
  /** Authenticates this session's tickets. */
  readonly ticketKey: Uint8Array
  readonly calls: Map<CallId, CallEntry>
  /** Turns that the host aborted: calls of these are cancelled before anybody is asked. */
  readonly abortedTurns: Set<string>
  readonly starting: Starting
  /** What was not stopped yet; a new policy looks at these. */
  readonly running: Set<RunningCall>
  /** Every executor that has not ended, stopped or not. */
  readonly unsettled: Set<RunningCall>
  readonly closing: AbortController
  policy: EffectivePolicy
  /** What a person had remembered; never a child's. */
  grants: readonly RememberedGrant[]
  /** Shared by a root and everything below it. */
  readonly askBook: AskBook
  /** Steps counted so far: the next intent's number. */
  steps: number
  denied: number
  dispatched: number
}

/** Waits until nobody judges the call any more; what follows without a wait has it for itself. */
export async function whenIdle(entry: CallEntry): Promise<void> {
  while (entry.isBusy) await entry.turn
}
