/** Which shell texts this version judges by less than the whole specification (rules.md §5). */

import { runs } from '../tools/runs.js'
import type { PolicyCase } from './case-format.js'

/** What is missing: keys of the table of reasons. */
export type NotYetAnalysed =
  'shell_text' | 'operands' | 'output_option' | 'global_option' | 'suffix' | 'floor'

/** Why a command's case cannot be run; `tightenings` are the matches of deny and ask rules. */
export function whyNotCommand(
  command: string,
  tightenings: readonly string[],
  context: Pick<PolicyCase['context'], 'home' | 'workspace'>,
): NotYetAnalysed | null {
  const analyses = runs(command).flatMap((need) =>
    need.kind === 'command' && need.analysis !== undefined ? [need.analysis] : [],
  )
  if (analyses.some(({ refusals }) => refusals.length > 0)) return 'shell_text'
  const argv = analyses[0]?.commands[0]?.argv ?? []
  const [program = '', ...operands] = argv
  const name = program.slice(program.lastIndexOf('/') + 1)
  if (isCatastrophic(name, operands, context)) return 'floor'
  if (WITH_OUTPUT.has(name) && operands.some(isOutputOption)) return 'output_option'
  if (FILE_COMMANDS.has(name) && tightenings.some(isPathRule)) return 'operands'
  const commands = tightenings.flatMap(commandOf)
  if (commands.some((words) => skips(words, argv))) return 'global_option'
  return commands.some(([first]) => first !== undefined && operands.includes(first))
    ? 'suffix'
    : null
}

const DESTRUCTIVE: ReadonlySet<string> = new Set(['rm', 'chmod', 'chown'])

function isCatastrophic(
  program: string,
  operands: readonly string[],
  { home, workspace }: Pick<PolicyCase['context'], 'home' | 'workspace'>,
): boolean {
  const roots = ['/', '~', home, workspace]
  return DESTRUCTIVE.has(program) && operands.some((operand) => roots.includes(operand))
}

const WITH_OUTPUT: ReadonlySet<string> = new Set(['git', 'sort', 'curl', 'wget'])

function isOutputOption(operand: string): boolean {
  return /^(?:-o|--output(?:=|$))/.test(operand)
}

const FILE_COMMANDS: ReadonlySet<string> = new Set([
  ...['cat', 'head', 'tail', 'less', 'grep', 'rg', 'cp', 'mv', 'rm', 'tee', 'sed', 'dd'],
  ...['tar', 'ln', 'chmod', 'chown', 'touch', 'mkdir', 'ls', 'find', 'sort', 'wc', 'diff'],
])

function isPathRule(match: string): boolean {
  return /^(?:read|write|edit)(?:\(|$)/i.test(match.trim())
}

/** The plain words with which a command pattern begins. */
function commandOf(match: string): readonly (readonly string[])[] {
  const pattern = /^bash\((?<pattern>.*)\)$/is.exec(match.trim())?.groups?.['pattern']
  if (pattern === undefined) return []
  return [
    pattern
      .replace(/:\*$/, '')
      .split(/\s+/)
      .filter((word) => /^[\w.-]+$/.test(word)),
  ]
}

/** `git -C x commit` against `git commit`: the options stand between program and subcommand. */
function skips([program, subcommand]: readonly string[], argv: readonly string[]): boolean {
  return (
    program === argv[0] &&
    subcommand !== undefined &&
    argv[1]?.startsWith('-') === true &&
    argv.includes(subcommand, 2)
  )
}
