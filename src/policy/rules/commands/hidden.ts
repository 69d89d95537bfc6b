/** Commands behind a program that no table knows: it may run any of its words (rules.md §5 item 2). */

import type { CommandSubject } from '../../../core/subject.js'
import { suspectsSubject } from '../applies.js'
import type { Candidates } from '../index/candidates.js'
import type { Ranked } from '../index/group.js'
import type { Question } from '../question.js'

/** True when a deny or ask pattern meets the words behind such a program, from any of them on. */
export function hidesDenied(from: Candidates, { tool, subjects }: Question): boolean {
  const hidden = subjects.filter((subject) => subject.kind === 'command').flatMap(hiddenCommands)
  if (hidden.length === 0 || !STRICT.some((effect) => hasPattern(from.naming(effect, tool)))) {
    return false
  }
  // Too much to try: any of the patterns may be in it.
  if (hidden.reduce((sum, one) => sum + sizeOfSuffixes(one), 0) > MOST_SUFFIXES) return true
  return hidden.some((one) =>
    suffixesOf(one).some((suffix) =>
      STRICT.some((effect) =>
        from
          .suspecting(effect, tool, suffix)
          .some(({ rule }) => !rule.match.argumentFree && suspectsSubject(rule, tool, suffix)),
      ),
    ),
  )
}

function hasPattern(lists: readonly (readonly Ranked[])[]): boolean {
  return lists.some((list) => list.some(({ rule }) => !rule.match.argumentFree))
}

/** The words of a command that no table knows. */
interface HiddenCommand {
  readonly subject: CommandSubject
  readonly argv: readonly string[]
}

const STRICT = ['deny', 'ask'] as const
/** UTF-16 units of all suffixes of a call together; their number grows with the square of its words. */
const MOST_SUFFIXES = 256 * 1024

function hiddenCommands(subject: CommandSubject): readonly HiddenCommand[] {
  return subject.analysis.commands
    .filter(({ unknown, role }) => unknown === true && role !== 'suspected')
    .map(({ argv }) => ({ subject, argv }))
}

function sizeOfSuffixes({ argv }: HiddenCommand): number {
  return argv.reduce((sum, word, index) => sum + index * (word.length + 1), 0)
}

function suffixesOf({ subject, argv }: HiddenCommand): readonly CommandSubject[] {
  return argv
    .slice(1)
    .map((_, index) => argv.slice(index + 1))
    .map((words) => ({
      ...subject,
      command: words.join(' '),
      analysis: { commands: [{ argv: words }], refusals: [] },
    }))
}
