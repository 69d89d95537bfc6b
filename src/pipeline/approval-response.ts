/** Layer 5: the answer to everything that asked (pipeline.md §4 note 5, §5). */

import type { Ask, Facts } from '../core/facts.js'
import type { EffectivePolicy } from '../policy/effective-policy.js'
import type { Layer, Sayings } from './layer.js'

export const approvalResponse: Layer<'answer', 'approval_response'> = {
  name: 'approval_response',
  kind: 'answer',
  decide({ policy, facts }, { asks }) {
    const response = policy.axes.approvalResponse.policy
    if (response === 'never') {
      return { decision: 'deny', matchedRule: 'default:never', reason: 'never' }
    }
    if (!canAnswer(facts, asks, policy)) return NO_RESPONDER
    const { answer } = facts
    if (answer === null) return { decision: 'suspend' }
    const matchedRule = `default:${response}`
    if (answer.verdict === 'refused') return { decision: 'deny', matchedRule, reason: answer.end }
    if (needsHuman(asks, policy) && answer.by !== 'human') return NO_RESPONDER
    // An answer stands only if it covers every question of this walk; else it is asked again.
    return asks.every((ask) => answer.covers.some((covered) => isSameAsk(ask, covered)))
      ? { decision: 'allow', matchedRule }
      : { decision: 'suspend' }
  },
}

const NO_RESPONDER: Sayings['answer'] = {
  decision: 'deny',
  matchedRule: 'builtin:no_responder',
  reason: 'no_responder',
}

/** A missing responder denies before any request, and so does one that may not answer this (S1-08). */
function canAnswer(facts: Facts, asks: readonly Ask[], policy: EffectivePolicy): boolean {
  const { responder } = facts
  if (responder.status === 'absent') return false
  if (responder.status === 'suspend') return true
  return responder.kind === 'human' || !needsHuman(asks, policy)
}

/** Escalations and the asks of managed rules are for people only. */
export function needsHuman(asks: readonly Ask[], policy: EffectivePolicy): boolean {
  return asks.some(
    (ask) =>
      ask.escalation !== null ||
      policy.rules.some((rule) => rule.source === 'managed' && rule.id === ask.matchedRule),
  )
}

function isSameAsk(left: Ask, right: Ask): boolean {
  return (
    left.layer === right.layer &&
    left.matchedRule === right.matchedRule &&
    left.escalation === right.escalation
  )
}
