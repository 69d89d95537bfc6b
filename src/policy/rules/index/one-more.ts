/** Candidates of a list of rules with one rule behind it, which is a candidate for everything. */

import type { Effect } from '../../../core/effect.js'
import type { Subject } from '../../../core/subject.js'
import { toolOf } from '../applies.js'
import type { Candidates } from './candidates.js'
import type { Ranked } from './group.js'

/** Leaves the index of the others as it is. */
export class OneMore implements Candidates {
  private readonly others: Candidates
  private readonly last: Ranked

  constructor(others: Candidates, last: Ranked) {
    this.others = others
    this.last = last
  }

  suspecting(effect: Effect, tool: string, subject: Subject): readonly Ranked[] {
    return [...this.others.suspecting(effect, tool, subject), ...this.lastOf(effect)]
  }

  proving(tool: string, subject: Subject): readonly Ranked[] {
    return [...this.others.proving(tool, subject), ...this.lastOf('allow')]
  }

  naming(effect: Effect, tool: string): readonly (readonly Ranked[])[] {
    return [...this.others.naming(effect, tool), this.lastOf(effect)]
  }

  written(effect: Effect, toolPart: string): readonly (readonly Ranked[])[] {
    const last = this.lastOf(effect).filter(({ rule }) => toolOf(rule.match) === toolPart)
    return [...this.others.written(effect, toolPart), last]
  }

  private lastOf(effect: Effect): readonly Ranked[] {
    return this.last.rule.effect === effect ? [this.last] : []
  }
}
