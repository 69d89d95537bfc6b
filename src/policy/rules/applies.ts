/** Whether one rule meets one subject of a call: by suspicion for deny and ask, by proof for allow (rules.md §3). */

import type { Subject } from '../../core/subject.js'
import { unreachable } from '../../core/unreachable.js'
import type { BoundMatch, BoundRule } from '../effective-policy.js'
import type { Question } from './question.js'

/** True when a deny or ask rule fires on any subject, or on the call itself where it has none. */
export function fires(rule: BoundRule, question: Question): boolean {
  if (question.subjects.length === 0) return firesWithoutSubjects(rule, question.tool)
  return question.subjects.some((subject) => suspectsSubject(rule, question.tool, subject))
}

/** True when a deny or ask rule meets this subject. A rule that throws counts as meeting it (H-09). */
export function suspectsSubject(rule: BoundRule, tool: string, subject: Subject): boolean {
  try {
    if (!sees(rule.match, tool, subject) || !rule.match.suspects(subject)) return false
  } catch {
    // Denied or asked: the rule may have meant this subject.
    return true
  }
  return !rule.except.some((except) => takesOut(except, { rule, tool, subject }))
}

/** True when an allow rule proves this subject. A rule that throws proves nothing (H-09). */
export function provesSubject(rule: BoundRule, tool: string, subject: Subject): boolean {
  if (!rule.effective) return false
  return (
    covers(rule.match, tool, subject) &&
    !rule.except.some((except) => carvesOut(except, { rule, tool, subject }))
  )
}

/** True when a match alone proves this subject of a call of this tool. */
export function covers(match: BoundMatch, tool: string, subject: Subject): boolean {
  try {
    if (match.namesTool(tool)) {
      // `download(path)` says nothing of the host; bare `download` covers both.
      return match.proves(subject)
    }
    const borrows = tool.toLowerCase() === 'download' && subject.kind === 'host'
    return borrows && toolOf(match) === 'web_fetch' && match.proves(subject)
  } catch {
    // Not covered: the call needs another rule.
    return false
  }
}

/** True when a rule names the tool, or reaches its subjects from another tool's name. */
export function concerns(rule: BoundRule, { tool, subjects }: Question): boolean {
  try {
    return subjects.length === 0
      ? rule.match.namesTool(tool)
      : rule.match.namesTool(tool) || subjects.some((subject) => sees(rule.match, tool, subject))
  } catch {
    // A deny or ask rule that throws concerns every call.
    return true
  }
}

/** The tool part of a match text, in lower case. */
export function toolOf(match: BoundMatch): string {
  const open = match.text.indexOf('(')
  return (open === -1 ? match.text : match.text.slice(0, open)).toLowerCase()
}

function firesWithoutSubjects(rule: BoundRule, tool: string): boolean {
  try {
    if (!rule.match.argumentFree || !rule.match.namesTool(tool)) return false
  } catch {
    // Denied or asked: the rule may have meant this tool.
    return true
  }
  return !rule.except.some((except) => {
    try {
      return except.argumentFree && except.namesTool(tool)
    } catch {
      // Nothing is taken out of the deny or ask.
      return false
    }
  })
}

/**
 * A rule sees the subjects of the tools it names; `read` and `write` rules see every path with that
 * access, `web_fetch` rules every host, whatever tool the subject came from.
 */
function sees(match: BoundMatch, tool: string, subject: Subject): boolean {
  const own = toolOf(match)
  switch (subject.kind) {
    case 'path':
      return own === subject.access || match.namesTool(tool)
    case 'host':
      if (own === 'web_fetch') return match.argumentFree || subject.host !== null
      return match.namesTool(tool)
    case 'command':
    case 'text':
      return match.namesTool(tool)
    default:
      return unreachable(subject)
  }
}

/** A rule that meets a subject of a call. */
interface Meeting {
  readonly rule: BoundRule
  readonly tool: string
  readonly subject: Subject
}

/** On a deny or ask an exception loosens, so it needs proof. */
function takesOut(except: BoundMatch, { rule, tool, subject }: Meeting): boolean {
  try {
    return isAbout(except, rule, tool) && except.proves(subject)
  } catch {
    // Nothing is taken out of the deny or ask.
    return false
  }
}

/** On an allow an exception tightens, so suspicion is enough. */
function carvesOut(except: BoundMatch, { rule, tool, subject }: Meeting): boolean {
  try {
    return isAbout(except, rule, tool) && except.suspects(subject)
  } catch {
    // Taken out of the allow.
    return true
  }
}

function isAbout(except: BoundMatch, rule: BoundRule, tool: string): boolean {
  return except.namesTool(tool) || toolOf(except) === toolOf(rule.match)
}
