/** Rules of one tool text and one effect, in tables that are made when a call first needs them. */

import { unreachable } from '../../../core/unreachable.js'
import type { Subject } from '../../../core/subject.js'
import type { BoundRule } from '../../effective-policy.js'
import type { MatchBinding } from '../match.js'
import { suspicions } from '../patterns/commands.js'
import {
  HOST,
  hostTextOf,
  SPELLING,
  spellingsOf,
  TEXT,
  VOLUME,
  volumeTextOf,
  writtenTextsOf,
  type Domain,
} from './places.js'
import { AnchorTable } from './table.js'

/** A rule, and its place in the order of declaration. */
export interface Ranked {
  readonly rule: BoundRule
  readonly rank: number
}

/** A rule whose match the index can read. */
export interface Readable extends Ranked {
  readonly binding: MatchBinding
}

/** Finds rules by what they may match. */
export class RuleGroup {
  private readonly members: Readable[] = []
  private readonly tables = new Map<Domain['name'], AnchorTable<Ranked>>()

  add(member: Readable): void {
    this.members.push(member)
  }

  all(): readonly Ranked[] {
    return this.members
  }

  /** True when the rules of the group name the tool, and when that cannot be told. */
  mayName(tool: string): boolean {
    try {
      // One tool part, one answer.
      return this.members[0]?.rule.match.namesTool(tool) ?? true
    } catch {
      // The rules are tried, and each answers for itself.
      return true
    }
  }

  /** Every rule whose match may suspect the subject, and some that do not. */
  suspecting(subject: Subject): readonly Ranked[] {
    switch (subject.kind) {
      case 'path':
        return [
          ...this.table(SPELLING).find(spellingsOf(subject)),
          ...this.table(TEXT).find(writtenTextsOf(subject)),
        ]
      case 'host':
        return [
          ...this.table(HOST).find(hostTextOf(subject)),
          ...this.table(TEXT).find(writtenTextsOf(subject)),
        ]
      case 'text':
        return this.table(TEXT).find(writtenTextsOf(subject))
      case 'command':
        return this.table(TEXT).find([...suspicions(subject)])
      default:
        return unreachable(subject)
    }
  }

  /** Every rule whose match may prove the subject, and some that do not. */
  proving(subject: Subject): readonly Ranked[] {
    const [first] = this.members
    switch (subject.kind) {
      case 'path':
        return first === undefined
          ? []
          : this.table(VOLUME).find(volumeTextOf(subject, first.binding))
      case 'host':
        return this.table(HOST).find(hostTextOf(subject))
      case 'text':
        return this.table(TEXT).find(writtenTextsOf(subject))
      case 'command':
        return this.members
      default:
        return unreachable(subject)
    }
  }

  private table(domain: Domain): AnchorTable<Ranked> {
    const known = this.tables.get(domain.name)
    if (known !== undefined) return known
    const table = new AnchorTable<Ranked>()
    for (const member of this.members) table.add(domain.place(member.binding), member)
    this.tables.set(domain.name, table)
    return table
  }
}
