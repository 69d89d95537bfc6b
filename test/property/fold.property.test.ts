import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { PolicyInput } from '../../src/contract/policy.js'
import type { AnswerFacts, Facts } from '../../src/core/facts.js'
import { LAYER_NAMES, type LayerName } from '../../src/core/layer-name.js'
import type { Need } from '../../src/core/need.js'
import { ANSWER_ENDS, isTabled, isTabledReason } from '../../src/core/reasons.js'
import { fold } from '../../src/pipeline/fold.js'
import type { Question } from '../../src/pipeline/layer.js'
import { aCall, aPolicy, aReport, someFacts, subjectsOf } from '../builders/question.js'
import { cases } from '../builders/cases.js'

const GATES: readonly LayerName[] = ['work_mode', 'network', 'sandbox']

describe('the fold', () => {
  it('resumes exactly where it suspended, through a JSON round trip', () => {
    let suspensions = 0
    check(({ question }) => {
      const first = fold({ ...question, facts: { ...question.facts, answer: null } })
      if (first.status !== 'suspended') return
      suspensions += 1
      const stored = roundTrip({ call: question.call, facts: question.facts, asks: first.asks })
      const answer: AnswerFacts = { verdict: 'approved', covers: stored.asks, by: 'human' }

      const resumed = fold({
        policy: question.policy,
        call: stored.call,
        facts: { ...stored.facts, answer },
      })
      const straight = fold({ ...question, facts: { ...question.facts, answer } })

      expect(resumed.visits.slice(0, first.visits.length)).toEqual(first.visits)
      expect(resumed.visits.length).toBeGreaterThan(first.visits.length)
      expect(resumed).toEqual(straight)
    })
    expect(suspensions).toBeGreaterThan(100)
  })

  it('ends a denied chain in its only deny, and never denies an admitted one', () => {
    check(({ question }) => {
      const verdict = fold(question)
      const denials = verdict.visits.filter((visit) => visit.decision === 'deny')

      expect(denials.length).toBe(verdict.status === 'denied' ? 1 : 0)
      if (verdict.status === 'denied') expect(verdict.visits.at(-1)).toBe(verdict.by)
    })
  })

  it('[S0-01] visits layers in their one order and leaves out no gate on the way', () => {
    check(({ question }) => {
      const { status, visits } = fold(question)
      const layers = visits.map((visit) => visit.layer).filter((layer) => layer !== 'guard')
      const ranks = layers.map((layer) => LAYER_NAMES.indexOf(layer))
      const last = Math.max(-1, ...ranks)
      const due = GATES.filter((gate) => status === 'admitted' || LAYER_NAMES.indexOf(gate) < last)

      expect(ranks).toEqual([...ranks].sort((a, b) => a - b))
      expect(new Set(ranks).size).toBe(ranks.length)
      for (const gate of due) expect(layers).toContain(gate)
    })
  })

  it('asks nobody in vain: what suspends would pass every later gate', () => {
    check(({ question }) => {
      const first = fold({ ...question, facts: { ...question.facts, answer: null } })
      if (first.status !== 'suspended') return
      const answer: AnswerFacts = { verdict: 'approved', covers: first.asks, by: 'human' }

      const answered = fold({ ...question, facts: { ...question.facts, answer } })

      expect(answered.status).toBe('admitted')
    })
  })

  it('[S0-17] never admits a call that asked without a yes that covers every question', () => {
    check(({ question }) => {
      const verdict = fold(question)
      if (verdict.status !== 'admitted' || verdict.asks.length === 0) return
      const { answer } = question.facts

      expect(answer?.verdict).toBe('approved')
      expect(answer?.verdict === 'approved' && answer.covers).toEqual(
        expect.arrayContaining([...verdict.asks]),
      )
    })
  })

  it('[S0-08] names every decision with an id and a reason of the table', () => {
    check(({ question }) => {
      for (const { layer, decision, matchedRule, reason } of fold(question).visits) {
        expect(isTabled(layer, decision, matchedRule)).toBe(true)
        expect(isTabledReason(layer, decision, reason)).toBe(true)
      }
    })
  })
})

function check(property: (sample: { readonly question: Question }) => void): void {
  fc.assert(fc.property(fc.record({ question: questions() }), property), cases(100_000))
}

const RULES = [
  'deny read(/ws/secret/**)',
  'ask read(/ws/src/**)',
  'allow read(/ws/**)',
  'allow read(@workspace)',
  'deny write(/ws/locked/**)',
  'allow write(@workspace)',
  'ask write(**)',
  'allow bash(npm test:*)',
  'deny bash(git push:*)',
  'ask bash(git:*)',
  'allow web_fetch(example.com)',
  'deny web_fetch(*.evil.test)',
  'allow read',
  'deny bash',
] as const

/** Policies are bound once: binding compiles patterns and would take most of the time. */
const POLICIES = fc
  .sample(policies(), { numRuns: 400, seed: 20_261 })
  .map((input) => aPolicy(input))

function policies(): fc.Arbitrary<PolicyInput> {
  const approval = fc.constantFrom(
    'whitelist_accept',
    'always_ask',
    'accept_all',
    'deny_unlisted',
  ) as fc.Arbitrary<'accept_all'>
  return fc.record<PolicyInput>({
    workMode: fc.constantFrom('plan', 'ro', 'rw', 'full'),
    tools: fc.constantFrom<NonNullable<PolicyInput['tools']>>(
      'all',
      'none',
      { exclude: ['bash'] },
      { only: ['read', 'write'] },
    ),
    network: fc.constantFrom<NonNullable<PolicyInput['network']>>(
      'off',
      'grant',
      'on',
      { mode: 'on', allow: ['example.com'] },
      { mode: 'grant', deny: ['*.evil.test'] },
    ),
    rules: fc.subarray([...RULES]),
    toolApproval: fc.record({
      policy: approval,
      whitelist: fc.subarray(['read', 'write(/ws/src/**)', 'bash(npm test:*)', 'bash']),
    }),
    approvalResponse: fc.constantFrom('prompt', 'never', 'parent'),
    sandbox: fc.record({
      mode: fc.constantFrom('read_only', 'workspace_write', 'open'),
      onUnavailable: fc.constantFrom('deny', 'ask_host'),
    }),
  })
}

function questions(): fc.Arbitrary<Question> {
  return fc
    .record({
      policy: fc.constantFrom(...POLICIES),
      tool: fc.constantFrom('read', 'write', 'bash', 'web_fetch', 'custom'),
      needs: fc.array(needs(), { maxLength: 4 }),
      unsafe: fc.boolean(),
      sandbox: sandboxes(),
      responder: responders(),
      answer: answers(),
      guard: fc.option(fc.constantFrom('ask', 'deny'), { freq: 9, nil: null }),
    })
    .map(({ policy, tool, needs: needed, unsafe, sandbox, responder, answer, guard }) => ({
      policy,
      call: aCall({
        tool,
        needs: needed,
        runsIn: tool === 'bash' ? 'sandbox' : 'process',
        annotations: unsafe ? { destructiveHint: true } : null,
      }),
      facts: someFacts({
        subjects: subjectsOf(needed),
        sandbox,
        responder,
        answer,
        guards: guard === null ? [] : [guardAnswer(guard)],
      }),
    }))
}

function guardAnswer(decision: 'ask' | 'deny'): Facts['guards'][number] {
  return { decision, matchedRule: decision === 'ask' ? 'guard:hook' : 'builtin:control_plane' }
}

function needs(): fc.Arbitrary<Need> {
  const path = fc.constantFrom('/ws/src/a', 'secret/k', '/etc/passwd', '~/.ssh/id', '.git/config')
  const command = fc.constantFrom('npm test', 'git push', 'git log', 'ls | wc', 'rm -rf x')
  const host = fc.constantFrom('example.com', 'a.evil.test', null)
  return fc.oneof<fc.Arbitrary<Need>[]>(
    fc.record({ kind: fc.constant('path'), access: fc.constantFrom('read', 'write'), path }),
    fc.record({ kind: fc.constant('command'), command }),
    fc.record({ kind: fc.constant('host'), host }),
    fc.record({ kind: fc.constant('text'), text: fc.string({ maxLength: 8 }) }),
    fc.constant({ kind: 'capability', name: 'external.effect' }),
    fc.constantFrom<Need>(
      { kind: 'escalation', name: 'host_execution', detail: 'because' },
      { kind: 'escalation', name: 'network_grant', detail: 'example.com:443' },
      { kind: 'escalation', name: 'tool_confirmation', detail: 'sure?' },
    ),
  )
}

function sandboxes(): fc.Arbitrary<Facts['sandbox']> {
  return fc.constantFrom<Facts['sandbox']>(
    { status: 'ready', driver: 'bubblewrap', report: aReport() },
    { status: 'ready', driver: 'bubblewrap', report: aReport('network_grant') },
    { status: 'ready', driver: 'weak', report: aReport('write_confinement') },
    { status: 'unavailable', cause: 'none' },
    { status: 'refused', cause: 'the workspace' },
  )
}

function responders(): fc.Arbitrary<Facts['responder']> {
  return fc.constantFrom<Facts['responder']>(
    { status: 'present', kind: 'human' },
    { status: 'present', kind: 'human' },
    { status: 'present', kind: 'script' },
    { status: 'suspend' },
    { status: 'absent' },
  )
}

function answers(): fc.Arbitrary<AnswerFacts | null> {
  const refused = fc
    .constantFrom(...ANSWER_ENDS)
    .map((end) => ({ verdict: 'refused', end }) as const)
  const covers = fc
    .constantFrom('write(**)', 'default:whitelist_accept')
    .map((matchedRule) => [{ layer: 'user_rule' as const, matchedRule, escalation: null }])
  const approved = covers.map(
    (list) => ({ verdict: 'approved', covers: list, by: 'human' }) as const,
  )
  return fc.oneof(fc.constant(null), fc.constant(null), refused, approved)
}

function roundTrip<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T
}
