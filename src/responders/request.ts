/** Builds the one request that every responder is shown (pipeline.md §5, H-06, H-10). */

import type {
  ApprovalRequest,
  ShownPath,
  ShownProposal,
  UntrustedText,
} from '../contract/approval.js'
import type { ToolCall } from '../core/call.js'
import { isUnconfined, type Escalation } from '../core/escalation.js'
import type { Ask, Roots, SandboxFacts } from '../core/facts.js'
import { GUARANTEES } from '../core/guarantee.js'
import type { ApprovalId, PolicyRevision } from '../core/ids.js'
import { isSuspected, type Subject } from '../core/subject.js'
import { canonicalDigest } from '../encoding/canonical.js'
import type { Deed, Words } from '../words/words.js'
import { untrusted } from './escape.js'
import { riskOf } from './risk.js'

/** What a request is made of. */
export interface RequestInput {
  readonly words: Words
  readonly approvalId: ApprovalId
  readonly call: ToolCall
  readonly subjects: readonly Subject[]
  /** Every question of the walk; the escalations among them are shown even if not listed apart. */
  readonly asks: readonly Ask[]
  readonly escalations: readonly Escalation[]
  /** The rule that determined the ask, and what its author gave as the reason. */
  readonly decidingRule: { readonly id: string; readonly reason: string | null }
  /** What an answer may have remembered. */
  readonly proposals: readonly { readonly id: string; readonly entries: readonly string[] }[]
  readonly sandbox: SandboxFacts
  readonly roots: Roots
  readonly policyRevision: PolicyRevision
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
}

/** Pure: equal inputs give an equal request. The result is frozen, so what was shown is what was bound. */
export function buildRequest(input: RequestInput): ApprovalRequest {
  const { words, call, decidingRule } = input
  // What an argument may mean stands in the text of the arguments already.
  const subjects = input.subjects.filter((subject) => !isSuspected(subject))
  const escalations = unite(input.escalations, input.asks)
  const unconfined = escalations.some(isUnconfined)
  const shown = {
    approvalId: input.approvalId,
    callId: call.callId,
    sessionId: call.sessionId,
    language: words.language,
    action: describeAction(words, subjects, unconfined ? 'unconfined' : call.runsIn),
    tool: untrusted('tool', call.tool, LABEL_LIMIT).text,
    paths: Object.freeze(subjects.flatMap(showPath)),
    hosts: Object.freeze(subjects.flatMap((subject) => showHost(words, subject))),
    commands: Object.freeze(subjects.flatMap(showCommand)),
    texts: Object.freeze(subjects.flatMap(showText)),
    reason: decidingRule.reason === null ? null : untrusted('policy', decidingRule.reason),
    justification: justify(call),
    scope: 'this_call',
    proposals: Object.freeze(input.proposals.map(showProposal)),
    risk: riskOf({ subjects, escalations, roots: input.roots }),
    escalations,
    warning: unconfined ? words.warning : null,
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
function describeAction(
  words: Words,
  subjects: readonly Subject[],
  place: keyof Words['places'],
): string {
  const paths = subjects.filter((subject) => subject.kind === 'path')
  const unresolved = paths.filter((path) => !path.resolved).length
  const counts: { readonly [D in Deed]: number } = {
    run: subjects.filter((subject) => subject.kind === 'command').length,
    write: paths.filter((path) => path.access === 'write').length,
    read: paths.filter((path) => path.access === 'read').length,
    contact: subjects.filter((subject) => subject.kind === 'host').length,
  }
  const parts = DEEDS.flatMap((deed) =>
    counts[deed] === 0 ? [] : [words.deeds[deed](counts[deed])],
  )
  const what = parts.length === 0 ? [words.callsTool] : parts
  const unsure = unresolved === 0 ? '' : words.unresolved(unresolved)
  return `${[...what, words.places[place]].join(words.comma)}${unsure}`
}

const DEEDS: readonly Deed[] = ['run', 'write', 'read', 'contact']

/** The spellings that were judged, not the one that the call chose. */
function showPath(subject: Subject): readonly ShownPath[] {
  if (subject.kind !== 'path') return []
  const forms = subject.forms.length === 0 ? [subject.given] : [...new Set(subject.forms)]
  return forms.map((form) => Object.freeze({ ...untrusted('model', form), access: subject.access }))
}

function showHost(words: Words, subject: Subject): readonly UntrustedText[] {
  if (subject.kind !== 'host') return []
  if (subject.host === null) return [untrusted('tool', words.unknownHost)]
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

function showProposal({ id, entries }: RequestInput['proposals'][number]): ShownProposal {
  const shown = entries.map((entry) => untrusted('model', entry))
  return Object.freeze({ id, entries: Object.freeze(shown) })
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
