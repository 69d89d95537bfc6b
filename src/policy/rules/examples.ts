/** Examples of a rule, checked when its policy loads (rules.md §1): subjects as a call would have them. */

import type { Roots } from '../../core/facts.js'
import type { Subject } from '../../core/subject.js'
import type { Rule } from '../effective-policy.js'
import { canonicalHost } from './hosts.js'
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

/** Words as an author writes them: quotes hold a word together, nothing else is special. */
function commandOf(command: string): Subject {
  const argv = (command.match(/'[^']*'|"[^"]*"|[^\s'"]+/g) ?? []).map((word) =>
    word.replace(/^(['"])(.*)\1$/s, '$2'),
  )
  const commands = argv.length === 0 ? [] : [{ argv }]
  return { kind: 'command', command, shell: 'bash', analysis: { commands, refusals: [] } }
}

function hostOf(text: string): Subject {
  const url = URL.canParse(text) ? text : `https://${text}`
  if (!URL.canParse(url)) return { kind: 'host', host: null, port: null, path: null }
  const { hostname, pathname } = new URL(url)
  return { kind: 'host', host: canonicalHost(hostname), port: null, path: pathname }
}
