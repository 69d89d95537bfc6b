/** Random questions for the fold: real policies, real subjects, every kind of fact. */

import fc from 'fast-check'
import type { PolicyInput } from '../../src/contract/policy.js'
import { CALL_DEFECTS } from '../../src/core/call.js'
import { RESPONDER_KINDS, type AnswerFacts, type Facts } from '../../src/core/facts.js'
import type { Need } from '../../src/core/need.js'
import { ANSWER_ENDS } from '../../src/core/reasons.js'
import { fold } from '../../src/pipeline/fold.js'
import type { Question } from '../../src/pipeline/layer.js'
import type { EffectivePolicy } from '../../src/policy/effective-policy.js'
import { aCall, aPolicy, aReport, someFacts, subjectsOf } from '../builders/question.js'

/** One policy, bound twice: as it was written, and as a host would bind it again after a restart. */
export interface PolicyPair {
  readonly written: EffectivePolicy
  readonly again: EffectivePolicy
}

/** A question, and the same policy bound anew. */
export interface Sample {
  readonly question: Question
  readonly again: EffectivePolicy
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

/** Policies are bound once for many questions: binding compiles patterns and would take most of the time. */
export function policyPairs(seed: number): readonly PolicyPair[] {
  return fc.sample(policyInputs(), { numRuns: 400, seed }).map((input) => ({
    written: aPolicy(input),
    again: aPolicy(JSON.parse(JSON.stringify(input)) as PolicyInput),
  }))
}

/** Any policy document that loads. */
export function policyInputs(): fc.Arbitrary<PolicyInput> {
  const approval = fc.constantFrom(
    'whitelist_accept' as const,
    'always_ask' as const,
    'accept_all' as const,
    'deny_unlisted' as const,
  )
  return fc.record<PolicyInput>({
    workMode: fc.constantFrom('plan', 'ro', 'rw', 'full', 'full', 'full'),
    tools: fc.constantFrom<NonNullable<PolicyInput['tools']>>(
      'all',
      'all',
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
    approvalResponse: fc.constantFrom('prompt', 'prompt', 'never', 'parent'),
    sandbox: fc.record({
      mode: fc.constantFrom('read_only', 'workspace_write', 'open'),
      onUnavailable: fc.constantFrom('deny', 'ask_host'),
    }),
  })
}

/** Questions over these policies; answers fit the question about as often as not. */
export function samples(policies: readonly PolicyPair[]): fc.Arbitrary<Sample> {
  return fc
    .record({
      policy: fc.constantFrom(...policies),
      tool: fc.constantFrom('read', 'write', 'bash', 'web_fetch', 'custom'),
      needs: fc.array(needs(), { maxLength: 3 }),
      unsafe: rarely(fc.constant(true), false),
      defect: rarely(fc.constantFrom(...CALL_DEFECTS), null),
      sandbox: sandboxes(),
      responder: responders(),
      guards: rarely(fc.array(guardAnswers(), { maxLength: 2 }), []),
      answer: answers(),
    })
    .map(({ policy, tool, needs: needed, unsafe, defect, answer, ...facts }) => {
      const question: Question = {
        policy: policy.written,
        call: aCall({
          tool,
          needs: needed,
          defect,
          runsIn: tool === 'bash' ? 'sandbox' : 'process',
          annotations: unsafe ? { destructiveHint: true } : null,
        }),
        facts: someFacts({ subjects: subjectsOf(needed), ...facts }),
      }
      return { again: policy.again, question: answered(question, answer) }
    })
}

/** What would settle most questions at their first layer comes up in one of sixteen. */
function rarely<T>(arbitrary: fc.Arbitrary<T>, otherwise: T): fc.Arbitrary<T> {
  return fc.oneof({ arbitrary, weight: 1 }, { arbitrary: fc.constant<T>(otherwise), weight: 15 })
}

/** The same question before anybody answered. */
export function unanswered(question: Question): Question {
  return { ...question, facts: { ...question.facts, answer: null } }
}

/** An answer that is yet to meet its question. */
type Plan =
  | { readonly kind: 'none' }
  | { readonly kind: 'refused'; readonly end: (typeof ANSWER_ENDS)[number] }
  | {
      readonly kind: 'approved'
      readonly by: (typeof RESPONDER_KINDS)[number]
      /** How many of the asks it leaves out, from the end. */
      readonly missing: number
    }

function answers(): fc.Arbitrary<Plan> {
  return fc.oneof(
    fc.constant<Plan>({ kind: 'none' }),
    fc.record({ kind: fc.constant('refused' as const), end: fc.constantFrom(...ANSWER_ENDS) }),
    fc.record({
      kind: fc.constant('approved' as const),
      by: fc.constantFrom('human', 'human', ...RESPONDER_KINDS),
      missing: fc.constantFrom(0, 0, 1),
    }),
  )
}

function answered(question: Question, plan: Plan): Question {
  const answer = answerOf(question, plan)
  return { ...question, facts: { ...question.facts, answer } }
}

function answerOf(question: Question, plan: Plan): AnswerFacts | null {
  switch (plan.kind) {
    case 'none':
      return null
    case 'refused':
      return { verdict: 'refused', end: plan.end }
    case 'approved': {
      const { asks } = fold(question)
      const covers = asks.slice(0, Math.max(0, asks.length - plan.missing))
      return { verdict: 'approved', covers, by: plan.by }
    }
  }
}

function guardAnswers(): fc.Arbitrary<Facts['guards'][number]> {
  return fc.constantFrom<Facts['guards'][number]>(
    { decision: 'ask', matchedRule: 'guard:hook' },
    { decision: 'ask', matchedRule: 'guard:other' },
    { decision: 'deny', matchedRule: 'guard:hook' },
    { decision: 'deny', matchedRule: 'builtin:control_plane' },
    { decision: 'deny', matchedRule: 'builtin:cancelled' },
  )
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
    { status: 'ready', driver: 'bubblewrap', report: aReport() },
    { status: 'ready', driver: 'bubblewrap', report: aReport('network_grant') },
    { status: 'ready', driver: 'weak', report: aReport('write_confinement') },
    { status: 'unavailable', cause: 'none', remedy: null },
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
