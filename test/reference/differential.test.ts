/** The implementation against the reference model: the same status, the same visits (pipeline.md §4, delegation.md §2). */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Delegation } from '../../src/contract/delegation.js'
import type { PolicyInput } from '../../src/contract/policy.js'
import type { ToolCall } from '../../src/core/call.js'
import type { Capability } from '../../src/core/capability.js'
import { DelegationError } from '../../src/core/errors.js'
import type { Facts } from '../../src/core/facts.js'
import type { Need } from '../../src/core/need.js'
import type { Verdict } from '../../src/core/verdict.js'
import { derive } from '../../src/delegation/derive.js'
import { checkNeeds } from '../../src/enforce/call/needs.js'
import { fold } from '../../src/pipeline/fold.js'
import { bindPolicy } from '../../src/policy/bind.js'
import { definePolicy } from '../../src/policy/define.js'
import type { EffectivePolicy, PolicyAxes } from '../../src/policy/effective-policy.js'
import { reviseAxes } from '../../src/policy/revision.js'
import { unite } from '../../src/policy/unite.js'
import { cases } from '../builders/cases.js'
import { aCall, aReport, ROOTS, someFacts, subjectsOf } from '../builders/question.js'
import type * as reference from './inputs.js'
import { child, root } from './lineage.js'
import { judge } from './model.js'
import * as pools from './pools.js'

const FIGURE = cases(1_000_000)
/** So many calls share one lineage: binding a policy costs more than judging a call. */
const CALLS_A_LINEAGE = 80
const CALLS = 20_000
const FACTS = 500

describe('the reference model', () => {
  it('agrees with the fold and with derivation on every random case', { timeout: 600_000 }, () => {
    const { numRuns, seed } = FIGURE
    const sample = <T>(from: fc.Arbitrary<T>, count: number): readonly T[] =>
      fc.sample(from, { numRuns: count, seed })
    const sessions = sample(pools.lineage, Math.ceil(numRuns / CALLS_A_LINEAGE)).flatMap(sessionsOf)
    const calls = sample(pools.call, CALLS).map((call) => ({ call, real: realCall(call) }))
    const facts = sample(pools.facts, FACTS)
    const endings = { admitted: 0, denied: 0, suspended: 0 }

    fc.assert(
      fc.property(fc.nat(), fc.nat(CALLS - 1), fc.nat(FACTS - 1), (at, callAt, factsAt) => {
        const session = sessions[at % sessions.length] as Session
        const { call, real } = calls[callAt] as (typeof calls)[number]
        const given = facts[factsAt] as (typeof facts)[number]
        const said = judge(call, session.model, given)
        const done = implementation(real, session.policy, given)
        endings[said.status] += 1
        if (JSON.stringify(done) === JSON.stringify(said)) return
        // Only a disagreement pays for a readable message.
        expect(done, JSON.stringify({ ...session.lineage, call, facts: given })).toEqual(said)
      }),
      { ...FIGURE, endOnFailure: true },
    )
    expect(Math.min(...Object.values(endings))).toBeGreaterThan(numRuns / 100)
  })
})

interface Session {
  readonly lineage: pools.Lineage
  readonly model: reference.Policy
  readonly policy: EffectivePolicy
}

/** Every session of a lineage, up to the first child that both sides refuse. */
function sessionsOf(lineage: pools.Lineage): readonly Session[] {
  let axes = unite([definePolicy(lineage.document as PolicyInput)])
  let model = root(lineage.document)
  const sessions: Session[] = [{ lineage, model, policy: effective(axes, false) }]
  for (const constraint of lineage.constraints) {
    const said = child(model, constraint)
    const done = derived(axes, constraint as Delegation, model.depth)
    const text = JSON.stringify({ ...lineage, constraint })
    expect(done === 'refused', text).toBe(said === 'refused')
    if (said === 'refused' || done === 'refused') break
    axes = done
    model = said
    sessions.push({ lineage, model, policy: effective(axes, true) })
  }
  return sessions
}

/** The mechanism of `session.spawn` without its records: room first, then derivation. */
function derived(axes: PolicyAxes, delegation: Delegation, depth: number): PolicyAxes | 'refused' {
  if (depth < 1 || !axes.capabilities.includes('agent.spawn')) return 'refused'
  try {
    return derive(axes, delegation, 'spawn').axes
  } catch (error) {
    if (error instanceof DelegationError && error.code === 'escalation') return 'refused'
    throw error
  }
}

function effective(axes: PolicyAxes, isDelegated: boolean): EffectivePolicy {
  const bound = bindPolicy(axes, reviseAxes(axes, 1), ROOTS, new Map())
  return { ...bound, writable: axes.sandbox.writable, readable: axes.sandbox.readable, isDelegated }
}

interface RealCall {
  readonly call: ToolCall
  readonly subjects: Facts['subjects']
}

function realCall(given: reference.Call): RealCall {
  const { tool, runsIn, unsafe } = given
  const needs = [
    ...given.reads.map((path) => ({ kind: 'path', access: 'read', path })),
    ...given.writes.map((path) => ({ kind: 'path', access: 'write', path })),
    ...given.hosts.map((host) => ({ kind: 'host', host: host === '?' ? null : host })),
    ...given.capabilities.map((name) => ({ kind: 'capability', name: name as Capability })),
    ...given.escalations.map((escalation) => ({ kind: 'escalation', ...escalation })),
  ] as readonly Need[]
  const checked = checkNeeds(needs, runsIn)
  const annotations = unsafe ? { readOnlyHint: false } : null
  const defect = checked.ok ? null : checked.defect
  return { call: aCall({ tool, runsIn, needs, annotations, defect }), subjects: subjectsOf(needs) }
}

/** Asked first, then answered for all that was asked, as a host would. */
function implementation(
  { call, subjects }: RealCall,
  policy: EffectivePolicy,
  { sandbox, responder, answer }: reference.Facts,
): reference.Verdict {
  const facts = someFacts({
    subjects,
    sandbox: SANDBOXES[sandbox],
    responder: RESPONDERS[responder],
  })
  const first = fold({ call, policy, facts })
  if (first.status !== 'suspended' || answer === null) return plain(first)
  const by = responder === 'script' ? 'script' : 'human'
  const said =
    answer === 'yes'
      ? ({ verdict: 'approved', covers: first.asks, by } as const)
      : ({ verdict: 'refused', end: 'rejected' } as const)
  return plain(fold({ call, policy, facts: { ...facts, answer: said } }))
}

function plain({ status, visits }: Verdict): reference.Verdict {
  return {
    status,
    visits: visits.map(({ layer, decision, matchedRule }) => [layer, decision, matchedRule]),
  }
}

const SANDBOXES: { readonly [S in reference.Facts['sandbox']]: Facts['sandbox'] } = {
  ready: { status: 'ready', driver: 'bubblewrap', report: aReport() },
  unavailable: { status: 'unavailable', cause: 'a test says so', remedy: null },
  refused: { status: 'refused', cause: 'a test says so' },
}

const RESPONDERS: { readonly [R in reference.Facts['responder']]: Facts['responder'] } = {
  absent: { status: 'absent' },
  human: { status: 'present', kind: 'human' },
  script: { status: 'present', kind: 'script' },
  suspend: { status: 'suspend' },
}
