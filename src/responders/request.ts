/** Builds the one request that every responder is shown (pipeline.md §5, H-06, H-10). */

import type { ApprovalRequest, ShownPath, UntrustedText } from '../contract/approval.js'
import type { ToolCall } from '../core/call.js'
import { isUnconfined, type Escalation } from '../core/escalation.js'
import type { Ask, Roots, SandboxFacts } from '../core/facts.js'
import { GUARANTEES } from '../core/guarantee.js'
import type { ApprovalId, PolicyRevision } from '../core/ids.js'
import { isSuspected, type Subject } from '../core/subject.js'
import { canonicalDigest } from '../encoding/canonical.js'
import { untrusted } from './escape.js'
import { riskOf } from './risk.js'

/** What a request is made of. */
export interface RequestInput {
  readonly approvalId: ApprovalId
  readonly call: ToolCall
  readonly subjects: readonly Subject[]
  /** Every question of the walk; the escalations among them are shown even if not listed apart. */
  readonly asks: readonly Ask[]
  readonly escalations: readonly Escalation[]
  /** The rule that determined the ask, and what its author gave as the reason. */
  readonly decidingRule: { readonly id: string; readonly reason: string | null }
  readonly sandbox: SandboxFacts
  readonly roots: Roots
  readonly policyRevision: PolicyRevision
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
}

/** The words that stand beside every call that would run outside every sandbox (H-06). */
export const UNCONFINED_WARNING = 'no sandbox, full network, full file access'

/** Pure: equal inputs give an equal request. The result is frozen, so what was shown is what was bound. */
export function buildRequest(input: RequestInput): ApprovalRequest {
  const { call, decidingRule } = input
  // What an argument may mean stands in the text of the arguments already.
  const subjects = input.subjects.filter((subject) => !isSuspected(subject))
  const escalations = unite(input.escalations, input.asks)
  const unconfined = escalations.some(isUnconfined)
  const shown = {
    approvalId: input.approvalId,
    callId: call.callId,
    sessionId: call.sessionId,
    action: describeAction(call, subjects, unconfined),
    tool: untrusted('tool', call.tool, LABEL_LIMIT).text,
    paths: Object.freeze(subjects.flatMap(showPath)),
    hosts: Object.freeze(subjects.flatMap(showHost)),
    commands: Object.freeze(subjects.flatMap(showCommand)),
    texts: Object.freeze(subjects.flatMap(showText)),
    reason: decidingRule.reason === null ? null : untrusted('policy', decidingRule.reason),
    justification: justify(call),
    scope: 'this_call',
    risk: riskOf({ subjects, escalations, roots: input.roots }),
    escalations,
    warning: unconfined ? UNCONFINED_WARNING : null,
    decidingRule: untrusted('policy', decidingRule.id, LABEL_LIMIT).text,
    sandbox: unconfined ? OUTSIDE : boundaryOf(call, input.sandbox),
    policyRevision: input.policyRevision,
    expiresAt: input.expiresAt,
  } as const
  return Object.freeze({ ...shown, displayDigest: canonicalDigest(shown) })
}

const LABEL_LIMIT = 300

function unite(listed: readonly Escalation[], asks: readonly Ask[]): readonly Escalation[] {
  const asked = asks.flatMap(({ escalation }) => (escalation === null ? [] : [escalation]))
  return Object.freeze([...new Set([...listed, ...asked])])
}

/** Fixed words and numbers: nothing that a model, a tool or a policy wrote gets in here. */
function describeAction(call: ToolCall, subjects: readonly Subject[], unconfined: boolean): string {
  const many = (kind: string, count: number, noun: string): string[] =>
    count === 0 ? [] : [`${kind} ${count} ${noun}${count === 1 ? '' : 's'}`]
  const paths = subjects.filter((subject) => subject.kind === 'path')
  const unresolved = paths.filter((path) => !path.resolved).length
  const parts = [
    ...many('run', subjects.filter((subject) => subject.kind === 'command').length, 'command'),
    ...many('write', paths.filter((path) => path.access === 'write').length, 'path'),
    ...many('read', paths.filter((path) => path.access === 'read').length, 'path'),
    ...many('contact', subjects.filter((subject) => subject.kind === 'host').length, 'host'),
  ]
  const what = parts.length === 0 ? 'call a tool' : parts.join(', ')
  const where = unconfined ? OUTSIDE_WORDS : PLACE_WORDS[call.runsIn]
  const unsure = unresolved === 0 ? '' : `; paths that cannot be resolved: ${unresolved}`
  return `${what}, ${where}${unsure}`
}

const OUTSIDE_WORDS = 'outside every sandbox'
const PLACE_WORDS: { readonly [P in ToolCall['runsIn']]: string } = {
  process: 'inside the host process',
  sandbox: 'inside the sandbox',
}

/** The spellings that were judged, not the one that the call chose. */
function showPath(subject: Subject): readonly ShownPath[] {
  if (subject.kind !== 'path') return []
  const forms = subject.forms.length === 0 ? [subject.given] : [...new Set(subject.forms)]
  return forms.map((form) => Object.freeze({ ...untrusted('model', form), access: subject.access }))
}

function showHost(subject: Subject): readonly UntrustedText[] {
  if (subject.kind !== 'host') return []
  if (subject.host === null) return [untrusted('tool', 'an unknown host')]
  const host = subject.host.includes(':') ? `[${subject.host}]` : subject.host
  const port = subject.port === null ? '' : `:${subject.port}`
  return [untrusted('model', `${host}${port}${subject.path ?? ''}`)]
}

function showCommand(subject: Subject): readonly UntrustedText[] {
  return subject.kind === 'command' ? [untrusted('model', subject.command)] : []
}

function showText(subject: Subject): readonly UntrustedText[] {
  return subject.kind === 'text' ? [untrusted('model', subject.text)] : []
}

/** What the call says for itself, in the order in which it says it. */
function justify(call: ToolCall): UntrustedText | null {
  const details = call.needs.flatMap((need) =>
    need.kind === 'escalation' && need.detail.trim() !== '' ? [need.detail] : [],
  )
  return details.length === 0 ? null : untrusted('model', details.join('; '))
}

const OUTSIDE: ApprovalRequest['sandbox'] = Object.freeze({
  driver: 'none',
  missing: Object.freeze([...GUARANTEES]),
})
const IN_PROCESS: ApprovalRequest['sandbox'] = Object.freeze({
  driver: 'in_process',
  missing: Object.freeze([]),
})

/** The driver that would confine the call and what it does not keep; no driver keeps nothing. */
function boundaryOf(call: ToolCall, facts: SandboxFacts): ApprovalRequest['sandbox'] {
  if (call.runsIn === 'process') return IN_PROCESS
  if (facts.status !== 'ready') return OUTSIDE
  const missing = GUARANTEES.filter((name) => facts.report[name].status !== 'enforced')
  const driver = untrusted('tool', facts.driver, LABEL_LIMIT).text
  return Object.freeze({ driver, missing: Object.freeze(missing) })
}
