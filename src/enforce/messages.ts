/**
 * What model and person are told (api.md law 2). The model's sentence holds a stable code and what a
 * person could change; never rule text, other rules, real paths, host lists or what is left of a budget.
 */

import type { ApprovalRequest } from '../contract/approval.js'
import type { Denied } from '../contract/outcome.js'
import type { SandboxFacts } from '../core/facts.js'
import type { CallId } from '../core/ids.js'
import type { ReasonCode, UnrecordedRefusal } from '../core/reasons.js'
import type { Visit } from '../core/verdict.js'
import type { DecisionRecord } from '../trace/records.js'
import type { Prepared } from './call/prepare.js'

/** A refusal with node and event, from the visit that denied. */
export function denied(prepared: Prepared, by: Visit, sandbox: SandboxFacts | null): Denied {
  const reason = by.reason ?? 'layer_fault'
  const { call, detail } = prepared
  const missing = reason === 'missing_capability' ? `, needs ${call.capabilities.join(' ')}` : ''
  return Object.freeze({
    status: 'denied',
    callId: call.callId,
    layer: by.layer,
    matchedRule: by.matchedRule ?? 'builtin:layer_fault',
    reason,
    message: modelSentence(reason, missing),
    humanMessage: [
      `\`${call.tool}\` was denied at ${by.layer} by \`${by.matchedRule ?? ''}\` (${reason}${missing})`,
      ...(detail === null ? [] : [detail]),
      ...(by.layer === 'sandbox' && sandbox !== null ? boundaryWords(sandbox) : []),
    ].join(': '),
  })
}

/** Why there is no boundary, and what a person can do about it. */
function boundaryWords(sandbox: SandboxFacts): readonly string[] {
  switch (sandbox.status) {
    case 'ready':
      return []
    case 'refused':
      return [sandbox.cause]
    case 'unavailable':
      return sandbox.remedy === null ? [sandbox.cause] : [sandbox.cause, sandbox.remedy]
  }
}

/** The denial of an earlier process, from the node that denied. */
export function recordedDenial(node: DecisionRecord): Denied {
  const reason = node.reason_code ?? 'layer_fault'
  const matchedRule = node.matched_rule ?? 'builtin:layer_fault'
  return Object.freeze({
    status: 'denied',
    callId: node.call_id,
    layer: node.layer,
    matchedRule,
    reason,
    message: modelSentence(reason),
    humanMessage: `the call was denied at ${node.layer} by \`${matchedRule}\` (${reason})`,
  })
}

/** A refusal that leaves neither node nor event. */
export function unrecorded(reason: UnrecordedRefusal, callId: CallId): Denied {
  return Object.freeze({
    status: 'denied',
    callId,
    layer: 'guard',
    matchedRule: `builtin:${reason}`,
    reason,
    message: modelSentence(reason),
    humanMessage: `${modelSentence(reason)} (call \`${callId}\`)`,
  })
}

/** What was admitted and then hindered before anything started, and needs no record beside its step's. */
export function cancelledBeforeStart(callId: CallId): Denied {
  return Object.freeze({
    status: 'denied',
    callId,
    layer: 'guard',
    matchedRule: 'builtin:cancelled',
    reason: 'cancelled',
    message: modelSentence('cancelled'),
    humanMessage: `${modelSentence('cancelled')} (call \`${callId}\`)`,
  })
}

/** What a policy on trial says of a call that it would not deny. */
export function shadowMessages(
  decision: 'allow' | 'ask',
  by: { readonly tool: string; readonly layer: string; readonly matchedRule: string },
): { readonly message: string; readonly humanMessage: string } {
  const message =
    decision === 'allow'
      ? 'The policy on trial would allow this call.'
      : 'The policy on trial would have somebody asked about this call.'
  return { message, humanMessage: `${message} (\`${by.tool}\`, ${by.layer} \`${by.matchedRule}\`)` }
}

/** What is said while a question waits for its answer. */
export function suspendedMessages(request: ApprovalRequest): {
  readonly message: string
  readonly humanMessage: string
} {
  return {
    message: 'This call waits for an approval; it has not run.',
    humanMessage: `${request.action} waits for an approval (${request.decidingRule}, risk ${request.risk})`,
  }
}

/** One sentence for a reason, safe to hand to the model. */
export function modelSentence(reason: ReasonCode, extra = ''): string {
  const text = SENTENCES[reason] ?? 'The policy does not allow this call.'
  return `Denied (${reason}${extra}): ${text}`
}

const SENTENCES: { readonly [R in string]?: string } = {
  control_plane: 'The library protects its own files; nobody can change this.',
  cancelled: 'The call was cancelled before it ran.',
  unstable_policy: 'The policy changed too often while the call was judged; try again later.',
  missing_capability: 'The policy grants no such capability; its author could add it.',
  tool_scope: 'The policy does not include this tool; its author could add it.',
  unknown_tool: 'There is no tool of this name; use one of the listed tools.',
  invalid_args: 'The arguments do not fit the tool; correct them.',
  invalid_needs: 'The tool could not state what the call needs; its author must mend it.',
  invalid_escalation: 'The request for more rights is incomplete or unknown; correct it.',
  tool_changed: 'The tool is not the one that was registered; the host must accept it first.',
  network_off: 'The policy has no network; its author could open it.',
  network_host: 'The policy does not permit this host; its author could add it.',
  rule: 'A rule of the policy denies this call; its author could change it.',
  credential: 'Credential files are out of reach; a person could name the file in the policy.',
  deny_unlisted: 'Only listed tools run without a question here; the policy author could list it.',
  rejected: 'The person who was asked said no.',
  expired: 'Nobody answered in time; ask the person to try again.',
  no_responder: 'The call needs an approval and nobody can be asked here.',
  responder_failed: 'The call needs an approval and asking failed.',
  never: 'The call needs an approval and this policy never asks.',
  stale: 'The approval no longer covers the call; nothing ran.',
  already_rejected: 'The same call was refused before.',
  ask_budget: 'Too many questions were asked; nobody is asked again for now.',
  sandbox_unavailable: 'Commands need a sandbox and none is available; a person must set it up.',
  sandbox_refused: 'The sandbox refuses this workspace; a person must change the set-up.',
  outside_profile: 'Writing there is outside the writable folders of the policy.',
  protected_path: 'The file is protected and commands cannot write it.',
  layer_fault: 'A part of the policy failed; nothing ran.',
  oversize: 'The call is too large to be judged.',
  call_id_reused: 'This call id was used for another call; use a fresh one.',
  already_dispatched: 'This call ran before; it does not run twice.',
  session_closed: 'The session is closed.',
  audit_unavailable: 'The call could not be recorded, so it did not run.',
}
