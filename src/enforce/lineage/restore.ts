/** The calls of a run that is taken up again (pipeline.md §3 replay): ended ones stay ended, open ones go on. */

import type { CallId } from '../../core/ids.js'
import type { Ask, RememberedGrant } from '../../core/facts.js'
import type { Escalation } from '../../core/escalation.js'
import type { Visit } from '../../core/verdict.js'
import type { ReadCall, ReadRun } from '../../trace/read-run.js'
import type { DecisionRecord, PendingRecord } from '../../trace/records.js'
import type { Words } from '../../words/words.js'
import type { CallEntry, RestoredPending } from '../live-session.js'
import { callSignals } from '../call/signals.js'
import { recordedDenial, unrecorded } from '../messages.js'
import type { Trail } from '../trail.js'

/** What was remembered in an earlier process of the session. */
export function restoredGrants(run: ReadRun): readonly RememberedGrant[] {
  return run.records.flatMap((record) =>
    record.kind === 'grant'
      ? [Object.freeze({ approvalId: record.approval_id, entries: record.rules })]
      : [],
  )
}

/** The register of calls as the run leaves it: no id can be used for another call, nothing runs twice. */
export function restoredCalls(words: Words, run: ReadRun): Map<CallId, CallEntry> {
  return new Map([...run.calls].flatMap(([callId, call]) => entryOf(words, callId, call)))
}

function entryOf(
  words: Words,
  callId: CallId,
  call: ReadCall,
): readonly (readonly [CallId, CallEntry])[] {
  const identity = call.nodes[0]?.identity
  const last = call.nodes.at(-1)
  if (identity === undefined || last === undefined) return []
  const entry: CallEntry = {
    identity,
    signals: callSignals(null),
    inTurn: null,
    call: null,
    isBusy: false,
    turn: Promise.resolve(unrecorded(words, 'already_dispatched', callId)),
    past: 'dispatched',
    trail: trailOf(callId, call.nodes),
    pending: null,
    rewritten: call.nodes.findLast((node) => node.rewritten !== undefined)?.rewritten?.args.d,
  }
  if (call.terminal?.event === 'dispatch_started') return [[callId, entry]]
  if (call.terminal?.event === 'denied') {
    const turn = Promise.resolve(recordedDenial(words, last))
    return [[callId, { ...entry, past: 'denied', turn }]]
  }
  return [[callId, { ...entry, past: 'open', pending: pendingOf(call.pending) }]]
}

/** The nodes of the last pass, and the head that a further one hangs under. */
function trailOf(callId: CallId, nodes: readonly DecisionRecord[]): Trail {
  const last = nodes.at(-1)
  const pass = last?.pass ?? 0
  const current = nodes.filter((node) => node.pass === pass)
  return {
    callId,
    pass,
    revision: last?.policy_revision ?? null,
    visits: current.map(visitOf),
    nodes: current.map((node) => node.node_id),
    head: last?.node_id ?? null,
  }
}

function visitOf(node: DecisionRecord): Visit {
  return {
    layer: node.layer,
    decision: node.decision,
    matchedRule: node.matched_rule,
    reason: node.reason_code ?? null,
    moot: node.moot === true,
  }
}

function pendingOf(record: PendingRecord | null): RestoredPending | null {
  if (record === null) return null
  return {
    approvalId: record.approval_id,
    asks: record.asks.map(askOf),
    displayDigest: record.display_digest,
    askedAt: record.asked_ms,
    expiresAt: record.expires_ms,
    offered: (record.proposals ?? []).map(({ id, rules }) => ({ id, entries: rules })),
  }
}

function askOf({ layer, matched_rule, escalation }: PendingRecord['asks'][number]): Ask {
  return {
    layer,
    matchedRule: matched_rule,
    escalation: (escalation as Escalation | undefined) ?? null,
  }
}
