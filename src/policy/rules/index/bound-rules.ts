/** The index that belongs to the rules of a bound policy: made when first asked for, gone with the policy. */

import type { Roots } from '../../../core/facts.js'
import { Memo } from '../../../core/memory/memo.js'
import type { BoundRule } from '../../effective-policy.js'
import type { Question } from '../question.js'
import { everyRule, type Candidates } from './candidates.js'
import { keyOf } from './question-key.js'
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
  INDEXED.set(more, { index, memo: new Memo(REMEMBERED), roots: null })
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
  const key = keyOf(question)
  if (key === null) return judge(own.index)
  if (own.roots !== question.roots) {
    own.memo = new Memo(REMEMBERED)
    own.roots = question.roots
  }
  const known = own.memo.get(key)
  if (known !== undefined) return known as Value
  const value = judge(own.index)
  own.memo.set(key, value)
  return value
}

/** The first rule with this id. */
export function ruleNamed(rules: readonly BoundRule[], id: string): BoundRule | undefined {
  const own = indexOf(rules)
  if (own === undefined) return rules.find((rule) => rule.id === id)
  // Of two with one id the first one counts, so it is put in last.
  own.named ??= new Map(rules.toReversed().map((rule) => [rule.id, rule]))
  return own.named.get(id)
}

/** Verdicts a policy; each is a few words and its key. */
const REMEMBERED = 4096

interface Indexed {
  readonly index: Candidates
  memo: Memo<unknown>
  /** The folders that the remembered verdicts were judged against. */
  roots: Roots | null
  named?: ReadonlyMap<string, BoundRule>
}

const INDEXED = new WeakMap<readonly BoundRule[], Indexed | null>()

function indexOf(rules: readonly BoundRule[]): Indexed | undefined {
  const known = INDEXED.get(rules)
  if (known !== null) return known
  const made: Indexed = { index: new RuleIndex(rules), memo: new Memo(REMEMBERED), roots: null }
  INDEXED.set(rules, made)
  return made
}
