/** Builders of what the fold reads: real policies, bound to a pretended workspace. */

import type { PolicyInput } from '../../src/contract/policy.js'
import type { ToolCall } from '../../src/core/call.js'
import type { Facts, Roots } from '../../src/core/facts.js'
import { GUARANTEES, type GuaranteeReport } from '../../src/core/guarantee.js'
import type { CallId, SessionId } from '../../src/core/ids.js'
import type { Need } from '../../src/core/need.js'
import type { Subject } from '../../src/core/subject.js'
import { capabilitiesOf } from '../../src/enforce/call/needs.js'
import type { Question } from '../../src/pipeline/layer.js'
import { bindPolicy } from '../../src/policy/bind.js'
import { definePolicy } from '../../src/policy/define.js'
import type { EffectivePolicy } from '../../src/policy/effective-policy.js'
import { reviseAxes } from '../../src/policy/revision.js'
import { lexicalForms } from '../../src/policy/rules/path-forms.js'
import { unite } from '../../src/policy/unite.js'
import { analyse } from '../../src/shell/analyse.js'

export const ROOTS: Roots = {
  workspace: '/ws',
  home: '/home/u',
  temporary: ['/tmp'],
  platform: 'linux',
}

/** A policy as it would be in force in `/ws`. */
export function aPolicy(input: PolicyInput = {}, count = 1): EffectivePolicy {
  const axes = unite([definePolicy(input)])
  const bound = bindPolicy(axes, reviseAxes(axes, count), ROOTS, new Map())
  return {
    ...bound,
    writable: axes.sandbox.writable,
    readable: axes.sandbox.readable,
    isDelegated: false,
  }
}

/** A report that keeps everything but the named guarantees. */
export function aReport(...missing: readonly string[]): GuaranteeReport {
  const rows = GUARANTEES.map((name) => [
    name,
    missing.includes(name)
      ? { status: 'unenforceable', cause: 'a test says so', remedy: 'none' }
      : { status: 'enforced' },
  ])
  return Object.fromEntries(rows) as GuaranteeReport
}

export function aCall(fields: Partial<ToolCall> = {}): ToolCall {
  const needs = fields.needs ?? []
  return {
    callId: 'c1' as CallId,
    sessionId: 's1' as SessionId,
    origin: 'agent',
    tool: 'read',
    runsIn: 'process',
    annotations: null,
    cwd: '/ws',
    needs,
    capabilities: capabilitiesOf(needs, []),
    defect: null,
    ...fields,
  }
}

export function someFacts(fields: Partial<Facts> = {}): Facts {
  return {
    now: 0,
    roots: ROOTS,
    subjects: [],
    guards: [],
    sandbox: { status: 'ready', driver: 'bubblewrap', report: aReport() },
    responder: { status: 'present', kind: 'human' },
    answer: null,
    grants: [],
    ...fields,
  }
}

/** The subjects of needs where no link leads anywhere. */
export function subjectsOf(needs: readonly Need[], roots: Roots = ROOTS): readonly Subject[] {
  const place = { ...roots, cwd: roots.workspace }
  return needs.flatMap((need): readonly Subject[] => {
    switch (need.kind) {
      case 'path': {
        const { access, path: given, derived } = need
        const { folded } = lexicalForms(given, place)
        const resolved = derived?.adrift !== true
        const real = resolved ? (folded[0] ?? null) : null
        return [{ kind: 'path', access, given, forms: folded, real, resolved, derived }]
      }
      case 'command': {
        const { command, shell = 'bash' } = need
        return [{ kind: 'command', command, shell, analysis: need.analysis ?? analyse(command) }]
      }
      case 'host':
        return [
          {
            kind: 'host',
            host: need.host,
            port: need.port ?? null,
            path: need.path ?? null,
            derived: need.derived,
          },
        ]
      case 'text':
        return [{ kind: 'text', text: need.text }]
      case 'capability':
      case 'escalation':
        return []
    }
  })
}

export interface QuestionParts {
  readonly policy?: PolicyInput
  readonly call?: Partial<ToolCall>
  readonly facts?: Partial<Facts>
}

/** A question whose facts fit its call. */
export function aQuestion({ policy, call = {}, facts = {} }: QuestionParts = {}): Question {
  const asked = aCall(call)
  return {
    call: asked,
    policy: aPolicy(policy),
    facts: someFacts({ subjects: subjectsOf(asked.needs), ...facts }),
  }
}
