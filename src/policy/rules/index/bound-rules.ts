/** The index that belongs to the rules of a bound policy: made when first asked for, gone with the policy. */

import type { Roots } from '../../../core/facts.js'
import { Memo } from '../../../core/memory/memo.js'
import type { BoundRule } from '../../effective-policy.js'
import type { Question } from '../question.js'
import { everyRule, type Candidates } from './candidates.js'
import { isSameQuestion, labelOf } from './same-question.js'
import { OneMore } from './one-more.js'
import { RuleIndex } from './rule-index.js'

/** Freezes a list of rules and lets `candidatesOf` index it. Another policy is another list. */
export function indexed(rules: BoundRule[]): readonly BoundRule[] {
  const frozen = Object.freeze(rules)
  INDEXED.set(frozen, null)
  return frozen
}

/** The rules and a last one, which is tried and forgotten: the index of the others serves for both. */
export function withOneMore(rules: readonly BoundRule[], rule: BoundRule): readonly BoundRule[] {
  const more = Object.freeze([...rules, rule])
  const index = new OneMore(candidatesOf(rules), { rule, rank: rules.length })
  INDEXED.set(more, { index, memo: null, roots: null })
  return more
}

/** An index where the list was given to `indexed`; else every rule is a candidate. */
export function candidatesOf(rules: readonly BoundRule[]): Candidates {
  return indexOf(rules)?.index ?? everyRule(rules)
}

/** What `judge` says, or what it said of an equal question under the same rules. */
export function remembered<Value>(
  rules: readonly BoundRule[],
  question: Question,
  judge: (from: Candidates) => Value,
): Value {
  const own = indexOf(rules)
  if (own === undefined) return judge(everyRule(rules))
  const label = labelOf(question)
  if (label === null) return judge(own.index)
  if (own.memo === null || own.roots !== question.roots) {
    own.memo = new Memo(REMEMBERED)
    own.roots = question.roots
  }
  const alike = own.memo.get(label) ?? []
  const known = alike.find((one) => isSameQuestion(one.question, question))
  if (known !== undefined) return known.verdict as Value
  const verdict = judge(own.index)
  own.memo.set(label, [{ question, verdict }, ...alike.slice(0, MOST_ALIKE - 1)])
  return verdict
}

/** The first rule with this id. */
export function ruleNamed(rules: readonly BoundRule[], id: string): BoundRule | undefined {
  const own = indexOf(rules)
  if (own === undefined) return rules.find((rule) => rule.id === id)
  // Of two with one id the first one counts, so it is put in last.
  own.named ??= new Map(rules.toReversed().map((rule) => [rule.id, rule]))
  return own.named.get(id)
}

/** Labels a policy, and questions a label; each is a few words and the subjects of a call. */
const REMEMBERED = 4096
const MOST_ALIKE = 4

interface Judged {
  readonly question: Question
  readonly verdict: unknown
}

interface Indexed {
  readonly index: Candidates
  memo: Memo<readonly Judged[]> | null
  /** The folders that the remembered verdicts were judged against. */
  roots: Roots | null
  named?: ReadonlyMap<string, BoundRule>
}

const INDEXED = new WeakMap<readonly BoundRule[], Indexed | null>()

function indexOf(rules: readonly BoundRule[]): Indexed | undefined {
  const known = INDEXED.get(rules)
  if (known !== null) return known
  const made: Indexed = { index: new RuleIndex(rules), memo: null, roots: null }
  INDEXED.set(rules, made)
  return made
}
