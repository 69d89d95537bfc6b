/** `resolve` (pipeline.md §5): the first authentic answer to a ticket settles its call, once. */

import type { Answer, ResponderIdentity, Ticket } from '../../contract/approval.js'
import type { Outcome, Suspended } from '../../contract/outcome.js'
import type { CallRequest } from '../../contract/session.js'
import type { ApprovalId, CallId } from '../../core/ids.js'
import { needsHuman } from '../../pipeline/approval-response.js'
import { submit, type Submission } from '../call/submission.js'
import { identityOf, rejudge, wakeCall } from '../evaluate.js'
import { whenIdle } from '../live-session.js'
import type { CallEntry, LiveCall, LiveSession, Pending, RestoredPending } from '../live-session.js'
import { unrecorded } from '../messages.js'
import { readAnswer, readIdentity } from './answer.js'
import { approvalRecord, requestInput } from './asking.js'
import { namedProposal, remembered } from './grants.js'
import type { Shown } from './shown.js'
import type { OfferedProposal } from './suspension.js'
import { authenticTicket, claimedCall } from './tickets.js'

/** What the host hands in with a ticket; anybody may have made each part of it. */
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
  // Read once, before the first wait: what the caller changes afterwards was never said.
  const ticket = authenticTicket(session, resolution.ticket)
  const said = { answer: readAnswer(resolution.answer), by: readIdentity(resolution.by) }
  const callId = ticket?.call_id ?? claimedCall(resolution.ticket)
  const entry = callId === undefined ? undefined : session.calls.get(callId)
  if (ticket === null || entry === undefined) return refuse(session, entry, callId)
  const call = await repeatedCall(session, entry, { ticket, request: resolution.call })
  if (call === null) return refuse(session, entry, callId)
  await whenIdle(entry)
  const { pending } = call
  const isOpen = call.status === 'suspended' && pending?.approvalId === ticket.approval_id
  if (!isOpen || session.closing.signal.aborted) return standing(session, entry)
  const accepted = acceptedAnswer(session, pending, said)
  if (accepted === null) return standing(session, entry)
  // The compare-and-set: no wait between reading `pending` and clearing it.
  call.pending = null
  call.answer = accepted.facts
  return settleAnswered(session, entry, { ...accepted, call, pending })
}

interface Said {
  readonly answer: Answer | null
  readonly by: ResponderIdentity | null
}

/** An answer that counts, from somebody who may give it. */
interface Accepted {
  readonly facts: NonNullable<LiveCall['answer']>
  readonly answer: Answer
  readonly by: ResponderIdentity
  readonly end: 'approve' | 'rejected' | 'expired'
  readonly named: OfferedProposal | undefined
}

function acceptedAnswer(
  session: LiveSession,
  pending: Pending,
  { answer, by }: Said,
): Accepted | null {
  if (answer === null || by === null) return null
  const refused = (end: 'rejected' | 'expired'): Accepted => ({
    facts: { verdict: 'refused', end },
    answer,
    by,
    end,
    named: undefined,
  })
  if (session.around.clock.wallMs() >= pending.expiresAt) return refused('expired')
  if (answer.answer === 'reject') return refused('rejected')
  if (needsHuman(pending.asks, session.policy) && by.kind !== 'human') return null
  const named = namedProposal(answer, pending.offered)
  // What was not offered cannot be remembered, and an answer that asks for it is none.
  if (named === null) return null
  const facts = { verdict: 'approved', covers: pending.asks, by: by.kind } as const
  return { facts, answer, by, end: 'approve', named }
}

async function settleAnswered(
  session: LiveSession,
  entry: CallEntry,
  settling: Accepted & { readonly call: LiveCall; readonly pending: Pending },
): Promise<Outcome> {
  const { call, pending, answer, by, end, named } = settling
  const { callId } = call.trail
  const record = approvalRecord(session, call, {
    request: pending,
    askedAt: pending.askedAt,
    by: { kind: by.kind, id: by.id, attested: 'host' },
    end,
  })
  const records = [record, ...remembered(session, record, named)]
  const written = session.recorder.write(records, 'written')
  if (end === 'rejected') session.askBook.refuse(call)
  const turn = rejudge(session, entry, call)
  try {
    await written
  } catch {
    // An answer that is not on record admits nothing.
    return unrecorded(session.around.words, 'audit_unavailable', callId)
  }
  session.around.events.emit('answer', { callId, answer })
  if (named !== undefined) refoldPending(session)
  return turn
}

/** Questions that a new grant may settle are folded again; what is still open keeps its ticket. */
function refoldPending(session: LiveSession): void {
  for (const entry of session.calls.values()) {
    const { call } = entry
    if (call?.pending && !entry.isBusy) {
      // Whoever comes with its ticket, or evaluates it again, gets what stands then.
      rejudge(session, entry, call).catch(() => undefined)
    }
  }
}

/** What is handed in again with a ticket. */
interface Claim {
  readonly ticket: Ticket
  readonly request: CallRequest
}

/** The call of the ticket, if the arguments that were handed in again are the ones that were shown. */
async function repeatedCall(
  session: LiveSession,
  entry: CallEntry,
  { ticket, request }: Claim,
): Promise<LiveCall | null> {
  const again = await submit(request, session.around.ids, session.around.pause)
  const isRepeated =
    again.defect === null &&
    (!again.isNamed || again.callId === ticket.call_id) &&
    again.tool === ticket.tool &&
    again.argsRef.d === ticket.args_digest
  if (!isRepeated) return null
  const call =
    entry.call ??
    (entry.past === 'open' ? await wakePending(session, entry, { ticket, again }) : null)
  return call?.prepared.submission.cwd === again.cwd ? call : null
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
  const registered = session.around.tools.find(submission.tool) ?? null
  const arrival = { submission, origin: 'agent', registered, within: null, fixed: null } as const
  // What was asked within a call has nothing left that it is for: that call died with its process.
  if (identityOf(arrival) !== entry.identity) return null
  const call = await wakeCall(session, entry, arrival)
  if (call.prepared.call.cwd !== ticket.cwd || registered?.digest !== ticket.tool_digest)
    return null
  if (call.rounds > 0) return call
  call.rounds = 1
  call.binds = ticket.binds
  call.shown = shownBefore(session, call, { ticket, pending, rewritten: entry.rewritten })
  call.status = 'suspended'
  call.pending = { ...pending, suspended: waiting(session, ticket) }
  return call
}

interface Before {
  readonly ticket: Ticket
  readonly pending: RestoredPending
  readonly rewritten: string | undefined
}

/** The question of the earlier process, which nobody sees again: everything of it is built anew. */
function shownBefore(
  session: LiveSession,
  call: LiveCall,
  { ticket, pending, rewritten }: Before,
): Shown {
  const { approvalId, asks, offered, displayDigest, expiresAt } = pending
  const posed = { approvalId, asks, offered, expiresAt, policyRevision: ticket.policy_revision }
  return {
    displayDigest,
    inputDigest: rewritten ?? ticket.args_digest,
    again: (judging) => requestInput(session, call, { ...posed, escalations: [], judging }),
  }
}

function waiting({ around }: LiveSession, ticket: Ticket): Suspended {
  const { waits, waitsSinceRestart } = around.words
  return {
    status: 'suspended',
    callId: ticket.call_id,
    ticket,
    message: waits,
    humanMessage: waitsSinceRestart,
  }
}

async function refuse(
  session: LiveSession,
  entry: CallEntry | undefined,
  callId: CallId | undefined,
): Promise<Outcome> {
  const approvalId: ApprovalId | null = entry?.call?.pending?.approvalId ?? null
  const id = callId ?? session.around.ids.call()
  if (session.closing.signal.aborted) return unrecorded(session.around.words, 'session_closed', id)
  const record = {
    kind: 'unauthenticated_answer',
    call_id: callId ?? null,
    approval_id: approvalId,
  } as const
  try {
    await session.recorder.write([record], 'written')
  } catch {
    // Nothing was changed; what cannot be recorded is denied.
    return unrecorded(session.around.words, 'audit_unavailable', id)
  }
  return entry === undefined
    ? unrecorded(session.around.words, 'session_closed', id)
    : standing(session, entry)
}

/** The outcome that holds, whoever asks: what ran is not offered again. */
async function standing(session: LiveSession, entry: CallEntry): Promise<Outcome> {
  const outcome = await entry.turn
  return entry.call?.status === 'dispatched'
    ? unrecorded(session.around.words, 'already_dispatched', outcome.callId)
    : outcome
}
