/** Sessions and the object that makes them (api.md). */

import type { CallId, PolicyRevision, SessionId } from '../core/ids.js'
import type { Json } from '../core/json.js'
import type { Language } from '../words/language.js'
import type { DecisionNode } from '../trace/records.js'
import type { Snapshots } from '../delegation/snapshots.js'
import type { Ledger } from '../trace/ledger.js'
import type { Delegation, Narrowing } from './delegation.js'
import type { Answer, ApprovalRequest, Responder, ResponderIdentity, Ticket } from './approval.js'
import type { Admission, Check, Outcome, Result } from './outcome.js'
import type { Hooks } from './hooks.js'
import type { Policy } from './policy.js'
import type { SandboxDriver } from './sandbox.js'
import type { Execute, Tool } from './tool.js'

/** One tool call as the host hands it in. */
export interface CallRequest {
  readonly tool: string
  readonly args: unknown
  /** 1 to 128 printable ASCII characters, unique in the session; absent: made by the library. */
  readonly callId?: string | undefined
  readonly turn?: string | undefined
  readonly cwd?: string | undefined
  readonly signal?: AbortSignal | undefined
  /** What the model saw that led here; digested right before dispatch. */
  readonly observation?: unknown
}

export const CLOSE_REASONS = [
  'completed',
  'budget_exhausted',
  'policy_denied',
  'error',
  'timeout',
  'cancelled',
] as const
export type CloseReason = (typeof CLOSE_REASONS)[number]

/** The principal that calls act for. `check`, `evaluate` and `run` never reject. */
export interface Session extends AsyncDisposable {
  readonly id: SessionId
  readonly revision: PolicyRevision
  /** The finished dialogue that a fork begins with; absent for other sessions. */
  readonly history?: readonly Json[] | undefined
  readonly check: (call: CallRequest) => Promise<Check>
  readonly evaluate: (call: CallRequest) => Promise<Outcome>
  /** Runs the registered executor with the judged arguments; rejects only with `AdmissionError`. */
  readonly dispatch: <R>(admission: Admission) => Promise<Result<R>>
  /** As `dispatch`, with an adapter's executor; the record says so. */
  readonly dispatchInline: <R>(admission: Admission, run: Execute<R>) => Promise<Result<R>>
  readonly run: <R = unknown>(call: CallRequest) => Promise<Result<R>>
  /** The tools a model may be told about; the executor checks again. */
  readonly visibleTools: () => readonly Tool[]
  /** A child whose policy is this one's, met with the delegation. Rejects with `DelegationError`. */
  readonly spawn: (delegation?: Delegation) => Promise<Session>
  /** As `spawn`, beginning with the finished part of a dialogue, copied and frozen. */
  readonly fork: (
    delegation: Delegation,
    dialogue: { readonly history: readonly Json[] },
  ) => Promise<Session>
  /** Narrows this session and everything below it at once. Rejects with `DelegationError`. */
  readonly tighten: (narrowing: Narrowing) => Promise<PolicyRevision>
  /** From the terminal event back to the root; rejects with `RecordError unknown_call`. */
  readonly chain: (callId: string) => Promise<readonly DecisionNode[]>
  /** Refuses new calls, cancels asks, aborts running calls, waits 5 s, writes the end of the run. */
  readonly close: (reason?: CloseReason) => Promise<void>
}

/** What the host fixes beside a call of its own. */
export interface DirectOptions {
  /**
   * Calls that the executor will make, fixed now: one that equals one of these in tool and arguments is
   * the host's own as well, once. Every other call of the executor is judged like a model's.
   */
  readonly children?: readonly Pick<CallRequest, 'tool' | 'args'>[] | undefined
}

/** The host's own hand: no rule and no approval, but every guard, the sandbox and the record. Keep it from tools. */
export interface Direct {
  readonly run: <R = unknown>(call: CallRequest, options?: DirectOptions) => Promise<Result<R>>
}

/** A session as an executor has it: every use is a nested call, and it dies with the call. */
export type CallSession = Pick<
  Session,
  'id' | 'revision' | 'check' | 'evaluate' | 'dispatch' | 'run' | 'visibleTools' | 'spawn' | 'fork'
>

/** Where records live. `folder` says which folder, before anything is opened; `null`: none. */
export interface Store {
  readonly kind: string
  readonly durable: boolean
  readonly folder: (workspaceId: string) => string | null
  /** Opens what one workspace keeps; rejects with `RecordError`. */
  readonly open: (workspaceId: string) => Promise<OpenStore>
}

/** A ledger with the snapshots of its sessions, and the key that authenticates them and the tickets. */
export interface OpenStore extends Ledger {
  readonly snapshots: Snapshots
  /** 32 bytes, made once and kept beside the ledger (0600); never in a record. */
  readonly secret: Uint8Array
}

export interface SixgateOptions {
  /** Several policies: every stated axis is met, rules are united. */
  readonly policy: Policy | readonly Policy[]
  /** An existing folder; `/`, a volume root, a home directory and its parents are refused. */
  readonly workspace: string
  readonly tools: readonly Tool[]
  /** Absent: sandboxed calls are denied, never run on the host. */
  readonly sandbox?: SandboxDriver | undefined
  /** Absent: an ask is denied before any request; `'suspend'`: a ticket. */
  readonly responder?: Responder | 'suspend' | undefined
  /** Absent: memory, and records say so. */
  readonly store?: Store | undefined
  /** Of messages and questions; absent: `en`. Ids and codes are the same in every language. */
  readonly language?: Language | undefined
}

/** Listeners run after the record and change nothing; what they throw is dropped. */
export interface Events {
  readonly decision: DecisionNode
  readonly ask: ApprovalRequest
  readonly answer: { readonly callId: CallId; readonly answer: Answer }
  readonly dispatch: { readonly callId: CallId }
  readonly result: { readonly callId: CallId; readonly result: Result<unknown> }
  readonly tighten: { readonly session: SessionId; readonly revision: PolicyRevision }
  readonly session: { readonly session: SessionId; readonly state: 'start' | 'end' }
}

export interface Sixgate extends AsyncDisposable {
  readonly session: (options?: {
    readonly task?: string | undefined
    readonly cwd?: string | undefined
  }) => Promise<Session>
  /**
   * Brings a session back exactly as tight as it was, met with every tightening since. Rejects with
   * `SnapshotError`. A root whose given policy differs needs a choice: `snapshot` keeps what was in
   * force, `meet` narrows it by the given one.
   */
  readonly resume: (
    id: SessionId,
    options?: { readonly policy?: 'snapshot' | 'meet' | undefined },
  ) => Promise<Session>
  /** Settles a suspended call; arguments are handed in again and must match. Never rejects. */
  readonly resolve: (
    ticket: Ticket,
    call: CallRequest,
    answer: Answer,
    by: ResponderIdentity,
  ) => Promise<Outcome>
  /** A new revision for a root session; may widen. Rejects with `ConfigError`. */
  readonly replacePolicy: (session: Session, policy: Policy) => Promise<PolicyRevision>
  /** Calls of this host itself; throws `ConfigError invalid_option` for a session of another object. */
  readonly direct: (session: Session) => Direct
  /** A person spoke: what was refused may be asked about again, and the limit of refusals starts anew. */
  readonly userTurn: (session: Session) => void
  /** Every pending and every unasked call of the turn ends as `cancelled`, later ones included. */
  readonly abortTurn: (session: Session, turn: string) => void
  readonly hooks: Hooks
  readonly on: <E extends keyof Events>(
    event: E,
    listener: (event: Events[E]) => void,
  ) => Disposable
}
