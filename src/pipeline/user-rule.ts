/** Layer 3: the rules of all sources, deny over ask over allow (pipeline.md §4, rules.md §2). */

import { isUnconfined } from '../core/escalation.js'
import { judgeRules } from '../policy/rules/verdict.js'
import type { Question as RuleQuestion } from '../policy/rules/question.js'
import type { Layer, Question, Sayings, Walk } from './layer.js'

export const userRule: Layer<'rule', 'user_rule'> = {
  name: 'user_rule',
  kind: 'rule',
  decide(question, walk) {
    return judgeRules(question.policy.rules, ruleQuestion(question, walk)) as Sayings['rule']
  },
}

/** The part of a question that patterns are matched against. */
export function ruleQuestion(
  { call, facts }: Question,
  { escalations }: Pick<Walk, 'escalations'>,
): RuleQuestion {
  return {
    tool: call.tool,
    runsIn: call.runsIn,
    unconfined: escalations.some(isUnconfined),
    subjects: facts.subjects,
    roots: facts.roots,
  }
}
