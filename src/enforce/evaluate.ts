/** `evaluate` (pipeline.md §3): one call id is one call, decided once, replayed afterwards. */

import type { Outcome } from '../contract/outcome.js'
import type { CallRequest } from '../contract/session.js'
import type { Origin } from '../core/call.js'
import { unreachable } from '../core/unreachable.js'
import { admit } from './admission.js'
import { prepare } from './call/prepare.js'
import { callSignals } from './call/signals.js'
import { submit, type Submission } from './call/submission.js'
import type { CallEntry, LiveCall, LiveSession } from './live-session.js'
import { denied, unrecorded } from './messages.js'
import { settle } from './settle.js'
import { emptyTrail } from './trail.js'

/** Never rejects; every fault on the way denies. */
export async function evaluate(
  session: LiveSession,
  request: CallRequest,
  origin: Origin = 'agent',
): Promise<Outcome> {
  const submission = await submit(request, session.around.ids, session.around.pause)
  if (session.closing.signal.aborted) return unrecorded('session_closed', submission.callId)
  const identity = identityOf(session, submission, origin)
  const known = session.calls.get(submission.callId)
  if (known !== undefined && known.identity !== identity) {
    return unrecorded('call_id_reused', submission.callId)
  }
  return known === undefined
    ? begin(session, submission, origin, identity)
    : replay(session, known, submission)
}

/** What a replay must repeat; a request with a defect repeats its defect. */
function identityOf(session: LiveSession, submission: Submission, origin: Origin): string {
  const { tool, argsRef, cwd, defect } = submission
  const definition = session.around.tools.find(tool)?.digest ?? null
  return JSON.stringify([origin, tool, definition, argsRef.d, cwd, defect])
}

function begin(
  session: LiveSession,
  submission: Submission,
  origin: Origin,
  identity: string,
): Promise<Outcome> {
  const signals = callSignals(submission.signal)
  const entry: CallEntry = { identity, signals, call: null, isBusy: true, turn: PENDING }
  session.calls.set(submission.callId, entry)
  entry.turn = judgeFirst(session, entry, submission, origin)
  return entry.turn
}

/** Stands in the entry for the moment between its making and its first turn. */
const PENDING = new Promise<Outcome>(() => undefined)

async function judgeFirst(
  session: LiveSession,
  entry: CallEntry,
  submission: Submission,
  origin: Origin,
): Promise<Outcome> {
  try {
    const prepared = await prepare(submission, session, origin, session.around)
    entry.call = {
      identity: entry.identity,
      prepared,
      signals: entry.signals,
      trail: emptyTrail(submission.callId),
      guards: null,
      answer: null,
      rounds: 0,
      pending: null,
      status: 'judging',
      outcome: null,
    }
    return await judge(session, entry.call)
  } catch {
    // Whatever could not be prepared or recorded is denied; its chain stays open and is reported.
    return unrecorded('audit_unavailable', submission.callId)
  } finally {
    entry.isBusy = false
  }
}

/** A call in progress is joined; one that ended gives what it ended in; others are folded again. */
function replay(session: LiveSession, entry: CallEntry, submission: Submission): Promise<Outcome> {
  const { call } = entry
  if (call?.status !== 'dispatched') entry.signals.add(submission.signal)
  if (entry.isBusy) return entry.turn
  if (call === null) return Promise.resolve(unrecorded('audit_unavailable', submission.callId))
  switch (call.status) {
    case 'dispatched':
      return Promise.resolve(unrecorded('already_dispatched', submission.callId))
    case 'denied':
      return entry.turn
    case 'judging':
    case 'suspended':
    case 'admitted':
      return rejudge(session, entry, call)
    default:
      return unreachable(call.status)
  }
}

/** Folds a call that is not terminal again, on its own turn. Never rejects. */
export function rejudge(session: LiveSession, entry: CallEntry, call: LiveCall): Promise<Outcome> {
  entry.isBusy = true
  entry.turn = judge(session, call)
    // A record that cannot be written denies; the chain stays open and is reported.
    .catch(() => unrecorded('audit_unavailable', call.trail.callId))
    .finally(() => {
      entry.isBusy = false
    })
  return entry.turn
}

async function judge(session: LiveSession, call: LiveCall): Promise<Outcome> {
  const settled = await settle(session, call)
  switch (settled.status) {
    case 'admitted':
      call.status = 'admitted'
      call.outcome = admit(session, call)
      return call.outcome
    case 'denied':
      call.status = 'denied'
      call.outcome = denied(call.prepared, settled.by)
      return call.outcome
    case 'suspended':
      call.status = 'suspended'
      call.outcome = settled.suspended
      return call.outcome
    default:
      return unreachable(settled)
  }
}
