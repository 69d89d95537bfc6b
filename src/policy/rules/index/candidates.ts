/** Which rules are tried on a call: all of them in a plain list, few of them in an index (quality.md, Speed). */

import type { Effect } from '../../../core/effect.js'
import type { Subject } from '../../../core/subject.js'
import type { BoundRule } from '../../effective-policy.js'
import { toolOf } from '../applies.js'
import type { Ranked } from './group.js'

/**
 * Supersets of the rules that count, in the order of declaration: whoever asks still tries each rule.
 * Leaving one out that counts would lose a deny, so whatever is in doubt is in the answer.
 */
export interface Candidates {
  /** Of this effect, for suspicion of a subject of a call of this tool. */
  readonly suspecting: (effect: Effect, tool: string, subject: Subject) => readonly Ranked[]
  /** Allow rules, for proof of the subject. */
  readonly proving: (tool: string, subject: Subject) => readonly Ranked[]
  /** Of this effect, naming the tool; lists each of which is in order. */
  readonly naming: (effect: Effect, tool: string) => readonly (readonly Ranked[])[]
  /** Of this effect, with exactly this tool part, in lower case; lists each of which is in order. */
  readonly written: (effect: Effect, toolPart: string) => readonly (readonly Ranked[])[]
}

/** Every rule is a candidate, as of any list that no index was made for. */
export function everyRule(rules: readonly BoundRule[]): Candidates {
  const ranked = rules.map((rule, rank): Ranked => ({ rule, rank }))
  const of = (effect: Effect): readonly Ranked[] =>
    ranked.filter(({ rule }) => rule.effect === effect)
  return {
    suspecting: of,
    proving: () => of('allow'),
    naming: (effect) => [of(effect)],
    written: (effect, toolPart) => [
      of(effect).filter(({ rule }) => toolOf(rule.match) === toolPart),
    ],
  }
}
