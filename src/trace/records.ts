/**
 * Every kind of record, its envelope, and the only translation from the API's camelCase to the
 * snake_case of disk (trace.md §2, api.md law 1). Bytes are made in `encoding/canonical.ts`.
 */

import type { Decision } from '../core/effect.js'
import type {
  ApprovalId,
  CallId,
  EventId,
  NodeId,
  PolicyRevision,
  RunId,
  SessionId,
} from '../core/ids.js'
import type { JsonObject } from '../core/json.js'
import type { NodeLayer } from '../core/layer-name.js'
import type { ReasonCode } from '../core/reasons.js'

/** The form of records; an unknown version is unverifiable, never guessed. */
export const RECORD_VERSION = 1

/** What stands before every record's own fields. */
export interface Envelope {
  readonly v: typeof RECORD_VERSION
  readonly kind: RecordBody['kind']
  readonly run_id: RunId
  /** 0, 1, 2 …; the order of records, whatever the clocks say. */
  readonly seq: number
  /** Digest of the record before; of the genesis text for the first. */
  readonly prev: string
  readonly wall_ms: number
  /** Microseconds of a monotonic clock that restarts with `epoch`. */
  readonly mono_us: number
  /** Random per process start. */
  readonly epoch: string
}

/** Content by digest; the content itself lives elsewhere, under its own retention. */
export interface ContentRef {
  readonly alg: 'sha256'
  readonly d: string
  readonly size: number
  readonly media: string
}

/** The seven fields of pipeline.md §4: what `chain` hands out. */
export interface DecisionNode {
  readonly node_id: NodeId
  readonly parent_id: NodeId | null
  readonly call_id: CallId
  readonly layer: NodeLayer
  readonly decision: Decision
  readonly matched_rule: string | null
  readonly policy_revision: PolicyRevision
}

export interface RunOpenRecord {
  readonly kind: 'run_open'
  readonly ledger_id: string
  readonly task_id: string
  readonly session: SessionId
  readonly agent: string
  readonly principal: string
  /** Where in the parent's run this one was started; `null` for a root. */
  readonly parent: {
    readonly run_id: RunId
    readonly session: SessionId
    readonly call_id: CallId | null
    /** Digest of the last record of the parent's run at that moment. */
    readonly head: string
  } | null
  readonly delegation: 'spawn' | 'fork' | null
  /** The finished dialogue that a fork begins with. */
  readonly history: ContentRef | null
  readonly policy_revision: PolicyRevision
  readonly policy: ContentRef
  readonly retention: 'record'
  /** How long a record lasts at most: `memory` ends with the process. */
  readonly durability: 'barrier' | 'memory'
  /** Absent: what this run decides holds. `shadow`: a policy on trial, nothing was asked or run. */
  readonly enforcement?: 'shadow'
}

export interface DecisionRecord extends DecisionNode {
  readonly kind: 'decision'
  /** 0 for the first walk; one more for each further pass of the call. */
  readonly pass: number
  readonly reason_code?: ReasonCode
  readonly moot?: true
  /** On the first node of a pass: everything the fold read. */
  readonly facts?: ContentRef
  readonly tool_digest?: string
  /** On the first node of a call: what a replay must repeat (origin, tool, definition, arguments, folder). */
  readonly identity?: string
  /** On the first node of a pass whose arguments hooks had changed: the digests before and after. */
  readonly rewritten?: RewrittenArgs & { readonly from: string }
}

/** Arguments as hooks left them, and which hooks these were. */
export interface RewrittenArgs {
  readonly by: readonly string[]
  readonly args: ContentRef
}

/** A question that left the process: while no `approval` answers it, a ticket for it stands. */
export interface PendingRecord {
  readonly kind: 'pending'
  readonly approval_id: ApprovalId
  readonly call_id: CallId
  readonly asks: readonly {
    readonly layer: NodeLayer
    readonly matched_rule: string
    readonly escalation?: string
  }[]
  readonly args_digest: string
  readonly display_digest: string
  readonly asked_ms: number
  readonly expires_ms: number
  /** What an answer may have remembered; absent when nothing was offered. */
  readonly proposals?: readonly { readonly id: string; readonly rules: readonly string[] }[]
}

export interface ApprovalRecord {
  readonly kind: 'approval'
  readonly approval_id: ApprovalId
  readonly call_id: CallId
  readonly responder: {
    readonly kind: string
    readonly id: string
    readonly attested: 'host' | 'registered'
  }
  /** `superseded`: another yes that was remembered covers the call. */
  readonly verdict:
    'approve' | 'reject' | 'expired' | 'cancelled' | 'responder_failed' | 'stale' | 'superseded'
  readonly args_bound: string
  readonly display_digest: string
  readonly policy_revision: PolicyRevision
  readonly asked_ms: number
  readonly answered_ms: number
  readonly expires_ms: number
}

/** A yes that was remembered, in full; it ends with its session. */
export interface GrantRecord {
  readonly kind: 'grant'
  readonly approval_id: ApprovalId
  readonly call_id: CallId
  /** Which of the offered proposals. */
  readonly proposal: string
  /** Match texts, as a whitelist would hold them. */
  readonly rules: readonly string[]
  readonly scope: 'session'
  readonly expires_ms: null
}

export interface IntentRecord {
  readonly kind: 'intent'
  readonly task_id: string
  /** 0, 1, 2 … per run without gap. */
  readonly step: number
  readonly call_id: CallId
  readonly tool: { readonly name: string; readonly version?: string }
  readonly args: ContentRef
  /** What hooks made of them before the schema saw them; absent when none changed anything. */
  readonly rewritten?: RewrittenArgs
  /** What the executor got, when the schema changed it; else `null`. */
  readonly args_effective:
    | (ContentRef & { readonly normaliser: { readonly name: string; readonly version: string } })
    | null
  readonly executor: 'registered' | 'inline'
  /** The node that last set the standing to granted. */
  readonly admitting: {
    readonly layer: NodeLayer
    readonly node_id: NodeId
    readonly matched_rule: string | null
  }
  readonly policy_revision: PolicyRevision
  readonly observation: ContentRef | null
  /** `null` for a tool that runs in the host's process. `driver: "none"`: outside every sandbox. */
  readonly sandbox: {
    readonly profile: string
    readonly driver: string
    /** Guarantees that this driver does not keep here. */
    readonly unenforced: readonly string[]
  } | null
}

export interface TerminalRecord {
  readonly kind: 'terminal'
  readonly event_id: EventId
  readonly call_id: CallId
  readonly trace_head_id: NodeId
  readonly event: 'denied' | 'dispatch_started'
  /** RFC 3339, UTC, milliseconds. */
  readonly timestamp: string
}

export const STEP_STATUSES = [
  'ok',
  'error',
  'timeout',
  'cancelled',
  'killed',
  'revoked',
  'in_doubt',
] as const
export type StepStatus = (typeof STEP_STATUSES)[number]

export interface StepResultRecord {
  readonly kind: 'step_result' | 'late_result'
  readonly call_id: CallId
  readonly status: StepStatus
  readonly started: boolean
  readonly result: ContentRef | null
  readonly exit: number | null
  readonly duration_us: number
  /** What is known of effects for a step that did not end by itself; `null` for one that did. */
  readonly effects: 'none' | 'unknown' | null
  /** What the executor said it used; absent when it said nothing. */
  readonly usage?: StepUsage
  /** Control files of repositories that the commands of the call left; `null`: nobody could look. */
  readonly new_control_files?: readonly string[] | null
  /** What went through the network grants of the call's commands, added up. */
  readonly network_grant?: NetworkGrantFacts
  /** Digest of the list of effects that the executor reported. */
  readonly reported?: ContentRef
}

/** One granted origin and what was carried (S1-40). */
export interface NetworkGrantFacts {
  readonly host: string
  /** `null` is any port. */
  readonly port: number | null
  readonly policy_digest: string
  readonly sent_bytes: number
  readonly received_bytes: number
  readonly connections: number
  readonly refused: number
}

/** Whole numbers; costs in millionths of the host's currency. */
export interface StepUsage {
  readonly tokens_in: number
  readonly tokens_out: number
  readonly cost_micros: number
}

export interface PolicyChangeRecord {
  readonly kind: 'policy_change'
  readonly from: PolicyRevision
  readonly to: PolicyRevision
  /** `tighten` narrows; `host` replaces the policy of a root. */
  readonly source: 'tighten' | 'host'
  /** The session that was tightened: this one, or an ancestor; `null` for `host`. */
  readonly by: SessionId | null
  /** What was said, in full: a cold session is met with it when it resumes. */
  readonly constraints: JsonObject | null
  readonly policy: ContentRef
}

/** A hook came or went; a run begins with the hooks that it finds. */
export interface HookChangeRecord {
  readonly kind: 'hook_change'
  readonly action: 'add' | 'remove'
  readonly hook: {
    readonly id: string
    readonly priority: number
    readonly timeout_ms: number
    readonly match: {
      readonly tool?: string | undefined
      readonly path?: string | undefined
      readonly command?: string | undefined
    }
  }
}

/** A version of the session's snapshot that is stored and counts from here on. */
export interface SnapshotRecord {
  readonly kind: 'snapshot'
  readonly session: SessionId
  readonly version: number
  readonly digest: string
}

/** In the parent's run: a child exists. */
export interface DelegationRecord {
  readonly kind: 'delegation'
  readonly child_run: RunId
  readonly child_session: SessionId
  readonly child_open: string
  readonly call_id: CallId | null
  readonly delegation: 'spawn' | 'fork'
  readonly constraints: ContentRef
  /** What asked for more and was given the parent's value. */
  readonly clamped: readonly { readonly axis: string; readonly field: string }[]
}

export interface DelegationEndRecord {
  readonly kind: 'delegation_end'
  readonly child_run: RunId
  readonly reason: RunEndReason
}

export interface UnauthenticatedAnswerRecord {
  readonly kind: 'unauthenticated_answer'
  readonly call_id: CallId | null
  readonly approval_id: ApprovalId | null
}

export interface RecoveryRecord {
  readonly kind: 'recovery'
  readonly old_epoch: string
  readonly torn: { readonly bytes: number; readonly sha256: string } | null
  readonly undispatched: readonly CallId[]
  readonly in_doubt: readonly CallId[]
}

export const RUN_END_REASONS = [
  'completed',
  'budget_exhausted',
  'policy_denied',
  'error',
  'timeout',
  'cancelled',
  'parent_closed',
  'host_shutdown',
] as const
export type RunEndReason = (typeof RUN_END_REASONS)[number]

export interface RunEndRecord {
  readonly kind: 'run_end'
  readonly reason: RunEndReason
  readonly counts: {
    readonly calls: number
    readonly denied: number
    readonly dispatched: number
    readonly steps: number
    /** Records of the run, this one included. */
    readonly records: number
  }
  readonly undispatched: readonly CallId[]
  readonly in_doubt: readonly CallId[]
}

/** What one kind says beyond the envelope. */
export type RecordBody =
  | RunOpenRecord
  | DecisionRecord
  | PendingRecord
  | ApprovalRecord
  | GrantRecord
  | IntentRecord
  | TerminalRecord
  | StepResultRecord
  | PolicyChangeRecord
  | HookChangeRecord
  | SnapshotRecord
  | DelegationRecord
  | DelegationEndRecord
  | UnauthenticatedAnswerRecord
  | RecoveryRecord
  | RunEndRecord

/** A record as it stands on disk. */
export type TraceRecord = Envelope & RecordBody

/** Any line of a run: kinds of later versions are kept as they are. */
export type AnyRecord = TraceRecord | (JsonObject & { readonly kind: string })

/** The node inside a decision record, without what only the record holds. */
export function nodeOf(record: DecisionRecord): DecisionNode {
  return {
    node_id: record.node_id,
    parent_id: record.parent_id,
    call_id: record.call_id,
    layer: record.layer,
    decision: record.decision,
    matched_rule: record.matched_rule,
    policy_revision: record.policy_revision,
  }
}
