/** Which calls are equal for rules, so that one verdict serves them all (quality.md, Speed: remembered calls). */

import type { DerivedPath } from '../../../core/need.js'
import type {
  CommandSubject,
  HostSubject,
  PathSubject,
  Subject,
  TextSubject,
} from '../../../core/subject.js'
import { unreachable } from '../../../core/unreachable.js'
import { isLasting } from '../../../encoding/plain-json.js'
import type { Question } from '../question.js'

/** A text that equal questions have in common; `null` for a question that is not worth remembering. */
export function labelOf({ tool, subjects }: Question): string | null {
  if (subjects.length > MOST_SUBJECTS) return null
  let length = 0
  for (const subject of subjects) {
    // An analysis that somebody may change, or that comes once, is larger than its verdict.
    if (subject.kind === 'command' && !isLasting(subject.analysis)) return null
    length += lengthOf(subject)
  }
  if (length > LONGEST) return null
  const [first] = subjects
  return first === undefined ? tool : textOf(first)
}

/** True when rules say the same of both, under the same rules and folders. */
export function isSameQuestion(one: Question, other: Question): boolean {
  return (
    one.tool === other.tool &&
    one.runsIn === other.runsIn &&
    (one.unconfined === true) === (other.unconfined === true) &&
    one.subjects.length === other.subjects.length &&
    one.subjects.every((subject, index) => isSameSubject(subject, other.subjects[index]))
  )
}

/**
 * Which fields are compared; the others no rule looks at, and the folders that verdicts are kept for are the
 * same. INVARIANT: a new field does not compile until it has its place here; same-question.test.ts changes
 * each of them.
 */
export const COMPARED: {
  readonly question: Readonly<Record<keyof Question, Use>>
  readonly path: Readonly<Record<keyof PathSubject, Use>>
  readonly derived: Readonly<Record<keyof DerivedPath, Use>>
  readonly host: Readonly<Record<keyof HostSubject, Use>>
  readonly text: Readonly<Record<keyof TextSubject, Use>>
  readonly command: Readonly<Record<keyof CommandSubject, Use>>
} = {
  question: { tool: 'in', runsIn: 'in', unconfined: 'in', subjects: 'in', roots: 'out' },
  path: {
    kind: 'in',
    access: 'in',
    given: 'in',
    forms: 'in',
    resolved: 'in',
    derived: 'in',
    real: 'out',
  },
  derived: { origin: 'in', tree: 'in', adrift: 'in', hazard: 'in' },
  host: { kind: 'in', host: 'in', path: 'in', derived: 'in', suspected: 'out', port: 'out' },
  text: { kind: 'in', text: 'in' },
  command: { kind: 'in', command: 'in', shell: 'in', analysis: 'in', untrusted: 'in' },
}

type Use = 'in' | 'out'

const MOST_SUBJECTS = 16
const LONGEST = 4096

function textOf(subject: Subject): string {
  switch (subject.kind) {
    case 'path':
      return subject.forms[0] ?? ''
    case 'host':
      return subject.host ?? ''
    case 'text':
      return subject.text
    case 'command':
      return subject.command
    default:
      return unreachable(subject)
  }
}

function lengthOf(subject: Subject): number {
  const { length } = textOf(subject)
  if (subject.kind === 'host') return length + (subject.path?.length ?? 0)
  if (subject.kind !== 'path') return length
  return subject.forms.reduce((sum, form) => sum + form.length, subject.given.length)
}

function isSameSubject(one: Subject, other: Subject | undefined): boolean {
  switch (one.kind) {
    case 'path':
      return other?.kind === 'path' && isSamePath(one, other)
    case 'host':
      return (
        other?.kind === 'host' &&
        one.host === other.host &&
        one.path === other.path &&
        (one.derived === undefined) === (other.derived === undefined)
      )
    case 'text':
      return other?.kind === 'text' && one.text === other.text
    case 'command':
      return (
        other?.kind === 'command' &&
        one.command === other.command &&
        one.shell === other.shell &&
        // It lasts, so it is what it was.
        one.analysis === other.analysis &&
        areSameTexts(one.untrusted, other.untrusted)
      )
    default:
      return unreachable(one)
  }
}

function isSamePath(one: PathSubject, other: PathSubject): boolean {
  return (
    one.access === other.access &&
    one.given === other.given &&
    one.resolved === other.resolved &&
    areSameTexts(one.forms, other.forms) &&
    isSameDerivation(one.derived, other.derived)
  )
}

function isSameDerivation(one: DerivedPath | undefined, other: DerivedPath | undefined): boolean {
  if (one === undefined || other === undefined || one === other) return one === other
  return (
    one.origin === other.origin &&
    one.tree === other.tree &&
    one.adrift === other.adrift &&
    one.hazard === other.hazard
  )
}

function areSameTexts(
  one: readonly string[] | undefined,
  other: readonly string[] | undefined,
): boolean {
  if (one === undefined || other === undefined || one === other) return one === other
  return one.length === other.length && one.every((text, index) => text === other[index])
}
