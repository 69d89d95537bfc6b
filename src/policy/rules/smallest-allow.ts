/** The smallest rule that would have allowed a call (rules.md §6): verified to cover it, never an interpreter. */

import { ConfigError } from '../../core/errors.js'
import type { PathSubject, Subject } from '../../core/subject.js'
import {
  INTERPRETER_PROGRAMS,
  RUNNING_SUBCOMMANDS,
  SHELL_PROGRAMS,
  WRAPPER_PROGRAMS,
} from '../../lists/interpreters.js'
import type { BoundRule } from '../effective-policy.js'
import { isRedirect } from './commands/redirects.js'
import { canonicalHost } from '../../core/names/host.js'
import { withOneMore } from './index/bound-rules.js'
import { bindMatch, compileMatch } from './match.js'
import type { Question } from './question.js'
import { pathLiteral } from './patterns/path-literal.js'
import { escapeText } from './patterns/text.js'
import { judgeRules, uncovered } from './verdict.js'

/** A rule that would have allowed a call. */
export interface Proposal {
  readonly match: string
  /** The rules that stand, and it. */
  readonly rules: readonly BoundRule[]
}

/**
 * The narrowest match text that, beside the rules that stand, makes the rules allow the call; `null` when
 * no single one does, because more than one subject lacks an allow, or a rule denies or asks.
 */
export function smallestAllow(
  question: Question,
  standing: readonly BoundRule[] = [],
): Proposal | null {
  for (const match of candidates(question, standing)) {
    const rule = ruleOf(match, question)
    if (rule === null) continue
    const rules = withOneMore(standing, rule)
    if (judgeRules(rules, question).decision === 'allow') return { match, rules }
  }
  return null
}

function ruleOf(text: string, { roots }: Question): BoundRule | null {
  try {
    const match = bindMatch(compileMatch(text), roots)
    const rule = { id: 'candidate', effect: 'allow', source: 'user', effective: true } as const
    return { ...rule, reason: null, match, except: [] }
  } catch (error) {
    // Not proposed: the text is no rule.
    if (error instanceof ConfigError) return null
    throw error
  }
}

/** Narrowest first. A whole shell is never proposed. */
function candidates(question: Question, rules: readonly BoundRule[]): readonly string[] {
  const subjects = uncovered(rules, question)
  // A redirection is a write, whatever tool runs the command.
  const tool = subjects.length > 0 && subjects.every(isRedirect) ? 'write' : question.tool
  const patterns = patternsFor(subjects).map((pattern) => `${tool}(${pattern})`)
  const runs = question.subjects.some((subject) => subject.kind === 'command')
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

/** Patterns that meet one subject of a call and nothing beside it, narrowest first. */
export function patternFor(subject: Subject): readonly string[] {
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
