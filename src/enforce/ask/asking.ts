/** Asking (pipeline.md §5): one question, one answer, and every other end is a refusal. */

import type { Answer, ApprovalRequest, Responder } from '../../contract/approval.js'
import type { Suspended } from '../../contract/outcome.js'
import type { AnswerFacts } from '../../core/facts.js'
import type { AnswerEnd } from '../../core/reasons.js'
import { ruleNamed } from '../../policy/rules/index/bound-rules.js'
import { buildRequest, type RequestInput } from '../../responders/request.js'
import type { ApprovalRecord, PendingRecord } from '../../trace/records.js'
import type { LiveCall, LiveSession, Pending } from '../live-session.js'
import { suspendedMessages } from '../messages.js'
import { readAnswer } from './answer.js'
import { bindsOf } from './binds.js'
import { isCovered, namedProposal, offersFor, remembered } from './grants.js'
import { inputDigest, type Judging } from './shown.js'
import type { Suspension } from './suspension.js'
import { makeTicket } from './tickets.js'

/**
 * Asks now and waits: for the answer, the time limit, the caller's signal or the session's end. `null`
 * when something that was remembered meanwhile settles the call.
 */
export async function askResponder(
  session: LiveSession,
  call: LiveCall,
  suspension: Suspension & { readonly responder: Responder },
): Promise<AnswerFacts | null> {
  const { responder, verdict } = suspension
  const offered = offersFor(call, suspension)
  const request = requestOf(session, call, { suspension, offered })
  const said = await waitForAnswer(session, call, { request, suspension })
  const named = said.answer === null ? undefined : namedProposal(said.answer, offered)
  // An answer that names what was not offered is none.
  const { end, answer }: Ended = named === null ? FAILED : said
  const asked = { request, askedAt: request.expiresAt - timeoutOf(suspension) }
  const by = { kind: responder.kind, id: 'responder', attested: 'registered' } as const
  const record = approvalRecord(session, call, { ...asked, by, end })
  await session.recorder.write([record, ...remembered(session, record, named)], 'written')
  if (answer !== null) {
    session.around.events.emit('answer', { callId: call.trail.callId, answer })
  }
  if (end === 'rejected') session.askBook.refuse(call)
  for (const { call: other } of named ? session.calls.values() : []) other?.asking?.recheck()
  if (end === 'superseded') return null
  if (end !== 'approve') return { verdict: 'refused', end }
  return { verdict: 'approved', covers: verdict.asks, by: responder.kind }
}

const FAILED: Ended = { end: 'responder_failed', answer: null }

/** Leaves the question to the host as a ticket; `resolve` brings the answer. */
export async function suspend(
  session: LiveSession,
  call: LiveCall,
  suspension: Suspension,
): Promise<Suspended> {
  const offered = offersFor(call, suspension)
  const request = requestOf(session, call, { suspension, offered })
  const ticket = makeTicket(session, call, { request, asks: suspension.verdict.asks })
  const { callId } = call.trail
  const suspended: Suspended = Object.freeze({
    status: 'suspended',
    callId,
    ticket,
    ...suspendedMessages(session.around.words, request),
  })
  const pending: Pending = {
    approvalId: request.approvalId,
    asks: suspension.verdict.asks,
    displayDigest: request.displayDigest,
    askedAt: session.around.clock.wallMs(),
    expiresAt: request.expiresAt,
    offered,
    suspended,
  }
  call.pending = pending
  // The row that a ticket is a claim to is on the medium before the ticket leaves (H-11).
  await session.recorder.write([pendingRecord(call, pending)], 'durable')
  session.around.events.emit('ask', request)
  return suspended
}

function pendingRecord(call: LiveCall, pending: Pending): PendingRecord {
  return {
    kind: 'pending',
    approval_id: pending.approvalId,
    call_id: call.trail.callId,
    asks: pending.asks.map(({ layer, matchedRule, escalation }) => ({
      layer,
      matched_rule: matchedRule,
      ...(escalation === null ? {} : { escalation }),
    })),
    args_digest: call.prepared.submission.argsRef.d,
    display_digest: pending.displayDigest,
    asked_ms: pending.askedAt,
    expires_ms: pending.expiresAt,
    ...(pending.offered.length === 0
      ? {}
      : { proposals: pending.offered.map(({ id, entries }) => ({ id, rules: entries })) }),
  }
}

function timeoutOf({ policy }: Suspension): number {
  return policy.axes.approvalResponse.timeoutMs
}

function requestOf(
  session: LiveSession,
  call: LiveCall,
  {
    suspension,
    offered,
  }: { readonly suspension: Suspension; readonly offered: Pending['offered'] },
): ApprovalRequest {
  const { policy, facts, verdict } = suspension
  call.binds = bindsOf(call.prepared.call, facts.subjects, session.around)
  const input = requestInput(session, call, {
    approvalId: session.around.ids.approval(),
    asks: verdict.asks,
    escalations: verdict.escalations,
    offered,
    judging: { policy, facts },
    policyRevision: policy.revision,
    expiresAt: session.around.clock.wallMs() + timeoutOf(suspension),
  })
  const request = buildRequest(input)
  call.shown = {
    displayDigest: request.displayDigest,
    inputDigest: inputDigest(call.prepared),
    again: ({ facts: now }) => ({ ...input, subjects: now.subjects }),
  }
  return request
}

/** One question about a call. */
export interface Posed extends Pick<
  RequestInput,
  'approvalId' | 'asks' | 'escalations' | 'policyRevision' | 'expiresAt'
> {
  readonly offered: Pending['offered']
  readonly judging: Judging
}

/** What the request for a question is made of. */
export function requestInput(
  { around: { words } }: LiveSession,
  { prepared: { call } }: LiveCall,
  { offered: proposals, judging, ...posed }: Posed,
): RequestInput {
  const { subjects, sandbox, roots } = judging.facts
  const id = posed.asks[0]?.matchedRule ?? ''
  const decidingRule = { id, reason: reasonOf(id, judging) }
  return { ...posed, words, call, subjects, sandbox, roots, decidingRule, proposals }
}

/** What the author of the rule, or the hook, gave as the reason. */
function reasonOf(id: string, { policy, facts }: Judging): string | null {
  const hook = facts.guards.find((guard) => guard.matchedRule === id)
  return hook?.reason ?? ruleNamed(policy.rules, id)?.reason ?? null
}

/** `approve`, or how the question ended without one. */
type End =
  | 'approve'
  | 'superseded'
  | Extract<AnswerEnd, 'rejected' | 'expired' | 'cancelled' | 'responder_failed'>

/** How a question ended, and the answer when it was one that ended it. */
interface Ended {
  readonly end: End
  readonly answer: Answer | null
}

interface Question {
  readonly request: ApprovalRequest
  readonly suspension: Suspension & { readonly responder: Responder }
}

async function waitForAnswer(
  session: LiveSession,
  call: LiveCall,
  { request, suspension }: Question,
): Promise<Ended> {
  const { signal: closing } = session.closing
  // Nobody is bothered about a call that is over already.
  if (closing.aborted || call.signals.isAborted()) return { end: 'cancelled', answer: null }
  session.around.events.emit('ask', request)
  const over = new AbortController()
  const { clock } = session.around
  return new Promise<Ended>((resolve) => {
    const finish = (end: End, answer: Answer | null = null): void => {
      stopTimer()
      stopListening()
      closing.removeEventListener('abort', cancel)
      call.asking = null
      over.abort()
      resolve({ end, answer })
    }
    const cancel = (): void => finish('cancelled')
    const stopTimer = clock.after(request.expiresAt - clock.wallMs(), () => finish('expired'))
    const stopListening = call.signals.onAbort(cancel)
    closing.addEventListener('abort', cancel)
    const recheck = (): void => {
      if (isCovered(session, call, suspension)) finish('superseded')
    }
    call.asking = { recheck }
    if (closing.aborted || call.signals.isAborted()) return cancel()
    // A promise settles once: a second answer, and one after the end, change nothing.
    answerOf(suspension.responder, request, over.signal).then(
      (answer) => finish(endOf(answer), answer),
      () => finish('responder_failed'),
    )
  })
}

/** The answer if it is one; throwing, rejecting or anything else is `null`, which denies. */
async function answerOf(
  responder: Responder,
  request: ApprovalRequest,
  signal: AbortSignal,
): Promise<Answer | null> {
  try {
    const answer: unknown = await responder.ask(request, signal)
    return readAnswer(answer)
  } catch {
    // A responder that fails has not said yes.
    return null
  }
}

function endOf(answer: Answer | null): End {
  if (answer === null) return 'responder_failed'
  return answer.answer === 'approve' ? 'approve' : 'rejected'
}

interface Answered {
  readonly request: Pick<ApprovalRequest, 'approvalId' | 'displayDigest' | 'expiresAt'>
  readonly askedAt: number
  readonly by: ApprovalRecord['responder']
  readonly end: End
}

/** The record of how one question ended. */
export function approvalRecord(
  session: LiveSession,
  call: LiveCall,
  { request, askedAt, by, end }: Answered,
): ApprovalRecord {
  return {
    kind: 'approval',
    approval_id: request.approvalId,
    call_id: call.trail.callId,
    responder: by,
    verdict: end === 'rejected' ? 'reject' : end,
    args_bound: call.prepared.submission.argsRef.d,
    display_digest: request.displayDigest,
    policy_revision: session.policy.revision,
    asked_ms: askedAt,
    answered_ms: session.around.clock.wallMs(),
    expires_ms: request.expiresAt,
  }
}
