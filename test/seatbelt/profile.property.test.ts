/** The profile says what the policy says, for random requests, operations and spellings (sandbox.md §5). */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SandboxError } from '../../src/core/errors.js'
import { profileText } from '../../src/sandbox/seatbelt/profile-text.js'
import { planView, type ViewInput } from '../../src/sandbox/seatbelt/view.js'
import { modelPermits } from './policy-model.js'
import { createEvaluator, READINGS, type Evaluator } from './sbpl-evaluator.js'
import { anInput, aQueryOf } from './seatbelt-arbitraries.js'

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
