/** What a policy decides of a bash call, folded as `check` would, with the floor that guards add. */

import type { PolicyInput } from '../../src/contract/policy.js'
import type { Facts, Roots } from '../../src/core/facts.js'
import type { Shell } from '../../src/core/need.js'
import type { Verdict } from '../../src/core/verdict.js'
import { capabilitiesOf } from '../../src/enforce/call/needs.js'
import { fold } from '../../src/pipeline/fold.js'
import { bindPolicy } from '../../src/policy/bind.js'
import { definePolicy } from '../../src/policy/define.js'
import { reviseAxes } from '../../src/policy/revision.js'
import { floorOf } from '../../src/policy/rules/commands/floor.js'
import { unite } from '../../src/policy/unite.js'
import { runs } from '../../src/tools/runs.js'
import { aCall, ROOTS, someFacts, subjectsOf } from './question.js'

/** The axes with which a case's policy is completed. */
const COMPLETION: PolicyInput = {
  workMode: 'full',
  network: 'on',
  toolApproval: 'whitelist_accept',
  approvalResponse: 'prompt',
  sandbox: { mode: 'workspace_write' },
}

export interface ShellCase {
  readonly command: string
  readonly shell?: Shell | undefined
  readonly roots?: Roots | undefined
  readonly facts?: Partial<Facts> | undefined
}

export function decideShell(
  input: PolicyInput,
  { command, shell, roots = ROOTS, facts = {} }: ShellCase,
): Verdict {
  const axes = unite([definePolicy({ ...COMPLETION, ...input })])
  const bound = bindPolicy(axes, reviseAxes(axes, 1), roots, new Map())
  const needs = runs(command, { shell })
  const subjects = subjectsOf(needs, roots)
  const ruin = floorOf(subjects, roots)
  const guards =
    ruin === null ? [] : [{ decision: 'deny', matchedRule: `builtin:floor.${ruin}` } as const]
  const capabilities = capabilitiesOf(needs, ['process.exec'])
  return fold({
    call: aCall({ tool: 'bash', runsIn: 'sandbox', needs, capabilities, cwd: roots.workspace }),
    policy: {
      ...bound,
      writable: axes.sandbox.writable,
      isDelegated: false,
      readable: axes.sandbox.readable,
    },
    facts: someFacts({ subjects, roots, guards, ...facts }),
  })
}

/** `allow`, `ask` or `deny`. */
export function decisionOf(rules: readonly string[], command: string): 'allow' | 'ask' | 'deny' {
  return DECISIONS[decideShell({ rules }, { command }).status]
}

export const DECISIONS = { admitted: 'allow', suspended: 'ask', denied: 'deny' } as const
