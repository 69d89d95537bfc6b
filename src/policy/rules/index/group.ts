/** Rules of one tool text and one effect, in tables that are made when a call first needs them. */

import { unreachable } from '../../../core/unreachable.js'
import type { PathSubject, Subject } from '../../../core/subject.js'
import type { BoundRule } from '../../effective-policy.js'
import type { MatchBinding } from '../match.js'
import {
  commandTextsOf,
  HOST,
  hostTextsOf,
  SPELLING,
  spellingsOf,
  TEXT,
  VOLUME,
  volumeTextsOf,
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

  /** Adds every rule whose match may suspect the subject, and some that do not. */
  suspecting(subject: Subject, found: Ranked[]): void {
    switch (subject.kind) {
      case 'path':
        this.find(SPELLING, spellingsOf, { subject, found })
        // A tool of the host's own may mean its argument as text.
        return this.find(TEXT, writtenTextsOf, { subject, found })
      case 'host':
        this.find(HOST, hostTextsOf, { subject, found })
        return this.find(TEXT, writtenTextsOf, { subject, found })
      case 'text':
        return this.find(TEXT, writtenTextsOf, { subject, found })
      case 'command':
        return this.find(TEXT, commandTextsOf, { subject, found })
      default:
        return unreachable(subject)
    }
  }

  /** Adds every rule whose match may prove the subject, and some that do not. */
  proving(subject: Subject, found: Ranked[]): void {
    switch (subject.kind) {
      case 'path': {
        const binding = this.members[0]?.binding
        if (binding === undefined) return
        const volumeTexts = (path: PathSubject): readonly string[] => volumeTextsOf(path, binding)
        return this.find(VOLUME, volumeTexts, { subject, found })
      }
      case 'host':
        return this.find(HOST, hostTextsOf, { subject, found })
      case 'text':
        return this.find(TEXT, writtenTextsOf, { subject, found })
      case 'command':
        // What proof compares is spelt in a way of its own: every rule is tried.
        for (const member of this.members) found.push(member)
        return
      default:
        return unreachable(subject)
    }
  }

  private find<Kind extends Subject>(
    domain: Domain,
    textsOf: (subject: Kind) => readonly string[],
    { subject, found }: { readonly subject: Kind; readonly found: Ranked[] },
  ): void {
    const table = this.table(domain)
    if (!table.isEmpty()) table.find(textsOf(subject), found)
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
