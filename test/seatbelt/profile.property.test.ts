/** The profile says what the policy says, for random requests, operations and spellings (sandbox.md §5). */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SandboxError } from '../../src/core/errors.js'
import { profileText } from '../../src/sandbox/seatbelt/profile-text.js'
import { planView, type ViewInput } from '../../src/sandbox/seatbelt/view.js'
import { modelPermits } from './policy-model.js'
import { createEvaluator, READINGS, type Evaluator } from './sbpl-evaluator.js'
import { anInput, aProfile, aQueryOf, SCRATCH, SURROUNDINGS } from './seatbelt-arbitraries.js'

/** `null` when the workspace is refused. */
function evaluatorOf(input: ViewInput): Evaluator | null {
  try {
    const { text, parameters } = profileText(planView(input))
    const values = parameters.map(({ name, value }) => [name, value] as const)
    return createEvaluator(text, Object.fromEntries(values))
  } catch (error) {
    if (error instanceof SandboxError && error.code === 'workspace_refused') return null
    throw error
  }
}

const aCase = anInput.chain((input) =>
  fc.tuple(fc.constant(input), fc.array(aQueryOf(input), { minLength: 20, maxLength: 60 })),
)

describe.each(READINGS)('a profile, when the %s wins', (reading) => {
  it('[S1-24] permits what the policy permits and nothing else', { timeout: 120_000 }, () => {
    fc.assert(
      fc.property(aCase, ([input, queries]) => {
        const evaluator = evaluatorOf(input)
        fc.pre(evaluator !== null)
        for (const query of queries) {
          expect({ query, permitted: evaluator.permits(query, reading) }).toEqual({
            query,
            permitted: modelPermits(input, query),
          })
        }
      }),
      { numRuns: 400 },
    )
  })
})

/** Denied twice: what nothing allows is denied without them. */
const SECOND_LINE = /^\(deny (?:default|network\*|file-link)/

it('notices every denial that a profile loses', () => {
  const input: ViewInput = {
    profile: aProfile({
      mode: 'workspace_write',
      workspace: '/Users/me/project',
      writable: ['/opt/homebrew'],
      readable: ['/Users/me'],
      hidden: ['/Users/me/cache', '/opt/homebrew/state'],
    }),
    guard: {
      pinned: ['/Users/me/project/sub'],
      fixed: ['/Users/me/project/b'],
      closed: ['/Users/me/project/.vscode'],
      masks: [{ path: '/Users/me/project/.env', kind: 'file' }],
    },
    surroundings: SURROUNDINGS,
    scratch: SCRATCH,
  }
  const queries = fc.sample(aQueryOf(input), { numRuns: 4000, seed: 7 })
  const { text, parameters } = profileText(planView(input))
  const values = Object.fromEntries(parameters.map(({ name, value }) => [name, value] as const))
  const rules = text.trim().split(/\n(?=\()/)
  const differs = (kept: readonly string[]): boolean => {
    const evaluator = createEvaluator(kept.join('\n'), values)
    return queries.some(
      (query) => evaluator.permits(query, 'last_rule') !== modelPermits(input, query),
    )
  }

  expect(differs(rules)).toBe(false)
  for (const lost of rules.filter((rule) => rule.startsWith('(deny') && !SECOND_LINE.test(rule))) {
    expect({ lost, isNoticed: differs(rules.filter((rule) => rule !== lost)) }).toEqual({
      lost,
      isNoticed: true,
    })
  }
})
