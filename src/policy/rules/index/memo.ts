/** Verdicts of calls that were judged before, under the same rules (quality.md, Speed: remembered calls). */

import type { HostSubject, PathSubject, Subject, TextSubject } from '../../../core/subject.js'
import { unreachable } from '../../../core/unreachable.js'
import type { Question } from '../question.js'

/** Bounded: two generations, the older one of which is dropped whole. */
export class Memo<Value> {
  private recent = new Map<string, Value>()
  private older = new Map<string, Value>()

  get(key: string): Value | undefined {
    const known = this.recent.get(key)
    if (known !== undefined) return known
    const old = this.older.get(key)
    if (old !== undefined) this.set(key, old)
    return old
  }

  set(key: string, value: Value): void {
    if (this.recent.size >= GENERATION) {
      this.older = this.recent
      this.recent = new Map()
    }
    this.recent.set(key, value)
  }
}

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
 * INVARIANT: a new field does not compile until it has its place here; memo.test.ts changes each of them.
 */
export const KEY_FIELDS: {
  readonly question: Readonly<Record<keyof Question, Use>>
  readonly path: Readonly<Record<keyof PathSubject, Use>>
  readonly host: Readonly<Record<keyof HostSubject, Use>>
  readonly text: Readonly<Record<keyof TextSubject, Use>>
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
  host: { kind: 'in', host: 'in', path: 'in', derived: 'in', port: 'out' },
  text: { kind: 'in', text: 'in' },
}

type Use = 'in' | 'out'

const GENERATION = 4096
const MOST_SUBJECTS = 8
const LONGEST = 1024

/** Shell text is judged by an analysis that is larger than its verdict: it is not kept. */
function partOf(subject: Subject): string | null {
  switch (subject.kind) {
    case 'path': {
      const { access, resolved, given, forms, derived } = subject
      const head = `${access === 'read' ? 'r' : 'w'}${resolved ? 'k' : 'x'}${framed(given)}`
      const mark = derived === undefined ? '-' : framed(JSON.stringify(derived))
      return forms.reduce((key, form) => key + framed(form), `${head}${mark}${forms.length}.`)
    }
    case 'host': {
      const { host, path, derived } = subject
      const head = derived === undefined ? 'h' : 'd'
      return `${head}${host === null ? '-' : framed(host)}${path === null ? '-' : framed(path)}`
    }
    case 'text':
      return `t${framed(subject.text)}`
    case 'command':
      return null
    default:
      return unreachable(subject)
  }
}

function framed(text: string): string {
  return `${text.length}:${text}`
}
