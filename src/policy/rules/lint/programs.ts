/** Allows that cover programs whose arguments are programs, or everything (rules.md §2). */

import {
  INTERPRETER_PROGRAMS,
  RUNNING_SUBCOMMANDS,
  SHELL_PROGRAMS,
  WRAPPER_PROGRAMS,
} from '../../../lists/interpreters.js'
import type { CompiledMatch } from '../match.js'
import { matchesText } from '../patterns/commands.js'
import { runsPrograms, runsSubcommand } from '../smallest-allow.js'
import { hasWildcard, isMcp, requireToolMatcher } from '../tool-names.js'
import type { Finding } from './finding.js'
import { findingAt, type LintRule } from './read-source.js'
import { ruleText } from './rule-text.js'

/** Findings of one allow rule or whitelist entry. */
export function programFindings(one: LintRule): readonly Finding[] {
  if (one.rule.effect !== 'allow') return []
  const { parsed, text } = one.match
  const report = (id: Finding['id'], message: string): readonly Finding[] => [
    findingAt(one.source, one.path, { id, message, rule: ruleText(one) }),
  ]
  if (isMcp(parsed.tool)) {
    return namesAnyServer(parsed.tool)
      ? report(
          'mcp-wildcard',
          'names no particular server: every server of such a name, known or not, is allowed; write one allow for each server',
        )
      : []
  }
  const names = requireToolMatcher(parsed.tool)
  if (hasWildcard(parsed.tool) && names('mcp__any__tool')) {
    return report('broad-allow', 'covers every tool, those of connected servers included')
  }
  if (!names('bash')) return []
  if (parsed.pattern === null) {
    return report('broad-allow', 'covers every command, interpreters included')
  }
  if (text === null || parsed.kind !== 'command') return []
  return commandFindings(one.match, report)
}

function commandFindings(
  match: CompiledMatch,
  report: (id: Finding['id'], message: string) => readonly Finding[],
): readonly Finding[] {
  const covered = coveredPrograms(match)
  if (covered.length > PROGRAMS.length / 2) {
    return report('broad-allow', 'covers every command, interpreters included')
  }
  if (covered.length > 0) {
    const some = covered.slice(0, 3).map((name) => `\`${name}\``)
    const more = covered.length > some.length ? ` and ${covered.length - some.length} more` : ''
    return report('runs-programs', `covers ${some.join(', ')}${more}, with any program as argument`)
  }
  const words = fixedWords(match)
  const [program = ''] = words.split(' ')
  if (!runsPrograms(program) && !runsSubcommand(words)) return []
  return isFixed(match)
    ? report(
        'runs-script',
        `\`${program}\` runs what its arguments say; these words are fixed, the script that they name is not`,
      )
    : report(
        'runs-programs',
        `\`${program}\` runs what its arguments say, and some of them are open`,
      )
}

const PROGRAMS: readonly string[] = [
  ...SHELL_PROGRAMS,
  ...INTERPRETER_PROGRAMS,
  ...WRAPPER_PROGRAMS,
  ...RUNNING_SUBCOMMANDS,
]

/** Programs that the pattern covers with an argument that it does not name. */
function coveredPrograms({ text }: CompiledMatch): readonly string[] {
  if (text === null) return []
  return PROGRAMS.filter((name) => matchesText(text, `${name} \u{f8ff}`))
}

/** What stands before the first wildcard: whole words only. */
function fixedWords({ text, parsed }: CompiledMatch): string {
  const [first] = text?.[0] ?? []
  if (first?.kind !== 'literal') return ''
  if (text?.[0]?.length === 1) return first.text
  const end = first.text.lastIndexOf(' ')
  return parsed.pattern === null || end === -1 ? '' : first.text.slice(0, end)
}

function isFixed({ text }: CompiledMatch): boolean {
  return text?.length === 1 && (text[0] ?? []).every(({ kind }) => kind === 'literal')
}

/** `mcp__*`, `mcp__git*__push`: the server's own part has a wildcard. */
function namesAnyServer(tool: string): boolean {
  const rest = tool.slice('mcp__'.length)
  const boundary = rest.indexOf('__')
  return hasWildcard(boundary === -1 ? rest : rest.slice(0, boundary))
}
