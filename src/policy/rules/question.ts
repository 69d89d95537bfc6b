/** One call as the rules see it, and its limits (rules.md §3, pipeline.md §3 H-07). */

import type { Roots } from '../../core/facts.js'
import type { CommandSubject, Subject } from '../../core/subject.js'

/** What rules are asked. */
export interface Question {
  readonly tool: string
  readonly runsIn: 'process' | 'sandbox'
  /** The call would run outside every driver. */
  readonly unconfined?: boolean | undefined
  readonly subjects: readonly Subject[]
  readonly roots: Roots
}

/** Matching looks at no more than this; past it no allow counts and every deny and ask does. */
export const MATCH_LIMITS: {
  readonly subjectLength: number
  readonly subjects: number
  readonly commands: number
} = { subjectLength: 64 * 1024, subjects: 256, commands: 1000 }

/** True when the question is larger than matching looks at. */
export function isOversize({ subjects }: Question): boolean {
  if (subjects.length > MATCH_LIMITS.subjects) return true
  let commands = 0
  for (const subject of subjects) {
    if (subject.kind === 'command') {
      commands += subject.analysis.commands.length
      if (subject.analysis.refusals.some(({ code }) => code === 'unread')) return true
    }
    if (lengths(subject).some((length) => length > MATCH_LIMITS.subjectLength)) return true
  }
  return commands > MATCH_LIMITS.commands
}

/** The subjects that an allow must cover one by one: each simple command on its own, unknown hosts left out. */
export function provable({ tool, subjects }: Question): readonly Subject[] {
  return subjects
    .filter((subject) => !isTighteningOnly(tool, subject))
    .flatMap<Subject>((subject) =>
      subject.kind === 'command' ? simpleCommands(subject) : [subject],
    )
}

/** Layer 2 judges unknown hosts; a search is allowed by its query, a command by its words: the rest only tightens. */
function isTighteningOnly(tool: string, subject: Subject): boolean {
  if (subject.kind === 'host') return subject.host === null || subject.derived === true
  if (subject.kind !== 'path') return false
  if (subject.derived !== undefined) return subject.derived.origin !== 'redirect'
  return subject.access === 'read' && tool.toLowerCase() === 'search'
}

/** What an allow must cover: not the transparent wrappers, and not what only may run. */
function simpleCommands(subject: CommandSubject): readonly CommandSubject[] {
  const commands = subject.analysis.commands.filter(
    ({ role, argv }) =>
      argv.length > 0 &&
      // A wrapper that calls can write is not what its name says.
      (role === undefined || (role === 'transparent' && isUntrusted(subject, argv[0]))),
  )
  if (commands.length === 0) return [{ ...subject, analysis: { ...subject.analysis, commands } }]
  return commands.map((command) => ({
    ...subject,
    analysis: { ...subject.analysis, commands: [command] },
  }))
}

function isUntrusted({ untrusted }: CommandSubject, program: string | undefined): boolean {
  return program !== undefined && untrusted?.includes(program) === true
}

function lengths(subject: Subject): readonly number[] {
  switch (subject.kind) {
    case 'path':
      return [subject.given.length, ...subject.forms.map((form) => form.length)]
    case 'command':
      return [subject.command.length]
    case 'host':
      return [subject.host?.length ?? 0, subject.path?.length ?? 0]
    case 'text':
      return [subject.text.length]
  }
}
