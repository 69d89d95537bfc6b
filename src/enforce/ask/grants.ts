/** Remembered grants (pipeline.md §5, H-12): offered by the library, named by an answer, recorded in full. */

import type { Answer } from '../../contract/approval.js'
import { fold } from '../../pipeline/fold.js'
import { countsGrants } from '../../pipeline/tool-approval.js'
import { ruleQuestion } from '../../pipeline/user-rule.js'
import { proposalsFor } from '../../policy/rules/remembered/proposals.js'
import { untrusted } from '../../responders/escape.js'
import type { ApprovalRecord, GrantRecord } from '../../trace/records.js'
import type { LiveCall, LiveSession } from '../live-session.js'
import type { OfferedProposal, Suspension } from './suspension.js'

/**
 * None where a rule, a hook or an escalation asked, none for a child or a policy that only reads, none
 * for commands that no sandbox confines.
 */
export function offersFor(call: LiveCall, suspension: Suspension): readonly OfferedProposal[] {
  const { policy, facts, verdict } = suspension
  const question = { call: call.prepared.call, policy, facts }
  const isPlain = verdict.asks.every(
    ({ layer, escalation }) => layer === 'tool_approval' && escalation === null,
  )
  const runsOnHost =
    question.call.runsIn === 'process' && facts.subjects.some(({ kind }) => kind === 'command')
  if (!isPlain || runsOnHost || !countsGrants(policy)) return []
  return proposalsFor(ruleQuestion(question, verdict))
    .filter((entries) => entries.every(isShownWhole))
    .map((entries, index) => ({ id: `p${index + 1}`, entries }))
}

/** Never wider than shown: what a prompt would cut is not offered. */
function isShownWhole(entry: string): boolean {
  return untrusted('model', entry).hidden === 0
}

/** The proposal that an answer names; `undefined` when it names none, `null` when there is no such one. */
export function namedProposal(
  answer: Answer,
  offered: readonly OfferedProposal[],
): OfferedProposal | undefined | null {
  if (answer.answer !== 'approve' || answer.remember === undefined) return undefined
  return offered.find(({ id }) => id === answer.remember) ?? null
}

/** What an answer had remembered: in force with its record, which is handed to the run in the same step. */
export function remembered(
  session: LiveSession,
  { approval_id, call_id, verdict }: ApprovalRecord,
  named: OfferedProposal | undefined | null,
): readonly GrantRecord[] {
  if (!named || verdict !== 'approve') return []
  const { id: proposal, entries } = named
  session.grants = [...session.grants, Object.freeze({ approvalId: approval_id, entries })]
  const facts = { proposal, rules: entries, scope: 'session', expires_ms: null } as const
  return [{ kind: 'grant', approval_id, call_id, ...facts }]
}

/** True when what is remembered now admits a call that somebody is still asked about. */
export function isCovered(session: LiveSession, call: LiveCall, suspension: Suspension): boolean {
  const { policy, grants } = session
  const facts = { ...suspension.facts, answer: null, grants }
  return fold({ call: call.prepared.call, policy, facts }).status === 'admitted'
}
