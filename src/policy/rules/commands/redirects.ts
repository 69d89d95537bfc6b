/** Which allow covers a redirection of a shell text: a write of its own (rules.md §5 item 6). */

import type { PathSubject, Subject } from '../../../core/subject.js'
import type { BoundMatch } from '../../effective-policy.js'
import { toolOf } from '../applies.js'
import { liesWithin, mayBeIn } from '../classes.js'
import type { Question } from '../question.js'

/** True for a path that a shell text writes by a redirection or an output option. */
export function isRedirect(subject: Subject): subject is PathSubject {
  return subject.kind === 'path' && subject.derived?.origin === 'redirect'
}

/** A `write(…)` match by its pattern; a match for every command inside the workspace, unless protected. */
export function coversRedirect(
  match: BoundMatch,
  { tool, roots }: Question,
  subject: PathSubject,
): boolean {
  try {
    if (toolOf(match) === 'write') return match.proves(subject)
    if (!isWhole(match) || !match.namesTool(tool)) return false
  } catch {
    // Not covered: the call needs another rule.
    return false
  }
  return (
    liesWithin(subject, [roots.workspace], roots) &&
    !CLOSED.some((name) => mayBeIn(name, subject, roots))
  )
}

const CLOSED = ['@protected', '@credentials', '@kernel'] as const

/** `bash`, `bash(*)`, `bash(**)` and `*`. */
function isWhole(match: BoundMatch): boolean {
  return match.argumentFree || match.text.endsWith('(**)')
}
