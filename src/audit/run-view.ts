/** One run, read whole and checked as far as a reader must before it can speak of calls (trace.md §6). */

import type { NodeId, RunId } from '../core/ids.js'
import type { Gathered } from '../trace/chain.js'
import { parseRecord } from '../trace/parse-record.js'
import { RecordError } from '../core/errors.js'
import type {
  ApprovalRecord,
  DecisionRecord,
  IntentRecord,
  RunEndRecord,
  RunOpenRecord,
  StepResultRecord,
  TerminalRecord,
  TraceRecord,
} from '../trace/records.js'
import { checkForm } from './record-form.js'

/** What a run says of one call, in the order of the records. */
export interface CallView {
  readonly callId: string
  readonly nodes: readonly DecisionRecord[]
  readonly approvals: readonly ApprovalRecord[]
  readonly intents: readonly IntentRecord[]
  readonly terminals: readonly TerminalRecord[]
  readonly results: readonly StepResultRecord[]
}

/** A run as it was when the reading started. */
export interface RunView {
  readonly run: RunId
  readonly records: readonly TraceRecord[]
  readonly open: RunOpenRecord | null
  readonly end: RunEndRecord | null
  readonly calls: ReadonlyMap<string, CallView>
  readonly nodes: Gathered['nodes']
  /** False when record numbers do not run 0, 1, 2 …: something is missing or stands twice. */
  readonly isContinuous: boolean
}

/**
 * Reads a run. Rejects with `malformed_record`, `unknown_layer`, `unknown_decision` or `duplicate_node`:
 * of a run with a record that cannot be read nothing is told.
 */
export async function readRun(run: RunId, lines: AsyncIterable<Uint8Array>): Promise<RunView> {
  const records: TraceRecord[] = []
  for await (const line of lines) records.push(checkForm(parseRecord(line), run))
  return {
    run,
    records,
    open: records.find((record) => record.kind === 'run_open') ?? null,
    end: records.findLast((record) => record.kind === 'run_end') ?? null,
    calls: callsOf(records),
    nodes: nodesOf(records),
    isContinuous: records.every(({ seq }, index) => seq === index),
  }
}

function nodesOf(records: readonly TraceRecord[]): ReadonlyMap<NodeId, DecisionRecord> {
  const nodes = new Map<NodeId, DecisionRecord>()
  for (const record of records) {
    if (record.kind !== 'decision') continue
    if (nodes.has(record.node_id)) {
      throw new RecordError('duplicate_node', 'a node stands twice', { call_id: record.call_id })
    }
    nodes.set(record.node_id, record)
  }
  return nodes
}

function callsOf(records: readonly TraceRecord[]): ReadonlyMap<string, CallView> {
  const byCall = new Map<string, TraceRecord[]>()
  for (const record of records) {
    const callId = callOf(record)
    if (callId === null) continue
    const known = byCall.get(callId)
    if (known === undefined) byCall.set(callId, [record])
    else known.push(record)
  }
  return new Map([...byCall].map(([callId, own]) => [callId, viewOf(callId, own)]))
}

/** The call that a record is about; `null` for records of the run. */
export function callOf(record: TraceRecord): string | null {
  return 'call_id' in record ? record.call_id : null
}

function viewOf(callId: string, records: readonly TraceRecord[]): CallView {
  return {
    callId,
    nodes: records.filter((record) => record.kind === 'decision'),
    approvals: records.filter((record) => record.kind === 'approval'),
    intents: records.filter((record) => record.kind === 'intent'),
    terminals: records.filter((record) => record.kind === 'terminal'),
    results: records.flatMap((record) => (record.kind === 'step_result' ? [record] : [])),
  }
}
