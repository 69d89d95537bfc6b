/** `resolve` (pipeline.md §5): the first authentic answer to a ticket settles its call, once. */

import type { Answer, ResponderIdentity, Ticket } from '../../contract/approval.js'
import type { Outcome } from '../../contract/outcome.js'
import type { CallRequest } from '../../contract/session.js'
import { parseCallId, type ApprovalId, type CallId } from '../../core/ids.js'
import { RESPONDER_KINDS } from '../../core/facts.js'
import { needsHuman } from '../../pipeline/approval-response.js'
import { submit, type Submission } from '../call/submission.js'
import { rejudge, wakeCall } from '../evaluate.js'
import type { CallEntry, LiveCall, LiveSession, Pending } from '../live-session.js'
import { unrecorded } from '../messages.js'
import { approvalRecord, parseAnswer } from './asking.js'
import { isAuthentic } from './tickets.js'

/** What the host hands in with a ticket. */
export interface Resolution {
  readonly ticket: Ticket
  readonly call: CallRequest
  readonly answer: Answer
  readonly by: ResponderIdentity
}

/**
 * Never rejects. A losing, late, malformed or unauthenticated answer changes nothing and gives what
 * stands; an unauthenticated one is recorded.
 */
export async function resolve(session: LiveSession, resolution: Resolution): Promise<Outcome> {
  const { ticket } = resolution
  const callId = parseCallId(Reflect.get(Object(ticket) as object, 'call_id'))
  const entry = callId === undefined ? undefined : session.calls.get(callId)
  if (!isAuthentic(session, ticket) || entry === undefined) return refuse(session, entry, callId)
  if (entry.isBusy) await entry.turn
  const known = await knownCall(session, entry, resolution)
  if (known === null) return refuse(session, entry, callId)
  if (entry.isBusy) await entry.turn
  const pending = known.pending
  if (pending === null || pending.approvalId !== ticket.approval_id) return entry.turn
  const accepted = acceptedAnswer(session, pending, resolution)
  if (accepted === null) return entry.turn
  // The compare-and-set: no wait between reading `pending` and clearing it.
  known.pending = null
  known.answer = accepted
  return settleAnswered(session, entry, known, { pending, resolution })
}

type Accepted = NonNullable<LiveCall['answer']>

function acceptedAnswer(
  session: LiveSession,
  pending: Pending,
  { answer, by }: Resolution,
): Accepted | null {
  const said = parseAnswer(answer)
  if (said === null || !isIdentity(by)) return null
  if (session.around.clock.wallMs() >= pending.expiresAt) {
    return { verdict: 'refused', end: 'expired' }
  }
  if (said.answer === 'reject') return { verdict: 'refused', end: 'rejected' }
  if (needsHuman(pending.asks, session.policy) && by.kind !== 'human') return null
  return { verdict: 'approved', covers: pending.asks, by: by.kind }
}

async function settleAnswered(
  session: LiveSession,
  entry: CallEntry,
  call: LiveCall,
  { pending, resolution }: { readonly pending: Pending; readonly resolution: Resolution },
): Promise<Outcome> {
  const { kind, id } = resolution.by
  const end = call.answer?.verdict === 'approved' ? 'approve' : endOf(call)
  const record = approvalRecord(session, call, {
    request: pending,
    askedAt: pending.askedAt,
    by: { kind, id, attested: 'host' },
    end,
  })
  session.around.events.emit('answer', { callId: call.trail.callId, answer: resolution.answer })
  const written = session.recorder.write([record], 'written')
  const turn = rejudge(session, entry, call)
  try {
    await written
  } catch {
    // An answer that is not on record admits nothing.
    return unrecorded('audit_unavailable', call.trail.callId)
  }
  return turn
}

function endOf(call: LiveCall): 'rejected' | 'expired' {
  return call.answer?.verdict === 'refused' && call.answer.end === 'expired'
    ? 'expired'
    : 'rejected'
}

/** The call of the ticket, if the arguments that were handed in again are the ones that were shown. */
async function knownCall(
  session: LiveSession,
  entry: CallEntry,
  { ticket, call: request }: Resolution,
): Promise<LiveCall | null> {
  const again = await submit(request, session.around.ids, session.around.pause)
  const isRepeated =
    again.defect === null &&
    (request.callId === undefined || again.callId === ticket.call_id) &&
    again.tool === ticket.tool &&
    again.argsRef.d === ticket.args_digest
  if (!isRepeated) return null
  if (entry.call !== null) {
    return again.cwd === entry.call.prepared.submission.cwd ? entry.call : null
  }
  return entry.past === 'open' ? wakePending(session, entry, { ticket, again }) : null
}

/** A question of an earlier process: the run holds its row, and the ticket is a claim to it. */
async function wakePending(
  session: LiveSession,
  entry: CallEntry,
  { ticket, again }: { readonly ticket: Ticket; readonly again: Submission },
): Promise<LiveCall | null> {
  const { pending } = entry
  if (pending?.approvalId !== ticket.approval_id) return null
  const submission = { ...again, callId: ticket.call_id }
  const call = await wakeCall(session, entry, { submission, origin: 'agent' })
  const { call: judged, registered } = call.prepared
  if (judged.cwd !== ticket.cwd || registered?.digest !== ticket.tool_digest) return null
  call.rounds = 1
  call.status = 'suspended'
  call.pending = { ...pending, suspended: { ...WAITING, callId: ticket.call_id, ticket } }
  return call
}

const WAITING = {
  status: 'suspended',
  message: 'This call waits for an approval; it has not run.',
  humanMessage: 'The call waits for an approval since before the restart',
} as const

async function refuse(
  session: LiveSession,
  entry: CallEntry | undefined,
  callId: CallId | undefined,
): Promise<Outcome> {
  const approvalId: ApprovalId | null = entry?.call?.pending?.approvalId ?? null
  const record = {
    kind: 'unauthenticated_answer',
    call_id: callId ?? null,
    approval_id: approvalId,
  } as const
  const id = callId ?? session.around.ids.call()
  try {
    await session.recorder.write([record], 'written')
  } catch {
    // Nothing was changed; what cannot be recorded is denied.
    return unrecorded('audit_unavailable', id)
  }
  return entry?.turn ?? unrecorded('session_closed', id)
}

function isIdentity(by: unknown): by is ResponderIdentity {
  const kind: unknown = Reflect.get(Object(by) as object, 'kind')
  const id: unknown = Reflect.get(Object(by) as object, 'id')
  return typeof id === 'string' && (RESPONDER_KINDS as readonly unknown[]).includes(kind)
}
