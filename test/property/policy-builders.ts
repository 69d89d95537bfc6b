/** Builders of subjects, rules and questions for the tests of policies. */

import type { Roots } from '../../src/core/facts.js'
import type { RefusalCode } from '../../src/core/need.js'
import type {
  CommandSubject,
  HostSubject,
  PathSubject,
  TextSubject,
} from '../../src/core/subject.js'
import type { PolicyInput } from '../../src/contract/policy.js'
import { bindPolicy } from '../../src/policy/bind.js'
import { definePolicy } from '../../src/policy/define.js'
import type { BoundPolicy } from '../../src/policy/effective-policy.js'
import { reviseAxes } from '../../src/policy/revision.js'
import { lexicalForms } from '../../src/policy/rules/path-forms.js'
import type { Question } from '../../src/policy/rules/question.js'
import { unite } from '../../src/policy/unite.js'

export const ROOTS: Roots = {
  workspace: '/ws',
  home: '/home/u',
  temporary: ['/tmp'],
  platform: 'linux',
}

export interface PathGiven {
  readonly access?: 'read' | 'write'
  readonly roots?: Roots
  readonly cwd?: string
  readonly real?: readonly string[]
  readonly resolved?: boolean
}

/** A path as a call wrote it; its real forms are the lexical ones unless given. */
export function aPath(given: string, options: PathGiven = {}): PathSubject {
  const { access = 'read', roots = ROOTS, cwd = roots.workspace, real, resolved = true } = options
  const { folded } = lexicalForms(given, { ...roots, cwd })
  return {
    kind: 'path',
    access,
    given,
    forms: [...folded, ...(real ?? [])],
    real: real?.[0] ?? folded[0] ?? null,
    resolved,
  }
}

/** A plain simple command; with refusals it is text that was not taken apart. */
export function aCommand(command: string, ...refusals: RefusalCode[]): CommandSubject {
  const argv = command.trim().split(/ +/)
  const commands = refusals.length === 0 ? [{ argv }] : []
  return {
    kind: 'command',
    command,
    shell: 'bash',
    analysis: { commands, refusals: refusals.map((code) => ({ code, at: 0 })) },
  }
}

/** A command whose words are known. */
export function theWords(...argv: string[]): CommandSubject {
  return {
    kind: 'command',
    command: argv.join(' '),
    shell: 'bash',
    analysis: { commands: [{ argv }], refusals: [] },
  }
}

export function aHost(host: string | null, path: string | null = '/'): HostSubject {
  return { kind: 'host', host, port: null, path }
}

export function aText(text: string): TextSubject {
  return { kind: 'text', text }
}

/** A call of a tool with the subjects that it states. */
export function aQuestion(
  tool: string,
  subjects: Question['subjects'] = [],
  rest: Partial<Question> = {},
): Question {
  const runsIn = tool === 'bash' ? 'sandbox' : 'process'
  return { tool, runsIn, subjects, roots: ROOTS, ...rest }
}

/** A policy bound to the roots, as a session would be under it. */
export function bound(
  input: PolicyInput,
  roots: Roots = ROOTS,
  realFolders: ReadonlyMap<string, string> = new Map(),
): BoundPolicy {
  const axes = unite([definePolicy(input)])
  return bindPolicy(axes, reviseAxes(axes, 1), roots, realFolders)
}
