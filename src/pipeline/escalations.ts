/** What a call asks for beyond its policy, in the fixed order of ESCALATIONS (pipeline.md §3). */

import { ESCALATIONS, type Escalation } from '../core/escalation.js'
import type { ToolCall } from '../core/call.js'
import { isSuspected, type HostSubject, type PathSubject } from '../core/subject.js'
import { writeEscalates } from '../policy/rules/classes.js'
import type { Question } from './layer.js'
import { refusedGuarantees } from './guarantees.js'

/** Every escalation of the call under this policy and these facts, each once. */
export function escalationsOf(question: Question): readonly Escalation[] {
  if (question.call.defect !== null) return []
  const found = new Set<Escalation>(askedFor(question.call))
  if (opensNetwork(question)) found.add('network_grant')
  if (writesProtected(question)) found.add('protected_metadata')
  if (hasUnsafeAnnotations(question.call)) found.add('external_effect')
  if (fallsBack(question, found)) found.add('unconfined_fallback')
  return ESCALATIONS.filter((name) => found.has(name))
}

function askedFor(call: ToolCall): readonly Escalation[] {
  return call.needs.flatMap((need) => (need.kind === 'escalation' ? [need.name] : []))
}

/** Under `grant` an in-process client is asked about each call that reaches a host. */
function opensNetwork({ call, policy, facts }: Question): boolean {
  if (call.runsIn !== 'process' || policy.axes.network.mode !== 'grant') return false
  return facts.subjects.some((subject): subject is HostSubject => subject.kind === 'host')
}

/** In process and from a command (sandbox.md §3); what layer 6 denies anyway is not asked in vain. */
function writesProtected({ facts }: Question): boolean {
  return facts.subjects.some(
    (subject): subject is PathSubject =>
      subject.kind === 'path' &&
      subject.access === 'write' &&
      !isSuspected(subject) &&
      writeEscalates(subject, facts.roots),
  )
}

/** What a tool says of itself may only add a confirmation: safe is exactly this (S1-52, S1-59). */
function hasUnsafeAnnotations({ annotations }: ToolCall): boolean {
  if (annotations === null) return false
  const safe =
    annotations['readOnlyHint'] === true &&
    annotations['openWorldHint'] === false &&
    annotations['destructiveHint'] !== true
  return !safe
}

/** Only `unavailable` offers the host; what a working driver refuses stays refused (H-23). */
function fallsBack(question: Question, found: ReadonlySet<Escalation>): boolean {
  const { call, policy, facts } = question
  if (call.runsIn !== 'sandbox' || found.has('host_execution')) return false
  if (policy.axes.sandbox.onUnavailable !== 'ask_host') return false
  if (facts.sandbox.status === 'refused') return false
  return facts.sandbox.status === 'unavailable' || refusedGuarantees(question).length > 0
}
