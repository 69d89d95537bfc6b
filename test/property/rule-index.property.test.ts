import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { indexed, withOneMore } from '../../src/policy/rules/index/bound-rules.js'
import { judgeRules, rulesMet } from '../../src/policy/rules/verdict.js'
import { cases } from '../builders/cases.js'
import { everyRuleMet, judgeEvery } from './linear-verdict.js'
import { meetings } from './rule-index-arbitraries.js'

/** A tenth of them in an ordinary run: 20,000 policies, each asked up to four times. */
const RUN = cases(200_000)
// What hangs still ends, on a machine that is busy with other things as well.
vi.setConfig({ testTimeout: 10 * RUN.numRuns })

describe('the rule index', () => {
  it('says of every call, and shows of every subject, what a scan over all rules does', () => {
    const said = { allow: 0, ask: 0, deny: 0, no_match: 0 }
    fc.assert(
      fc.property(meetings(), ({ rules, questions }) => {
        const own = indexed(rules)
        for (const question of questions) {
          const expected = judgeEvery(rules, question)
          said[expected.decision] += 1

          expect(judgeRules(own, question)).toEqual(expected)
          // Remembered, where it is.
          const subjects = question.subjects.map((subject) => ({ ...subject }))
          expect(judgeRules(own, { ...question, subjects })).toEqual(expected)
          const last = rules.at(-1)
          if (last !== undefined) {
            const others = indexed(rules.slice(0, -1))
            expect(judgeRules(withOneMore(others, last), question)).toEqual(expected)
          }
          if (question.subjects.length > 256) continue
          expect(rulesMet(own, question)).toEqual(everyRuleMet(rules, question))
        }
      }),
      RUN,
    )
    // Each answer is given often enough for the sentence above to say something.
    expect(Math.min(...Object.values(said))).toBeGreaterThan(RUN.numRuns / 20)
  })
})
