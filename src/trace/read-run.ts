/** Reads a run back (trace.md §4 resume): every line in its place, and what each call had come to. */

import { RecordError } from '../core/errors.js'
import type { CallId, RunId } from '../core/ids.js'
import { leafDigest } from '../encoding/digest.js'
import { genesis } from './recorder.js'
import { parseRecord } from './parse-record.js'
import type {
  DecisionRecord,
  PendingRecord,
  StepResultRecord,
  TerminalRecord,
  TraceRecord,
} from './records.js'

/** A run as it stands on the medium. */
export interface ReadRun {
  readonly records: readonly TraceRecord[]
  readonly size: number
  readonly head: string
  readonly calls: ReadonlyMap<CallId, ReadCall>
  /** Intents written so far: the next one's step. */
  readonly steps: number
  readonly isEnded: boolean
}

/** One call as its records tell it. */
export interface ReadCall {
  readonly nodes: readonly DecisionRecord[]
  readonly terminal: TerminalRecord | null
  readonly result: StepResultRecord | null
  /** A question that was asked and not answered. */
  readonly pending: PendingRecord | null
}

/** Rejects with `malformed_record` for a line that does not follow from the one before it. */
export async function readRun(
  lines: AsyncIterable<Uint8Array>,
  identity: { readonly runId: RunId; readonly ledgerId: string },
): Promise<ReadRun> {
  const records: TraceRecord[] = []
  const calls = new Map<CallId, ReadCall>()
  let head = genesis(identity.ledgerId, identity.runId)
  let steps = 0
  for await (const line of lines) {
    const record = parseRecord(line)
    if (record.seq !== records.length || record.prev !== head) throw outOfPlace(records.length)
    if (record.run_id !== identity.runId) throw outOfPlace(records.length)
    head = leafDigest(line)
    records.push(record)
    if (record.kind === 'intent') steps += 1
    noteCall(record, calls)
  }
  const isEnded = records.at(-1)?.kind === 'run_end'
  return { records, size: records.length, head, calls, steps, isEnded }
}

const UNTOUCHED: ReadCall = { nodes: [], terminal: null, result: null, pending: null }

function noteCall(record: TraceRecord, calls: Map<CallId, ReadCall>): void {
  const change = changeOf(record, calls)
  if (change === null) return
  const { callId, ...fields } = change
  calls.set(callId, { ...(calls.get(callId) ?? UNTOUCHED), ...fields })
}

function changeOf(
  record: TraceRecord,
  calls: ReadonlyMap<CallId, ReadCall>,
): (Partial<ReadCall> & { readonly callId: CallId }) | null {
  switch (record.kind) {
    case 'decision': {
      const before = calls.get(record.call_id)?.nodes ?? []
      return { callId: record.call_id, nodes: [...before, record] }
    }
    case 'terminal':
      return { callId: record.call_id, terminal: record }
    case 'step_result':
      return { callId: record.call_id, result: record }
    case 'pending':
      return { callId: record.call_id, pending: record }
    case 'approval':
      return { callId: record.call_id, pending: null }
    case 'run_open':
    case 'intent':
    case 'late_result':
    case 'policy_change':
    case 'hook_change':
    case 'snapshot':
    case 'delegation':
    case 'delegation_end':
    case 'unauthenticated_answer':
    case 'recovery':
    case 'run_end':
      return null
  }
}

function outOfPlace(index: number): RecordError {
  return new RecordError('malformed_record', 'a record does not follow from the one before it', {
    index,
  })
}
