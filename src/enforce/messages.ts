/**
 * What model and person are told (api.md law 2). The model's sentence holds a stable code and what a
 * person could change; never rule text, other rules, real paths, host lists or what is left of a budget.
 * The words themselves are those of the language that the host chose.
 */

import type { ApprovalRequest } from '../contract/approval.js'
import type { Denied } from '../contract/outcome.js'
import type { SandboxFacts } from '../core/facts.js'
import type { CallId } from '../core/ids.js'
import type { UnrecordedRefusal } from '../core/reasons.js'
import type { EffectivePolicy } from '../policy/effective-policy.js'
import { ruleNamed } from '../policy/rules/index/bound-rules.js'
import type { Visit } from '../core/verdict.js'
import type { DecisionRecord } from '../trace/records.js'
import { modelSentence } from '../words/speak.js'
import type { Words } from '../words/words.js'
import type { Prepared } from './call/prepare.js'

/** The visit that denied, and the boundary that it knew. */
interface DeniedBy {
  readonly by: Visit
  readonly sandbox: SandboxFacts | null
  readonly policy: Pick<EffectivePolicy, 'rules'>
}

/** A refusal with node and event, from the visit that denied. */
export function denied(
  words: Words,
  prepared: Prepared,
  { by, sandbox, policy }: DeniedBy,
): Denied {
  const reason = by.reason ?? 'layer_fault'
  const { call } = prepared
  const detail = prepared.detail ?? ruleNamed(policy.rules, by.matchedRule ?? '')?.reason ?? null
  const missing = reason === 'missing_capability' ? words.needs(call.capabilities.join(' ')) : ''
  const which = `\`${by.matchedRule ?? ''}\` (${reason}${missing})`
  return Object.freeze({
    status: 'denied',
    callId: call.callId,
    layer: by.layer,
    matchedRule: by.matchedRule ?? 'builtin:layer_fault',
    reason,
    message: modelSentence(words, reason, missing),
    humanMessage: [
      words.deniedAt(`\`${call.tool}\``, by.layer, which),
      ...(detail === null ? [] : [detail]),
      ...(by.layer === 'sandbox' && sandbox !== null ? boundaryWords(sandbox) : []),
    ].join(': '),
  })
}

/** Why there is no boundary, and what a person can do about it, as the probe says it. */
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
export function recordedDenial(words: Words, node: DecisionRecord): Denied {
  const reason = node.reason_code ?? 'layer_fault'
  const matchedRule = node.matched_rule ?? 'builtin:layer_fault'
  return Object.freeze({
    status: 'denied',
    callId: node.call_id,
    layer: node.layer,
    matchedRule,
    reason,
    message: modelSentence(words, reason),
    humanMessage: words.deniedAt(words.theCall, node.layer, `\`${matchedRule}\` (${reason})`),
  })
}

/** A refusal that leaves neither node nor event. */
export function unrecorded(words: Words, reason: UnrecordedRefusal, callId: CallId): Denied {
  const message = modelSentence(words, reason)
  return Object.freeze({
    status: 'denied',
    callId,
    layer: 'guard',
    matchedRule: `builtin:${reason}`,
    reason,
    message,
    humanMessage: `${message}${words.callNamed(callId)}`,
  })
}

/** What was admitted and then hindered before anything started, and needs no record beside its step's. */
export function cancelledBeforeStart(words: Words, callId: CallId): Denied {
  const message = modelSentence(words, 'cancelled')
  return Object.freeze({
    status: 'denied',
    callId,
    layer: 'guard',
    matchedRule: 'builtin:cancelled',
    reason: 'cancelled',
    message,
    humanMessage: `${message}${words.callNamed(callId)}`,
  })
}

/** What a policy on trial says of a call that it would not deny. */
export function shadowMessages(
  words: Words,
  decision: 'allow' | 'ask',
  by: { readonly tool: string; readonly layer: string; readonly matchedRule: string },
): { readonly message: string; readonly humanMessage: string } {
  const message = words.onTrial[decision]
  return { message, humanMessage: `${message} (\`${by.tool}\`, ${by.layer} \`${by.matchedRule}\`)` }
}

/** What is said while a question waits for its answer. */
export function suspendedMessages(
  words: Words,
  request: ApprovalRequest,
): { readonly message: string; readonly humanMessage: string } {
  const { action, decidingRule, risk } = request
  return { message: words.waits, humanMessage: words.waitsFor(action, decidingRule, risk) }
}
