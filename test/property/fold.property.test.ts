import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import type { AnswerFacts } from '../../src/core/facts.js'
import { LAYER_NAMES, type LayerName } from '../../src/core/layer-name.js'
import { isTabled, isTabledReason } from '../../src/core/reasons.js'
import { fold } from '../../src/pipeline/fold.js'
import { cases } from '../builders/cases.js'
import { policyPairs, samples, unanswered, type Sample } from './fold-arbitraries.js'

const GATES: readonly LayerName[] = ['work_mode', 'network', 'sandbox']

/** One seed makes policies and questions, so that it repeats a failure whole. */
const RUN = cases(100_000)
// What hangs still ends, on a machine that is busy with other things as well.
vi.setConfig({ testTimeout: 5 * RUN.numRuns })
const POLICIES = policyPairs(RUN.seed)

describe('the fold', () => {
  it('resumes exactly where it suspended, through a JSON round trip', () => {
    const suspensions = check(({ question, again }) => {
      const asked = unanswered(question)
      const first = fold(asked)
      if (first.status !== 'suspended') return false
      const stored = roundTrip({ call: asked.call, facts: asked.facts, asks: first.asks })
      const answer: AnswerFacts = { verdict: 'approved', covers: stored.asks, by: 'human' }

      const resumed = fold({
        policy: again,
        call: stored.call,
        facts: { ...stored.facts, answer },
      })
      const straight = fold({ ...asked, facts: { ...asked.facts, answer } })

      same(resumed.visits.slice(0, first.visits.length), first.visits)
      expect(resumed.visits.length).toBeGreaterThan(first.visits.length)
      same(resumed, straight)
      return true
    })
    expect(suspensions).toBeGreaterThan(RUN.numRuns / 50)
  })

  it('leaves the visits of a suspended call as they are, however its answer reads', () => {
    const answers = check(({ question, again }) => {
      const first = fold(unanswered(question))
      if (first.status !== 'suspended' || question.facts.answer === null) return false

      const resumed = fold({ ...roundTrip({ ...question, policy: null }), policy: again })

      same(resumed.visits.slice(0, first.visits.length), first.visits)
      same(resumed, fold(question))
      return true
    })
    expect(answers).toBeGreaterThan(RUN.numRuns / 100)
  })

  it('ends a denied chain in its only deny, and never denies an admitted one', () => {
    const denied = check(({ question }) => {
      const verdict = fold(question)
      const denials = verdict.visits.filter((visit) => visit.decision === 'deny')

      expect(denials.length).toBe(verdict.status === 'denied' ? 1 : 0)
      if (verdict.status !== 'denied') return false
      expect(verdict.visits.at(-1)).toBe(verdict.by)
      return true
    })
    expect(denied).toBeGreaterThan(RUN.numRuns / 10)
  })

  it('[S0-01] visits layers in their one order and leaves out no gate on the way', () => {
    const admitted = check(({ question }) => {
      const { status, visits } = fold(question)
      const layers = visits.map((visit) => visit.layer).filter((layer) => layer !== 'guard')
      const ranks = layers.map((layer) => LAYER_NAMES.indexOf(layer))
      const last = Math.max(-1, ...ranks)
      const isDue = (gate: LayerName): boolean =>
        status === 'admitted' || LAYER_NAMES.indexOf(gate) < last

      same(
        ranks,
        [...new Set(ranks)].sort((a, b) => a - b),
      )
      for (const gate of GATES.filter(isDue)) expect(layers.includes(gate)).toBe(true)
      return status === 'admitted'
    })
    expect(admitted).toBeGreaterThan(RUN.numRuns / 100)
  })

  it('asks nobody in vain: what suspends would pass every later gate', () => {
    const suspensions = check(({ question }) => {
      const asked = unanswered(question)
      const first = fold(asked)
      if (first.status !== 'suspended') return false
      const answer: AnswerFacts = { verdict: 'approved', covers: first.asks, by: 'human' }

      expect(fold({ ...asked, facts: { ...asked.facts, answer } }).status).toBe('admitted')
      return true
    })
    expect(suspensions).toBeGreaterThan(RUN.numRuns / 50)
  })

  it('[S0-17] never admits a call that asked without a yes that covers every question', () => {
    const answered = check(({ question }) => {
      const verdict = fold(question)
      if (verdict.status !== 'admitted' || verdict.asks.length === 0) return false
      const { answer } = question.facts

      expect(answer?.verdict).toBe('approved')
      const covered = answer?.verdict === 'approved' ? answer.covers.map(textOf) : []
      for (const ask of verdict.asks) expect(covered.includes(textOf(ask))).toBe(true)
      return true
    })
    expect(answered).toBeGreaterThan(RUN.numRuns / 500)
  })

  it('[S0-08] names every decision with an id and a reason of the table', () => {
    const visits = check(({ question }) => {
      for (const { layer, decision, matchedRule, reason } of fold(question).visits) {
        expect(isTabled(layer, decision, matchedRule)).toBe(true)
        expect(isTabledReason(layer, decision, reason)).toBe(true)
      }
      return true
    })
    expect(visits).toBeGreaterThanOrEqual(RUN.numRuns)
  })
})

/** Runs a property and counts the cases that it says something about: a claim about none would be empty. */
function check(property: (sample: Sample) => boolean): number {
  let count = 0
  const counted = fc.property(samples(POLICIES), (sample) => {
    if (property(sample)) count += 1
  })
  fc.assert(counted, RUN)
  return count
}

/** Deep equality of plain data; the slow comparison runs only to show where two values differ. */
function same(left: unknown, right: unknown): void {
  if (textOf(left) !== textOf(right)) expect(left).toEqual(right)
}

function textOf(value: unknown): string {
  return JSON.stringify(value)
}

function roundTrip<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T
}
