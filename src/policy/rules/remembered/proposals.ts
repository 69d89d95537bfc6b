/** What a person may have remembered of a call (pipeline.md §5, H-12): exact entries, verified to cover it whole. */

import { ConfigError } from '../../../core/errors.js'
import type { SimpleCommand } from '../../../core/need.js'
import type { PathSubject, Subject } from '../../../core/subject.js'
import { bindMatch, compileMatch } from '../match.js'
import { pathLiteral } from '../patterns/path-literal.js'
import { isRedirect } from '../commands/redirects.js'
import { provable, type Question } from '../question.js'
import { patternFor, runsPrograms } from '../smallest-allow.js'
import { coveringEntries } from '../verdict.js'

/** Match texts that together cover the call, as a whitelist would. */
export type Proposal = readonly string[]

/** Narrowest first; none for programs whose arguments are programs, nor for what no entry can say exactly. */
export function proposalsFor(question: Question): readonly Proposal[] {
  if (question.unconfined === true || runsOthers(question)) return []
  const subjects = provable(question)
  const proposals = [exact(question.tool, subjects), folder(question, subjects)]
  return proposals.filter((one): one is Proposal => one !== null && coversWhole(one, question))
}

/** An interpreter or a wrapper, whatever stands inside of it: remembering it would remember anything. */
function runsOthers({ subjects }: Question): boolean {
  return subjects.some(
    (subject) =>
      subject.kind === 'command' &&
      (startsElsewhere(subject) ||
        subject.analysis.commands.some(
          ({ argv, via = [], open, dynamic }) =>
            runsPrograms(argv[0] ?? '') || via.length > 0 || open === true || dynamic !== undefined,
        )),
  )
}

/** The same words in another folder are about other files than were shown. */
export function startsElsewhere(subject: Subject): boolean {
  return subject.kind === 'command' && subject.analysis.folder !== undefined
}

function exact(tool: string, subjects: readonly Subject[]): Proposal | null {
  if (subjects.length === 0) return [tool]
  const entries = subjects.map((subject) => entryFor(tool, subject))
  return entries.includes(null) ? null : [...new Set(entries as readonly string[])]
}

/** A redirection is a write, whatever tool runs the command. */
function entryFor(tool: string, subject: Subject): string | null {
  if (subject.kind === 'command' && !subject.analysis.commands.every(isOneReading)) return null
  const [pattern] = patternFor(subject)
  if (pattern === undefined) return null
  return `${isRedirect(subject) ? 'write' : tool}(${pattern})`
}

/**
 * An entry does not tell a quoted word from one that the shell expands, nor a blank within a word from one
 * between words: remembering `rm '*'` or `rm 'a b'` would remember `rm *` and `rm a b`.
 */
function isOneReading({ argv }: SimpleCommand): boolean {
  return argv.every((word) => word !== '' && !/[\s*?[\]{}]|(?:^|[=:])~/u.test(word))
}

/** For a file tool inside the workspace: the folder of the file, with everything below it. */
function folder({ tool, roots }: Question, subjects: readonly Subject[]): Proposal | null {
  const folders = subjects.map((subject) => folderOf(subject, roots.workspace))
  const [first] = folders
  if (first === undefined || first === null || folders.some((one) => one !== first)) return null
  return [`${tool}(${pathLiteral(first)}/**)`]
}

function folderOf(subject: Subject, workspace: string): string | null {
  if (subject.kind !== 'path' || isRedirect(subject)) return null
  const [form] = (subject as PathSubject).forms
  const end = form?.lastIndexOf('/') ?? -1
  const parent = form === undefined || end <= 0 ? '' : form.slice(0, end)
  return parent.startsWith(`${workspace}/`) ? parent : null
}

function coversWhole(entries: Proposal, question: Question): boolean {
  try {
    const bound = entries.map((text) => bindMatch(compileMatch(text), question.roots))
    return coveringEntries(bound, question) !== null
  } catch (error) {
    // Not offered: one of the texts is no entry.
    if (error instanceof ConfigError) return false
    throw error
  }
}
