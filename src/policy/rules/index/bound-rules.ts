/** The index that belongs to the rules of a bound policy: made when first asked for, gone with the policy. */

import type { Roots } from '../../../core/facts.js'
import type { BoundRule } from '../../effective-policy.js'
import type { Question } from '../question.js'
import { everyRule, type Candidates } from './candidates.js'
import { keyOf, Memo } from './memo.js'
import { RuleIndex } from './rule-index.js'

/** Freezes a list of rules and lets `candidatesOf` index it. Another policy is another list. */
export function indexed(rules: BoundRule[]): readonly BoundRule[] {
  const frozen = Object.freeze(rules)
  INDEXED.set(frozen, null)
  return frozen
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
    own.memo = new Memo()
    own.roots = question.roots
  }
  const known = own.memo.get(key)
  if (known !== undefined) return known as Value
  const value = judge(own.index)
  own.memo.set(key, value)
  return value
}

interface Indexed {
  readonly index: RuleIndex
  memo: Memo<unknown>
  /** The folders that the remembered verdicts were judged against. */
  roots: Roots | null
}

const INDEXED = new WeakMap<readonly BoundRule[], Indexed | null>()

function indexOf(rules: readonly BoundRule[]): Indexed | undefined {
  const known = INDEXED.get(rules)
  if (known !== null) return known
  const made: Indexed = { index: new RuleIndex(rules), memo: new Memo(), roots: null }
  INDEXED.set(rules, made)
  return made
}
