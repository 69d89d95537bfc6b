/** What the reference model found, each as its smallest case (pipeline.md §3, §4; delegation.md §2). */

import { describe, expect, it } from 'vitest'
import type { PolicyInput } from '../../src/contract/policy.js'
import type { Facts } from '../../src/core/facts.js'
import type { Need } from '../../src/core/need.js'
import type { Visit } from '../../src/core/verdict.js'
import { fold } from '../../src/pipeline/fold.js'
import { aQuestion } from '../builders/question.js'

const UNAVAILABLE: Facts['sandbox'] = { status: 'unavailable', cause: 'a test says so' }
const COMMAND: Need = { kind: 'capability', name: 'process.exec' }

describe('a command that writes what needs a confirmation', () => {
  it.each(['/ws/AGENTS.md', '/ws/lib/CLAUDE.md'])('is asked for %s, as a tool would be', (path) => {
    const { visits, escalations } = foldCommand([COMMAND, written(path)], {
      toolApproval: 'accept_all',
    })

    expect(escalations).toEqual(['protected_metadata'])
    expect(at('tool_approval', visits)).toEqual(['ask', 'builtin:escalation.protected_metadata'])
  })

  it('is asked nothing in vain where layer 6 denies the protected path', () => {
    const verdict = foldCommand([COMMAND, written('/ws/.git/config')], {
      toolApproval: 'accept_all',
    })

    expect(at('approval_response', verdict.visits)).toBeUndefined()
    expect(verdict.visits.at(-1)).toMatchObject({
      matchedRule: 'builtin:protected_path',
      moot: true,
    })
  })
})

describe('a command that asks for a network grant and would run unconfined', () => {
  const needs: readonly Need[] = [
    COMMAND,
    { kind: 'escalation', name: 'network_grant', detail: 'other.org' },
  ]

  it.each([
    ['a fallback', needs],
    ['host execution', [...needs, { kind: 'escalation', name: 'host_execution', detail: 'why' }]],
  ] as const)('is denied a refused host by %s too', (_, asked) => {
    const policy: PolicyInput = {
      network: { mode: 'on', deny: ['other.org'] },
      sandbox: { onUnavailable: 'ask_host' },
    }

    const { visits } = foldCommand(asked, policy, { sandbox: UNAVAILABLE })

    expect(at('network', visits)).toEqual(['deny', 'builtin:network_host'])
  })
})

function foldCommand(needs: readonly Need[], policy: PolicyInput, facts: Partial<Facts> = {}) {
  const call = { tool: 'runner', runsIn: 'sandbox', needs } as const
  return fold(aQuestion({ policy: { workMode: 'full', ...policy }, call, facts }))
}

function written(path: string): Need {
  return { kind: 'path', access: 'write', path }
}

function at(layer: Visit['layer'], visits: readonly Visit[]) {
  const visit = visits.find((one) => one.layer === layer)
  return visit && [visit.decision, visit.matchedRule]
}
