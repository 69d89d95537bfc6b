/** Questions and answers (pipeline.md §5). */

import type { Escalation } from '../core/escalation.js'
import type { ResponderKind } from '../core/facts.js'
import type { ApprovalId, CallId, PolicyRevision, RunId, SessionId } from '../core/ids.js'
import type { Language } from '../words/language.js'

/** Text that somebody else wrote: framed, labelled and escaped; never to be taken for the host's words. */
export interface UntrustedText {
  readonly author: 'model' | 'policy' | 'tool'
  /** Control, bidirectional, invisible and confusable characters stand as `\u{…}`. */
  readonly text: string
  /** How many characters between head and tail are not shown. */
  readonly hidden: number
}

/** A path with what would be done to it. */
export interface ShownPath extends UntrustedText {
  readonly access: 'read' | 'write'
}

/** Entries that would be remembered together, exactly as they are shown. */
export interface ShownProposal {
  readonly id: string
  readonly entries: readonly UntrustedText[]
}

/** What a responder is shown: the same for every responder, built in one place. */
export interface ApprovalRequest {
  readonly approvalId: ApprovalId
  readonly callId: CallId
  readonly sessionId: SessionId
  /** Of the host's own words. */
  readonly language: Language
  /** What would happen, in the host's own fixed words. */
  readonly action: string
  readonly tool: string
  readonly paths: readonly ShownPath[]
  readonly hosts: readonly UntrustedText[]
  readonly commands: readonly UntrustedText[]
  /** What else the call says: the arguments of a tool that states no path, host or command. */
  readonly texts: readonly UntrustedText[]
  /** Why it is asked: the deciding rule's own reason, if its author gave one. */
  readonly reason: UntrustedText | null
  /** What the call says for itself: the justification of an escalation. */
  readonly justification: UntrustedText | null
  readonly scope: 'this_call'
  /** What may be remembered for the rest of the session beside this call; empty when nothing is offered. */
  readonly proposals: readonly ShownProposal[]
  readonly risk: 'low' | 'medium' | 'high'
  readonly escalations: readonly Escalation[]
  /** Fixed words, the English ones in every language, for a call that would run outside every sandbox; else `null`. */
  readonly warning: string | null
  readonly decidingRule: string
  readonly sandbox: { readonly driver: string; readonly missing: readonly string[] }
  readonly policyRevision: PolicyRevision
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
  /** SHA-256 over everything above, lower-case hexadecimal. */
  readonly displayDigest: string
}

export type Answer =
  /** `remember` is the id of an offered proposal; anything else is no answer. */
  | { readonly answer: 'approve'; readonly remember?: string | undefined }
  | { readonly answer: 'reject'; readonly reason?: string | undefined }

/** Somebody who can be asked. Throwing, hanging or answering anything else denies the call. */
export interface Responder {
  readonly kind: ResponderKind
  readonly ask: (request: ApprovalRequest, signal: AbortSignal) => Promise<Answer>
}

export interface ResponderIdentity {
  readonly kind: ResponderKind
  readonly id: string
}

/** A suspended call as plain JSON; a claim, whose truth is the pending row in the store. */
export interface Ticket {
  readonly v: 1
  readonly kid: string
  readonly session_id: SessionId
  readonly run_id: RunId
  readonly approval_id: ApprovalId
  readonly call_id: CallId
  readonly tool: string
  readonly tool_digest: string
  readonly args_digest: string
  readonly cwd: string
  readonly binds: readonly { readonly path: string; readonly digest: string }[]
  readonly asks_digest: string
  readonly display_digest: string
  readonly policy_revision: PolicyRevision
  readonly trace_head_id: string
  /** Milliseconds since the epoch. */
  readonly expires_at: number
  /** HMAC-SHA-256 over the rest, lower-case hexadecimal. */
  readonly mac: string
}
