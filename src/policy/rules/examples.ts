/** Examples of a rule, checked when its policy loads (rules.md §1): subjects as a call would have them. */

import type { Roots } from '../../core/facts.js'
import type { Subject } from '../../core/subject.js'
import type { Rule } from '../effective-policy.js'
import { canonicalHost } from '../../core/names/host.js'
import { bindMatch, compileMatch } from './match.js'
import { parseMatch, type ParsedMatch } from './grammar.js'
import { lexicalForms } from './path-forms.js'
import { provesSubject, suspectsSubject } from './applies.js'

export interface Examples {
  readonly match?: readonly string[] | undefined
  readonly not_match?: readonly string[] | undefined
}

/** The first example that fails, or `null`. Paths are read in a workspace `/workspace` of `/home/user`. */
export function checkExamples(
  rule: Rule,
  examples: Examples,
): { readonly list: keyof Examples; readonly at: number; readonly text: string } | null {
  for (const list of ['match', 'not_match'] as const) {
    for (const [at, text] of (examples[list] ?? []).entries()) {
      if (meets(rule, text) !== (list === 'match')) return { list, at, text }
    }
  }
  return null
}

const ROOTS: Roots = {
  workspace: '/workspace',
  home: '/home/user',
  temporary: ['/tmp'],
  platform: 'linux',
}

function meets(rule: Rule, text: string): boolean {
  const match = bindMatch(compileMatch(rule.match), ROOTS)
  const except = rule.except.map((entry) => bindMatch(compileMatch(entry), ROOTS))
  const bound = { ...rule, match, except }
  const parsed = parseMatch(rule.match)
  const meetsOne = rule.effect === 'allow' ? provesSubject : suspectsSubject
  return meetsOne(bound, namedTool(parsed.tool), subjectOf(parsed, text))
}

/** A name that the rule names, for rules whose own name has wildcards. */
function namedTool(tool: string): string {
  return tool.replace(/[*?]/g, 'x')
}

function subjectOf({ tool, kind }: ParsedMatch, text: string): Subject {
  switch (kind) {
    case 'path': {
      const forms = lexicalForms(text, { ...ROOTS, cwd: ROOTS.workspace }).folded
      const access = tool === 'read' || tool === 'ls' ? 'read' : 'write'
      return { kind: 'path', access, given: text, forms, real: null, resolved: true }
    }
    case 'command':
      return commandOf(text)
    case 'host':
      return hostOf(text)
    case 'text':
    case 'any':
      return { kind: 'text', text }
  }
}

/**
 * Commands as an author writes them: quotes hold a word together, operators part commands. Text with
 * substitutions or redirections does more than its words say, so it is an example for deny and ask alone.
 */
function commandOf(command: string): Subject {
  const commands: string[][] = [[]]
  for (const [piece] of command.matchAll(PIECES)) {
    if (/^[;&|\n]/.test(piece)) commands.push([])
    else commands.at(-1)?.push(piece.replace(/(['"])(.*?)\1/gs, '$2'))
  }
  const doesMore = /`|\$\(|[<>]/.test(command.replace(/'[^']*'/g, ''))
  const analysis = {
    commands: commands.filter((words) => words.length > 0).map((argv) => ({ argv })),
    refusals: doesMore ? [{ code: 'unanalysed' as const, at: 0 }] : [],
  }
  return { kind: 'command', command, shell: 'bash', analysis }
}

const PIECES = /[;&|\n]+|(?:'[^']*'|"[^"]*"|[^\s'";&|])+/g

function hostOf(text: string): Subject {
  const url = URL.canParse(text) ? text : `https://${text}`
  if (!URL.canParse(url)) return { kind: 'host', host: null, port: null, path: null }
  const { hostname, pathname } = new URL(url)
  return { kind: 'host', host: canonicalHost(hostname), port: null, path: pathname }
}
