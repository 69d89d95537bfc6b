/**
 * The index in front of the matchers (quality.md, Speed): rules by effect and tool part, then by what
 * their patterns begin with, end with or are. It leaves out only what cannot match; a rule that it
 * cannot read is always tried, and a fault of its own makes every rule a candidate.
 */

import type { Effect } from '../../../core/effect.js'
import { Memo } from '../../../core/memory/memo.js'
import type { Subject } from '../../../core/subject.js'
import type { BoundRule } from '../../effective-policy.js'
import { toolOf } from '../applies.js'
import { bindingOf } from '../match.js'
import { everyRule, type Candidates } from './candidates.js'
import { RuleGroup, type Ranked } from './group.js'

/** The index of rules that never change, as those of a bound policy; it fills as calls need it. */
export class RuleIndex implements Candidates {
  private readonly rules: readonly BoundRule[]
  private readonly effects: { readonly [Name in Effect]: EffectIndex }

  constructor(rules: readonly BoundRule[]) {
    this.rules = rules
    this.effects = { deny: new EffectIndex(), ask: new EffectIndex(), allow: new EffectIndex() }
    for (const [rank, rule] of rules.entries()) this.effects[rule.effect].add({ rule, rank })
  }

  suspecting(effect: Effect, tool: string, subject: Subject): readonly Ranked[] {
    try {
      return this.effects[effect].suspecting(tool, subject)
    } catch {
      // Every rule is tried, so a deny that would have fired still does.
      return everyRule(this.rules).suspecting(effect, tool, subject)
    }
  }

  proving(tool: string, subject: Subject): readonly Ranked[] {
    try {
      return this.effects.allow.proving(tool, subject)
    } catch {
      // Every rule is tried; what none of them proves is not allowed.
      return everyRule(this.rules).proving(tool, subject)
    }
  }

  naming(effect: Effect, tool: string): readonly (readonly Ranked[])[] {
    return this.effects[effect].naming(tool)
  }

  written(effect: Effect, toolPart: string): readonly (readonly Ranked[])[] {
    return this.effects[effect].written(toolPart)
  }
}

/** The rules of one effect. */
class EffectIndex {
  /** By tool part, in lower case. */
  private readonly groups = new Map<string, RuleGroup>()
  /** Rules whose match the index cannot read: tried on every call. */
  private readonly unread: Ranked[] = []
  private readonly namings = new Memo<readonly RuleGroup[]>(KEPT)

  add(ranked: Ranked): void {
    const binding = bindingOf(ranked.rule.match)
    if (binding === undefined) {
      this.unread.push(ranked)
      return
    }
    const toolPart = toolOf(ranked.rule.match)
    const known = this.groups.get(toolPart)
    const group = known ?? new RuleGroup()
    if (known === undefined) this.groups.set(toolPart, group)
    group.add({ ...ranked, binding })
  }

  suspecting(tool: string, subject: Subject): readonly Ranked[] {
    const found = [...this.unread]
    for (const group of this.groupsFor(tool, reachedBy(subject))) group.suspecting(subject, found)
    return inOrder(found)
  }

  proving(tool: string, subject: Subject): readonly Ranked[] {
    const borrows = subject.kind === 'host' && tool.toLowerCase() === 'download'
    const found = [...this.unread]
    for (const group of this.groupsFor(tool, borrows ? 'web_fetch' : null)) {
      group.proving(subject, found)
    }
    return inOrder(found)
  }

  naming(tool: string): readonly (readonly Ranked[])[] {
    return [this.unread, ...this.groupsFor(tool, null).map((group) => group.all())]
  }

  written(toolPart: string): readonly (readonly Ranked[])[] {
    const group = this.groups.get(toolPart)
    return [this.unread, group?.all() ?? []]
  }

  /** The groups that name the tool, and the one whose rules see the subject whatever the tool. */
  private groupsFor(tool: string, toolPart: string | null): readonly RuleGroup[] {
    const named = this.namedBy(tool)
    const other = toolPart === null ? undefined : this.groups.get(toolPart)
    return other === undefined || named.includes(other) ? named : [...named, other]
  }

  private namedBy(tool: string): readonly RuleGroup[] {
    const known = this.namings.get(tool)
    if (known !== undefined) return known
    const named = [...this.groups.values()].filter((group) => group.mayName(tool))
    this.namings.set(tool, named)
    return named
  }
}

/** Names of tools are few; what a caller makes up is not kept for ever. */
const KEPT = 512

/** The tool part whose rules see a subject from any tool (rules.md §3). */
function reachedBy(subject: Subject): string | null {
  if (subject.kind === 'path') return subject.access
  return subject.kind === 'host' ? 'web_fetch' : null
}

/** In the order of declaration, each rule once. */
function inOrder(found: Ranked[]): readonly Ranked[] {
  if (found.length < 2) return found
  found.sort((left, right) => left.rank - right.rank)
  return found.filter((entry, at) => at === 0 || entry.rank !== found[at - 1]?.rank)
}
