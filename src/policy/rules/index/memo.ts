/** Verdicts of calls that were judged before, under the same rules (quality.md, Speed: remembered calls). */

import type { Subject } from '../../../core/subject.js'
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

const GENERATION = 4096
const MOST_SUBJECTS = 8
const LONGEST = 1024

/** Shell text is judged by an analysis that is larger than its verdict; it is not kept, nor what was read off it. */
function partOf(subject: Subject): string | null {
  switch (subject.kind) {
    case 'path': {
      const { access, resolved, given, forms, derived } = subject
      if (derived !== undefined) return null
      const head = `${access === 'read' ? 'r' : 'w'}${resolved ? 'k' : 'x'}${framed(given)}`
      return forms.reduce((key, form) => key + framed(form), `${head}${forms.length}.`)
    }
    case 'host': {
      const { host, path, derived } = subject
      if (derived !== undefined) return null
      return `h${host === null ? '-' : framed(host)}${path === null ? '-' : framed(path)}`
    }
    case 'text':
      return `t${framed(subject.text)}`
    case 'command':
      return null
  }
}

function framed(text: string): string {
  return `${text.length}:${text}`
}
