/** What happened in a run, record by record (trace.md §6 `timeline`). */

import type {
  HookChangeRecord,
  PolicyChangeRecord,
  SnapshotRecord,
  TraceRecord,
} from '../trace/records.js'
import { callOf, type RunView } from './run-view.js'

/** One record as a person reads it; the order is that of the records, whatever the clocks say. */
export interface TimelineEntry {
  readonly seq: number
  /** Milliseconds since the epoch, as the writer's clock had it. */
  readonly wallMs: number
  readonly kind: string
  /** `null` for records about the whole run. */
  readonly callId: string | null
  readonly text: string
}

/** Every record of the run, in order. */
export function timeline({ records }: RunView): readonly TimelineEntry[] {
  return records.map((record) => ({
    seq: record.seq,
    wallMs: record.wall_ms,
    kind: record.kind,
    callId: callOf(record),
    text: textOf(record),
  }))
}

/** Kinds of later versions say nothing but their name. */
function textOf(record: TraceRecord): string {
  switch (record.kind) {
    case 'run_open':
      return `task ${record.task_id}, policy ${record.policy_revision}`
    case 'decision':
      return `${record.layer} ${record.decision} ${record.matched_rule ?? '-'}`
    case 'pending':
      return 'a ticket left'
    case 'delegation':
      return `${record.delegation} ${record.child_session}`
    case 'delegation_end':
      return `child ended: ${record.reason}`
    case 'approval':
      return `${record.responder.kind} said ${record.verdict}`
    case 'intent':
      return `step ${record.step}: ${record.tool.name}`
    case 'terminal':
      return record.event
    case 'step_result':
    case 'late_result':
      return record.status
    case 'snapshot':
    case 'policy_change':
    case 'hook_change':
      return changeText(record)
    case 'unauthenticated_answer':
      return 'an answer that nobody vouches for'
    case 'recovery':
      return `${record.undispatched.length} undispatched, ${record.in_doubt.length} in doubt`
    case 'run_end':
      return record.reason
    default:
      return ''
  }
}

function changeText(record: PolicyChangeRecord | HookChangeRecord | SnapshotRecord): string {
  switch (record.kind) {
    case 'snapshot':
      return `snapshot ${record.version}`
    case 'policy_change':
      return `policy ${record.to}`
    case 'hook_change':
      return `hook ${record.hook.id}: ${record.action}`
  }
}
