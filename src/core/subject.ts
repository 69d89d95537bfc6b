/** What rules are matched against (rules.md §3, §4): the subjects of one call, paths resolved. */

import type { CommandAnalysis, DerivedPath, Shell } from './need.js'

/** A path in every spelling under which a rule must find it. */
export interface PathSubject {
  readonly kind: 'path'
  readonly access: 'read' | 'write'
  /** As the call wrote it. */
  readonly given: string
  /** Absolute, normalised: the lexical readings first, then the real ones. Never empty. */
  readonly forms: readonly string[]
  /** Where the plain POSIX or Windows reading really leads: what an executor opens; `null` when unresolved. */
  readonly real: string | null
  /** False: a component is unreadable or the links do not end; counts as outside and protected. */
  readonly resolved: boolean
  /** Read off a shell text, and how: rules ask other questions of it. */
  readonly derived?: DerivedPath | undefined
}

/** A shell text with what its analysis found. */
export interface CommandSubject {
  readonly kind: 'command'
  readonly command: string
  readonly shell: Shell
  readonly analysis: CommandAnalysis
  /** Bare names that lead to programs which calls can write: no pattern proves them. */
  readonly untrusted?: readonly string[] | undefined
}

/** A network host in canonical spelling; `null` when nobody knows it before the call runs. */
export interface HostSubject {
  readonly kind: 'host'
  readonly host: string | null
  readonly port: number | null
  readonly path: string | null
  /** Read off a shell text: an allow of the command need not cover it. */
  readonly derived?: true | undefined
  /** A word of the text names it, nothing more. */
  readonly suspected?: true | undefined
}

/** Any other text that a rule can match. */
export interface TextSubject {
  readonly kind: 'text'
  readonly text: string
}

export type Subject = PathSubject | CommandSubject | HostSubject | TextSubject

/** True for what an argument may mean: deny and ask rules meet it, nothing else counts it (H-05). */
export function isSuspected(subject: Subject): boolean {
  if (subject.kind === 'host') return subject.suspected === true
  return subject.kind === 'path' && subject.derived?.origin === 'argument'
}

/** A subject as a person reads it. */
export function describeSubject(subject: Subject): string {
  switch (subject.kind) {
    case 'path':
      return subject.given
    case 'command':
      return subject.command
    case 'host':
      return subject.host ?? 'an unknown host'
    case 'text':
      return subject.text
  }
}
