/** Parts that fail (pipeline.md §4 note 7, H-09, S1-92): a hook, a layer or a rule that throws, hangs or talks nonsense never admits. */

import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { HookAnswer } from '../../src/contract/hooks.js'
import type { Session } from '../../src/contract/session.js'
import type { Effect } from '../../src/core/effect.js'
import { LAYERS } from '../../src/pipeline/layers.js'
import type { AnyLayer } from '../../src/pipeline/layer.js'
import { fold } from '../../src/pipeline/fold.js'
import type { BoundMatch, BoundRule } from '../../src/policy/effective-policy.js'
import { judgeRules } from '../../src/policy/rules/verdict.js'
import { fakeClock, type FakeClock } from '../../src/testing/fake-clock.js'
import { cases } from '../builders/cases.js'
import { ROOTS } from '../builders/question.js'
import { aHost, aTool, OPEN, settled, type Host } from '../builders/session.js'
import { policyPairs, samples } from './fold-arbitraries.js'

const RUN = cases(100_000)
vi.setConfig({ testTimeout: 20 * RUN.numRuns })
const POLICIES = policyPairs(RUN.seed)

/** What a part may do instead of its work. */
type Fault = () => unknown

const THROWS: readonly Fault[] = [
  () => {
    throw new Error('broken')
  },
  () => {
    throw undefined
  },
  () => {
    throw { decision: 'allow', matchedRule: 'x', action: 'continue' }
  },
]

/** Values of every kind, none of which is a word that means yes. */
function nonsense(): fc.Arbitrary<unknown> {
  return fc.oneof(
    fc.anything({ withBigInt: true, withDate: true, withMap: true, withNullPrototype: true }),
    fc.constantFrom<unknown>(undefined, null, true, 'allow', 'continue', [], Promise.resolve()),
    fc.record({ decision: fc.string(), action: fc.string(), matchedRule: fc.anything() }),
    fc.constantFrom<unknown>(
      { action: 'allow' },
      { action: 'Continue' },
      { action: ['continue'] },
      { decision: 'yes', matchedRule: 'x' },
      { decision: 'allow' },
      { decision: 'allow', matchedRule: null },
      { decision: 'no_match', matchedRule: 'x' },
      { decision: ['allow'], matchedRule: 'x' },
      new Proxy({}, { get: THROWS[0] as () => never }),
    ),
  )
}

function faults(): fc.Arbitrary<Fault> {
  return fc.oneof(
    fc.constantFrom(...THROWS),
    nonsense().map((value) => () => value),
  )
}

describe('a layer that fails', () => {
  it('denies the call as soon as it is heard, and the fold does not throw', () => {
    let heard = 0
    const property = fc.property(
      samples(POLICIES),
      fc.nat(LAYERS.length - 1),
      faults(),
      ({ question }, at, fault) => {
        let wasHeard = false
        const broken = LAYERS.map((layer, index) =>
          index === at ? breaks(layer, () => ((wasHeard = true), fault())) : layer,
        )

        const verdict = fold(question, broken)

        if (!wasHeard) return
        heard += 1
        expect(verdict.status).toBe('denied')
      },
    )
    fc.assert(property, RUN)
    expect(heard).toBeGreaterThan(RUN.numRuns / 20)
  })
})

function breaks(layer: AnyLayer, decide: Fault): AnyLayer {
  return { ...layer, decide } as unknown as AnyLayer
}

describe('a rule that fails', () => {
  const PATH = {
    kind: 'path',
    access: 'read',
    given: '/ws/a',
    forms: ['/ws/a'],
    real: '/ws/a',
    resolved: true,
  } as const
  const QUESTION = { tool: 'read', runsIn: 'process', subjects: [PATH], roots: ROOTS } as const

  it('denies or asks when it is a deny or an ask, and allows nothing when it is an allow', () => {
    const property = fc.property(
      fc.constantFrom<Effect>('deny', 'ask', 'allow'),
      fc.constantFrom<readonly (keyof BoundMatch)[]>(
        ['proves', 'suspects'],
        ['namesTool'],
        ['proves', 'suspects', 'namesTool'],
      ),
      fc.constantFrom(...THROWS),
      fc.boolean(),
      (effect, parts, fault, isException) => {
        const broken = brokenMatch(parts, fault)
        const rule = isException ? aRule(effect, WHOLE, [broken]) : aRule(effect, broken, [])

        const { decision } = judgeRules([rule], QUESTION)

        expect(decision).toBe(effect === 'allow' ? 'no_match' : effect)
      },
    )
    fc.assert(property, RUN)
  })

  const WHOLE: BoundMatch = {
    text: 'read',
    argumentFree: true,
    namesTool: () => true,
    proves: () => true,
    suspects: () => true,
  }

  function brokenMatch(parts: readonly (keyof BoundMatch)[], fault: Fault): BoundMatch {
    return { ...WHOLE, ...Object.fromEntries(parts.map((part) => [part, fault])) }
  }

  function aRule(effect: Effect, match: BoundMatch, except: readonly BoundMatch[]): BoundRule {
    return { id: 'r', effect, source: 'user', effective: true, reason: null, match, except }
  }
})

describe('a hook that fails', () => {
  const PER_SESSION = 2_000
  let host: Host
  let session: Session
  let clock: FakeClock
  let behave: () => unknown
  let runs = 0
  let made = 0

  beforeAll(() => {
    clock = fakeClock()
    host = aHost({ policy: OPEN, ports: { clock }, tools: [aTool(() => void (runs += 1))] })
    host.sixgate.hooks.add({ id: 'odd', handler: () => behave() as HookAnswer })
  })
  afterAll(async () => {
    await host.sixgate[Symbol.asyncDispose]()
    host.ground.clear()
  })

  it('blocks its call, which never runs', async () => {
    const property = fc.asyncProperty(misbehaviour(), async (one) => {
      if (made % PER_SESSION === 0) session = await host.session()
      made += 1
      behave = one.act

      const running = session.run({ tool: 'probe', args: null })
      if (one.hangs) {
        await settled(3)
        clock.advance(30_000)
      }

      expect(await running).toMatchObject({ status: 'denied', matchedRule: 'guard:odd' })
    })
    await fc.assert(property, RUN)
    expect(made).toBeGreaterThanOrEqual(RUN.numRuns)
    expect(runs).toBe(0)
  })

  function misbehaviour(): fc.Arbitrary<{ readonly act: Fault; readonly hangs: boolean }> {
    const odd = nonsense().filter((value) => !isAnswer(value))
    return fc.oneof(
      { arbitrary: faults().filter(isNoAnswer).map(act), weight: 6 },
      { arbitrary: odd.map((value) => act(() => Promise.resolve(value))), weight: 6 },
      { arbitrary: odd.map((value) => act(() => Promise.reject(value))), weight: 3 },
      {
        arbitrary: fc.constant({ act: () => new Promise(() => undefined), hangs: true }),
        weight: 1,
      },
    )
  }

  function act(fault: Fault): { readonly act: Fault; readonly hangs: boolean } {
    return { act: fault, hangs: false }
  }

  function isNoAnswer(fault: Fault): boolean {
    return THROWS.includes(fault) || !isAnswer(fault())
  }

  /** Random words can be right ones. */
  function isAnswer(value: unknown): boolean {
    try {
      const { action } = Object(value) as { action?: unknown }
      return action === 'continue' || action === 'ask' || action === 'rewrite'
    } catch {
      return false
    }
  }
})
