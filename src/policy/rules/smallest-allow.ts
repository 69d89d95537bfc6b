/** The smallest rule that would have allowed a call (rules.md §6): verified to cover it, never an interpreter. */

import { ConfigError } from '../../core/errors.js'
import type { PathSubject, Subject } from '../../core/subject.js'
import {
  INTERPRETER_PROGRAMS,
  RUNNING_SUBCOMMANDS,
  SHELL_PROGRAMS,
  WRAPPER_PROGRAMS,
} from '../../lists/interpreters.js'
import { canonicalHost } from './hosts.js'
import { bindMatch, compileMatch } from './match.js'
import { provable, type Question } from './question.js'
import { pathLiteral } from './patterns/path-literal.js'
import { escapeText } from './patterns/text.js'
import { judgeRules } from './verdict.js'

/** The narrowest match text that covers the whole call by itself; `null` when none would. */
export function smallestAllow(question: Question): string | null {
  return candidates(question).find((text) => wouldAllow(text, question)) ?? null
}

function wouldAllow(text: string, question: Question): boolean {
  try {
    const match = bindMatch(compileMatch(text), question.roots)
    const rule = {
      id: 'candidate',
      effect: 'allow',
      source: 'user',
      effective: true,
      reason: null,
      match,
      except: [],
    } as const
    return judgeRules([rule], question).decision === 'allow'
  } catch (error) {
    // Not proposed: the text is no rule.
    if (error instanceof ConfigError) return false
    throw error
  }
}

/** Narrowest first. A whole shell is never proposed. */
function candidates(question: Question): readonly string[] {
  const { tool } = question
  const subjects = provable(question)
  const patterns = patternsFor(subjects).map((pattern) => `${tool}(${pattern})`)
  const runs = subjects.some((subject) => subject.kind === 'command')
  return runs ? patterns : [...patterns, tool]
}

function patternsFor(subjects: readonly Subject[]): readonly string[] {
  const [first, ...rest] = subjects
  if (first === undefined) return []
  const paths = subjects.filter((subject): subject is PathSubject => subject.kind === 'path')
  if (paths.length === subjects.length) return pathPatterns(paths)
  return rest.length > 0 ? [] : patternFor(first)
}

function pathPatterns(paths: readonly PathSubject[]): readonly string[] {
  const forms = [...new Set(paths.flatMap((path) => path.forms))].map(pathLiteral)
  const [only] = forms
  if (only === undefined) return []
  return [forms.length === 1 ? only : `{${forms.join(',')}}`]
}

function patternFor(subject: Subject): readonly string[] {
  switch (subject.kind) {
    case 'path':
      return pathPatterns([subject])
    case 'command':
      return commandPatterns(subject)
    case 'host': {
      const host = subject.host === null ? null : canonicalHost(subject.host)
      return host === null ? [] : [host]
    }
    case 'text':
      return [escapeText(subject.text)]
  }
}

function commandPatterns(subject: Extract<Subject, { kind: 'command' }>): readonly string[] {
  const [command] = subject.analysis.commands
  if (command === undefined || runsPrograms(command.argv[0] ?? '')) return []
  if (runsSubcommand(command.argv.join(' '))) return []
  // A blank within a word is met by a wildcard only, and so is a word without characters or a fixed text.
  const words = command.argv.map((word, index) =>
    command.dynamic?.includes(index) === true
      ? '**'
      : escapeText(word).replace(/[ \t]/g, '?') || '?',
  )
  if (command.open === true) words.push('**')
  return [words.join(' ')]
}

/** True for a program whose arguments are programs; `python3.11` is `python`. */
export function runsPrograms(program: string): boolean {
  const base = program.slice(Math.max(program.lastIndexOf('/'), program.lastIndexOf('\\')) + 1)
  const [name = ''] = base
    .toLowerCase()
    .replace(/\.exe$/, '')
    .split(/[-.]?\d/)
  return RUNNING.has(name)
}

/** True for words that begin with a subcommand which runs a program, such as `npm exec`. */
export function runsSubcommand(words: string): boolean {
  return RUNNING_SUBCOMMANDS.some((known) => words === known || words.startsWith(`${known} `))
}

const RUNNING: ReadonlySet<string> = new Set([
  ...SHELL_PROGRAMS,
  ...INTERPRETER_PROGRAMS,
  ...WRAPPER_PROGRAMS,
])
