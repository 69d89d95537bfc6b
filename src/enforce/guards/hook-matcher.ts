/** Which calls a hook hears of (api.md `Matcher`): by suspicion, so that no spelling slips past a hook. */

import type { Matcher } from '../../contract/hooks.js'
import { ConfigError } from '../../core/errors.js'
import type { Roots } from '../../core/facts.js'
import type { Subject } from '../../core/subject.js'
import { bindMatch, compileMatch } from '../../policy/rules/match.js'
import { isOversize, type Question } from '../../policy/rules/question.js'
import { requireToolMatcher } from '../../policy/rules/tool-names.js'

/** What a matcher looks at; the same that rules see. */
export type Heard = Pick<Question, 'tool' | 'runsIn' | 'subjects' | 'roots'>

/** True when the hook hears of the call. A part that cannot be compared counts as matching. */
export type HookMatcher = (heard: Heard) => boolean

/** Compiles the parts of a matcher. Throws `ConfigError` with the part that is malformed. */
export function hookMatcher({ tool, path, command }: Matcher, roots: Roots): HookMatcher {
  const parts: HookMatcher[] = []
  if (tool !== undefined) {
    const namesTool = at('tool', () => requireToolMatcher(tool))
    parts.push((heard) => namesTool(heard.tool))
  }
  if (path !== undefined) parts.push(anySubject('path', `write(${path})`, roots))
  if (command !== undefined) parts.push(anySubject('command', `bash(${command})`, roots))
  return (heard) => parts.every((part) => holds(part, heard))
}

function anySubject(kind: 'path' | 'command', text: string, roots: Roots): HookMatcher {
  const match = at(kind, () => bindMatch(compileMatch(text), roots))
  const isMet = (subject: Subject): boolean => subject.kind === kind && match.suspects(subject)
  // What is too large to look at is met by every hook, as by every deny (H-07).
  return (heard) => isOversize(heard) || heard.subjects.some(isMet)
}

function holds(part: HookMatcher, heard: Heard): boolean {
  try {
    return part(heard)
  } catch {
    // The hook hears of the call and can stop it.
    return true
  }
}

function at<T>(part: keyof Matcher, compile: () => T): T {
  try {
    return compile()
  } catch (cause) {
    throw new ConfigError('invalid_option', `the matcher's \`${part}\` is no pattern`, {
      path: ['match', part],
      suggestion: cause instanceof ConfigError ? cause.message : undefined,
      cause,
    })
  }
}
