/** What the reference model found, each as its smallest case (pipeline.md §3, §4; delegation.md §2). */

import { describe, expect, it } from 'vitest'
import type { Delegation } from '../../src/contract/delegation.js'
import type { PolicyInput } from '../../src/contract/policy.js'
import type { Facts } from '../../src/core/facts.js'
import type { Need } from '../../src/core/need.js'
import type { Verdict, Visit } from '../../src/core/verdict.js'
import { derive } from '../../src/delegation/derive.js'
import { fold } from '../../src/pipeline/fold.js'
import { bindPolicy } from '../../src/policy/bind.js'
import type { EffectivePolicy } from '../../src/policy/effective-policy.js'
import { reviseAxes } from '../../src/policy/revision.js'
import { aCall, aPolicy, aQuestion, ROOTS, someFacts, subjectsOf } from '../builders/question.js'

const UNAVAILABLE: Facts['sandbox'] = {
  status: 'unavailable',
  cause: 'a test says so',
  remedy: null,
}
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

describe('layer 4 under a ceiling', () => {
  const ceiling = { approvalCeiling: 'parent' } as const
  const read: Need = { kind: 'path', access: 'read', path: '/ws/a' }

  it('is looked at again for an ancestor’s allow when the parent’s delegation chose so', () => {
    const parent = { toolApproval: 'deny_unlisted' } as const

    const verdict = foldRead(sessionOf({ rules: ['allow read'] }, parent, ceiling), read)

    expect(at('tool_approval', verdict.visits)).toEqual(['deny', 'default:deny_unlisted'])
  })

  it('names the outermost ancestor where two are equally strict', () => {
    const { visits } = foldRead(sessionOf({ toolApproval: 'always_ask' }, ceiling), read)

    expect(at('tool_approval', visits)).toEqual(['ask', 'default:always_ask'])
  })

  it('is not reached by a child’s call that a rule asks for, unless it would deny', () => {
    const policy = sessionOf({ rules: ['ask read'] }, { toolApproval: 'always_ask' })

    expect(at('tool_approval', foldRead(policy, read).visits)).toBeUndefined()
  })
})

describe('the whitelist', () => {
  it('names the first entry of the list, bare or not', () => {
    const question = aQuestion({
      policy: { toolApproval: { policy: 'whitelist_accept', whitelist: ['read', 'read(/ws/**)'] } },
      call: { needs: [{ kind: 'path', access: 'read', path: '/ws/a' }] },
    })

    expect(at('tool_approval', fold(question).visits)).toEqual(['allow', 'read'])
  })

  it('lists a command by its bare name although the sandbox is missing', () => {
    const policy: PolicyInput = {
      network: 'on',
      toolApproval: { policy: 'deny_unlisted', whitelist: ['runner'] },
      sandbox: { onUnavailable: 'ask_host' },
    }

    const verdict = foldCommand([COMMAND], policy, { sandbox: UNAVAILABLE })

    expect(verdict.status).toBe('suspended')
  })
})

describe('an ask rule for a credential', () => {
  const secret: Need = { kind: 'path', access: 'read', path: '/ws/.env' }

  it.each([
    ['@workspace', ['deny', 'builtin:credential']],
    ['/ws/**', ['deny', 'builtin:credential']],
    ['@credentials', ['ask', 'ask read(@credentials)']],
    ['/ws/.env', ['ask', 'ask read(/ws/.env)']],
  ])(
    'counts in place of the denial only if it names the class or the path: %s',
    (pattern, expected) => {
      const policy: PolicyInput = { rules: [`ask read(${pattern})`] }

      const { visits } = fold(aQuestion({ policy, call: { needs: [secret] } }))

      expect(at('user_rule', visits)).toEqual(expected)
    },
  )
})

function foldRead(policy: EffectivePolicy, need: Need): Verdict {
  const call = aCall({ needs: [need] })
  return fold({ call, policy, facts: someFacts({ subjects: subjectsOf(call.needs) }) })
}

function sessionOf(input: PolicyInput, ...delegations: readonly Delegation[]): EffectivePolicy {
  const { axes, ...root } = aPolicy(input)
  const own = delegations.reduce((above, one) => derive(above, one, 'spawn').axes, axes)
  const bound = bindPolicy(own, reviseAxes(own, 1), ROOTS, new Map())
  return { ...root, ...bound, isDelegated: true }
}

function foldCommand(
  needs: readonly Need[],
  policy: PolicyInput,
  facts: Partial<Facts> = {},
): Verdict {
  const call = { tool: 'runner', runsIn: 'sandbox', needs } as const
  return fold(aQuestion({ policy: { workMode: 'full', ...policy }, call, facts }))
}

function written(path: string): Need {
  return { kind: 'path', access: 'write', path }
}

function at(layer: Visit['layer'], visits: readonly Visit[]): readonly unknown[] | undefined {
  const visit = visits.find((one) => one.layer === layer)
  return visit && [visit.decision, visit.matchedRule]
}
