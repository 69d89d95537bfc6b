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

/**
 * Everything in a question that rules look at, as text; `null` for one that is not worth keeping. Two
 * questions with one key get one verdict: texts stand behind their lengths, so no text can pretend to be two.
 */
export function keyOf({ tool, runsIn, unconfined, subjects }: Question): string | null {
  if (subjects.length > MOST_SUBJECTS) return null
  let key = `${runsIn === 'process' ? 'p' : 's'}${unconfined === true ? 'u' : 'c'}${framed(tool)}`
  for (const subject of subjects) {
    const part = partOf(subject)
    if (part === null) return null
    key += part
    if (key.length > LONGEST) return null
  }
  return key
}

/**
 * Which fields are in a key; the others no rule looks at, and the folders a memo is kept for are the same.
 * INVARIANT: a new field does not compile until it has its place here; question-key.test.ts changes each of them.
 */
export const KEY_FIELDS: {
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
const LONGEST = 2048

function partOf(subject: Subject): string | null {
  switch (subject.kind) {
    case 'path': {
      const { access, resolved, given, forms, derived } = subject
      // Most paths end as they were written: then the length says it, and the key is half as long.
      const written = forms[0]?.endsWith(given) === true ? `=${given.length}.` : framed(given)
      const head = `${access === 'read' ? 'r' : 'w'}${resolved ? 'k' : 'x'}${written}`
      const mark = derived === undefined ? '-' : markOf(derived)
      return forms.reduce((key, form) => key + framed(form), `${head}${mark}${forms.length}.`)
    }
    case 'host': {
      const { host, path, derived } = subject
      const head = derived === undefined ? 'h' : 'd'
      return `${head}${host === null ? '-' : framed(host)}${path === null ? '-' : framed(path)}`
    }
    case 'text':
      return `t${framed(subject.text)}`
    case 'command': {
      const number = numberOf(subject)
      if (number === null) return null
      const { shell, untrusted } = subject
      const names = untrusted === undefined ? '-' : framed(JSON.stringify(untrusted))
      return `c${shell}${number}.${names}`
    }
    default:
      return unreachable(subject)
  }
}

/** Stands for the text and its analysis; `null` where the analysis may change, or is no longer that of the text. */
function numberOf({ command, analysis }: CommandSubject): number | null {
  if (!isLasting(analysis)) return null
  const known = NUMBERS.get(analysis)
  if (known !== undefined) return known.command === command ? known.number : null
  last += 1
  NUMBERS.set(analysis, { command, number: last })
  return last
}

const NUMBERS = new WeakMap<
  CommandSubject['analysis'],
  { readonly command: string; readonly number: number }
>()
let last = 0

function markOf({ origin, tree, adrift, hazard }: DerivedPath): string {
  return `${origin}.${tree ?? ''}.${adrift === true ? 'a' : ''}.${hazard ?? ''}.`
}

function framed(text: string): string {
  return `${text.length}:${text}`
}
