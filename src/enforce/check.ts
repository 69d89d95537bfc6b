/** `check` (api.md): the same fold as `evaluate`, and no side effect whatever. */

import type { Check } from '../contract/outcome.js'
import type { CallRequest } from '../contract/session.js'
import type { Origin } from '../core/call.js'
import type { Verdict } from '../core/verdict.js'
import { fold } from '../pipeline/fold.js'
import type { Question } from '../pipeline/layer.js'
import { ruleQuestion } from '../pipeline/user-rule.js'
import type { Question as RuleQuestion } from '../policy/rules/question.js'
import { smallestAllow } from '../policy/rules/smallest-allow.js'
import { rulesMet } from '../policy/rules/verdict.js'
import { modelSentence } from '../words/speak.js'
import type { Words } from '../words/words.js'
import { prepare, type Prepared } from './call/prepare.js'
import { callSignals } from './call/signals.js'
import { submit, type Submission } from './call/submission.js'
import { AGENT, isAborted, turnOf, type Maker } from './evaluate.js'
import { gatherFacts, underPolicy } from './facts.js'
import type { LiveCall, LiveSession } from './live-session.js'
import { denied } from './messages.js'

/** Never rejects: what cannot be judged is a denial. */
export async function check(
  session: LiveSession,
  request: CallRequest,
  maker: Maker = AGENT,
): Promise<Check> {
  const { words } = session.around
  try {
    const submission = await submit(request, session.around.ids, session.around.pause)
    const registered = session.around.tools.find(submission.tool) ?? null
    const { within, origin } = originOf(maker, submission)
    const prepared = await prepare(submission, { origin, registered }, session)
    const signals = callSignals(submission.signal)
    if (isAborted(session, turnOf({ submission, within }))) signals.add(AbortSignal.abort())
    const asked = { prepared, signals, within, guards: null, answer: null }
    const gathered = await gatherFacts(asked, session.policy, session.around)
    const { policy, grants } = session
    const facts = { ...underPolicy(gathered.facts, policy, session.around), grants }
    const question = { call: prepared.call, policy, facts }
    return report({ words, prepared, question }, foldUnasked(session, question, prepared))
  } catch {
    // A fault while judging is a denial here as it is in `evaluate`.
    const message = modelSentence(words, 'layer_fault')
    return { decision: 'deny', visits: [], subjects: [], message, humanMessage: message }
  }
}

/** As `evaluate` would find it; what the host fixed stays to be taken. */
function originOf(
  maker: Maker,
  submission: Submission,
): { readonly origin: Origin; readonly within: LiveCall | null } {
  if (maker.by !== 'call') return { origin: maker.by, within: null }
  const { within } = maker
  return { origin: within.fixed?.holds(submission) === true ? 'host_nested' : 'nested', within }
}

/** What `evaluate` would refuse to ask about is no question here either. */
function foldUnasked(session: LiveSession, question: Question, prepared: Prepared): Verdict {
  const verdict = fold(question)
  if (verdict.status !== 'suspended') return verdict
  const { askBook, around, policy } = session
  const now = around.clock.monotonicUs() / 1000
  const end = askBook.hindrance({ prepared }, policy.axes.budgets, now)
  if (end === null) return verdict
  return fold({ ...question, facts: { ...question.facts, answer: { verdict: 'refused', end } } })
}

const DECISIONS = { admitted: 'allow', suspended: 'ask', denied: 'deny' } as const

interface Checked {
  readonly words: Words
  readonly prepared: Prepared
  readonly question: Question
}

function report(checked: Checked, verdict: Verdict): Check {
  const { question } = checked
  const scope = ruleQuestion(question, verdict)
  const allowedBy = isOpenToAllows(verdict) ? proposed(question, scope) : null
  return {
    decision: DECISIONS[verdict.status],
    visits: verdict.visits.map(({ layer, decision, matchedRule }) => ({
      layer,
      decision,
      matchedRule,
    })),
    subjects: rulesMet(question.policy.rules, scope),
    ...(allowedBy === null ? {} : { allowedBy }),
    ...messagesOf(checked, verdict),
  }
}

/** Judged by the whole fold: an ask, an escalation or a gate may keep any allow from being enough. */
function proposed(question: Question, scope: RuleQuestion): string | null {
  const { policy } = question
  const found = smallestAllow(scope, policy.rules)
  if (found === null) return null
  const verdict = fold({ ...question, policy: { ...policy, rules: found.rules } })
  return verdict.status === 'admitted' ? found.match : null
}

/** An allow is no help to a call that was denied before the rules were heard, or by one of them. */
function isOpenToAllows(verdict: Verdict): boolean {
  if (verdict.status !== 'denied') return verdict.status === 'suspended'
  const isHeard = verdict.visits.some(({ layer }) => layer === 'user_rule')
  return isHeard && verdict.by.reason !== 'rule'
}

function messagesOf(
  { words, prepared, question }: Checked,
  verdict: Verdict,
): { readonly message: string; readonly humanMessage: string } {
  switch (verdict.status) {
    case 'admitted': {
      const message = words.allowed
      return { message, humanMessage: `${message} (\`${verdict.admittedBy.matchedRule ?? ''}\`)` }
    }
    case 'suspended': {
      const message = words.needsApproval
      const rules = verdict.asks.map((ask) => `\`${ask.matchedRule}\``).join(', ')
      return { message, humanMessage: `${message} (${rules})` }
    }
    case 'denied': {
      const { sandbox } = question.facts
      const { message, humanMessage } = denied(words, prepared, {
        by: verdict.by,
        sandbox,
        policy: question.policy,
      })
      return { message, humanMessage }
    }
  }
}
