/** Tickets (pipeline.md §5, H-11): a suspended call as plain JSON that proves where it came from. */

import type { ApprovalRequest, Ticket } from '../../contract/approval.js'
import type { Ask } from '../../core/facts.js'
import { parseCallId, type CallId } from '../../core/ids.js'
import { canonicalDigest, canonicalText } from '../../encoding/canonical.js'
import { digestsEqual, hmacSha256 } from '../../encoding/digest.js'
import { copyJson } from '../../encoding/plain-json.js'
import type { LiveCall, LiveSession } from '../live-session.js'
import { fieldOf } from './answer.js'

/** The key that authenticates a session's tickets is named by its session; it never leaves the process. */
export function makeTicket(
  session: LiveSession,
  call: LiveCall,
  { request, asks }: { readonly request: ApprovalRequest; readonly asks: readonly Ask[] },
): Ticket {
  const claims: Omit<Ticket, 'mac'> = {
    v: 1,
    kid: session.id,
    session_id: session.id,
    run_id: session.runId,
    approval_id: request.approvalId,
    call_id: call.trail.callId,
    tool: call.prepared.call.tool,
    tool_digest: call.prepared.registered?.digest ?? '',
    args_digest: call.prepared.submission.argsRef.d,
    cwd: call.prepared.call.cwd,
    binds: call.binds,
    asks_digest: asksDigest(asks),
    display_digest: request.displayDigest,
    policy_revision: request.policyRevision,
    trace_head_id: call.trail.head ?? '',
    expires_at: request.expiresAt,
  }
  return Object.freeze({ ...claims, mac: hmacSha256(session.ticketKey, canonicalText(claims)) })
}

/** A copy of the ticket when every byte is as it left this session; else `null`. Never throws. */
export function authenticTicket(session: LiveSession, ticket: unknown): Ticket | null {
  const copy = copyJson(ticket)
  if (!copy.ok || typeof copy.value !== 'object' || copy.value === null) return null
  const claimed = copy.value as unknown as Ticket
  const { mac, ...claims } = claimed
  if (typeof mac !== 'string') return null
  const isAuthentic = digestsEqual(mac, hmacSha256(session.ticketKey, canonicalText(claims)))
  return isAuthentic ? claimed : null
}

/** The call that a ticket says it is about, authentic or not. */
export function claimedCall(ticket: unknown): CallId | undefined {
  return parseCallId(fieldOf(ticket, 'call_id'))
}

/** SHA-256 of the sorted asks: what an answer must cover. */
export function asksDigest(asks: readonly Ask[]): string {
  const rows = asks.map(({ layer, matchedRule, escalation }) => ({
    layer,
    matched_rule: matchedRule,
    ...(escalation === null ? {} : { escalation }),
  }))
  return canonicalDigest(rows.map((row) => canonicalText(row)).sort())
}
