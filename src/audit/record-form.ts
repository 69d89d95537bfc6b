/** The fields of a record that a reader relies on: a ledger is somebody's file, and may say anything. */

import { DECISIONS } from '../core/effect.js'
import { RecordError } from '../core/errors.js'
import type { RunId } from '../core/ids.js'
import { LAYER_NAMES } from '../core/layer-name.js'
import type { TraceRecord } from '../trace/records.js'

/**
 * The record itself. Throws `malformed_record` for a field of another form and for a record of another
 * run, `unknown_layer` and `unknown_decision` for names that do not exist.
 */
export function checkForm(record: TraceRecord, run: RunId): TraceRecord {
  const fields = record as unknown as Fields
  demand(fields, ENVELOPE)
  if (fields['run_id'] !== run) throw malformed('run_id')
  demand(fields, FORMS[record.kind] ?? {})
  if (record.kind === 'decision') {
    if (!isOneOf(record.layer, ['guard', ...LAYER_NAMES])) throw unknown('unknown_layer')
    if (!isOneOf(record.decision, DECISIONS)) throw unknown('unknown_decision')
  }
  return record
}

type Fields = Readonly<Record<string, unknown>>
type Claim = (value: unknown) => boolean

const text: Claim = (value) => typeof value === 'string'
const textOrNull: Claim = (value) => value === null || text(value)
const textIfGiven: Claim = (value) => value === undefined || text(value)
const count: Claim = (value) => Number.isSafeInteger(value) && (value as number) >= 0
const ids: Claim = (value) => Array.isArray(value) && value.every(text)
const object: Claim = (value) => typeof value === 'object' && value !== null
const having =
  (claims: Readonly<Record<string, Claim>>): Claim =>
  (value) =>
    object(value) && Object.entries(claims).every(([key, holds]) => holds((value as Fields)[key]))

const ENVELOPE: Readonly<Record<string, Claim>> = {
  v: (value) => value === 1,
  seq: count,
  wall_ms: (value) => Number.isSafeInteger(value),
}

const FORMS: { readonly [K in string]?: Readonly<Record<string, Claim>> } = {
  run_open: { task_id: text, session: text, agent: text, policy_revision: text },
  decision: {
    node_id: text,
    parent_id: textOrNull,
    call_id: text,
    matched_rule: textOrNull,
    policy_revision: text,
    pass: count,
    reason_code: textIfGiven,
  },
  hook_change: {
    action: text,
    hook: having({ id: text, priority: (value) => Number.isSafeInteger(value) }),
  },
  approval: {
    call_id: text,
    verdict: text,
    responder: having({ kind: text, id: text, attested: text }),
  },
  intent: {
    call_id: text,
    step: count,
    tool: having({ name: text }),
    admitting: having({ layer: text, node_id: text, matched_rule: textOrNull }),
    sandbox: (value) => value === null || having({ driver: text, unenforced: ids })(value),
  },
  terminal: {
    call_id: text,
    trace_head_id: text,
    event: (value) => isOneOf(value, ['denied', 'dispatch_started']),
  },
  step_result: { call_id: text, status: text, started: (value) => typeof value === 'boolean' },
  late_result: { call_id: text, status: text },
  policy_change: { from: text, to: text },
  unauthenticated_answer: { call_id: textOrNull },
  recovery: { undispatched: ids, in_doubt: ids },
  run_end: { reason: text, undispatched: ids, in_doubt: ids },
}

function demand(fields: Fields, claims: Readonly<Record<string, Claim>>): void {
  for (const [key, holds] of Object.entries(claims)) {
    if (!holds(fields[key])) throw malformed(key)
  }
}

function isOneOf(value: unknown, allowed: readonly string[]): boolean {
  return typeof value === 'string' && allowed.includes(value)
}

function malformed(field: string): RecordError {
  return new RecordError('malformed_record', `a record lacks \`${field}\` or has another form`, {
    field,
  })
}

function unknown(code: 'unknown_layer' | 'unknown_decision'): RecordError {
  return new RecordError(code, 'a record names what does not exist')
}
