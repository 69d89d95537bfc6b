/** No other parser, and not bash, finds a program that the analysis neither tells nor refuses. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cases } from '../../builders/cases.js'
import { shellPrograms } from '../../builders/shell-programs.js'
import { expansions } from './expansions.js'
import { Judge } from './judge.js'
import { mvdan } from './mvdan.js'
import type { Parser } from './opinion.js'
import { installParsers } from './packages.js'
import { corpus, editedCorpus } from './programs.js'
import { treeSitter } from './tree-sitter.js'
import { judge, type Verdict } from './verdict.js'

const { numRuns: COUNT, seed: SEED } = cases(20_000, 20)

const bash = new Judge()
let parsers: readonly Parser[] = []
beforeAll(async () => {
  installParsers()
  parsers = [mvdan(), await treeSitter()]
}, 120_000)
afterAll(() => bash.remove())

function judged(texts: readonly string[]): readonly Verdict[] {
  return texts.map((text, turn) => judge(text, parsers, { bash, turn }))
}

describe('second opinions on the shell analysis', () => {
  it('are read from nested text, through quotes', () => {
    const text = 'a "$(\'b\' `c`)" <(d; e\'\'f) && if \\g; then "h"; fi <<E\n${x:-$(i)}\nE'

    for (const { read } of parsers) {
      const { accepted, names } = read(text)
      expect([accepted, [...names].sort()]).toEqual([
        true,
        ['a', 'b', 'c', 'd', 'ef', 'g', 'h', 'i'],
      ])
    }
  })

  it('are none for what is no bash', () => {
    for (const { read } of parsers) expect(read('a | | b')).toEqual({ accepted: false, names: [] })
  })

  it('find nothing new in the corpus', () => {
    const verdicts = judged(corpus())

    expect(verdicts.flatMap(({ failures }) => failures)).toEqual([])
    expect(verdicts.filter(({ proved }) => proved).length).toBeGreaterThan(100)
  })

  it(
    `find nothing new in ${COUNT} random programs, expansions and edited rows of the corpus`,
    () => {
      const third = Math.floor(COUNT / 3)
      const verdicts = judged([
        ...shellPrograms(SEED, third),
        ...expansions(SEED, third),
        ...editedCorpus(SEED, COUNT - 2 * third),
      ])

      const proved = verdicts.filter((verdict) => verdict.proved)
      const sum = (of: (verdict: Verdict) => number): number =>
        proved.reduce((total, verdict) => total + of(verdict), 0)
      const executed = sum((verdict) => verdict.executed)
      const open = proved.flatMap((verdict) => verdict.open)
      process.stdout.write(
        `shell opinions: ${proved.length} texts proved, ${executed} programs run, ` +
          `${sum(({ claims }) => claims)} names claimed by others, ${open.length} of them open\n`,
      )
      for (const one of open.slice(0, 10)) process.stdout.write(`open: ${one}\n`)
      expect(verdicts.flatMap(({ failures }) => failures)).toEqual([])
      expect(open.length).toBeLessThan(10 + proved.length / 20)
      expect(proved.length).toBeGreaterThan(COUNT / 10)
      expect(executed).toBeGreaterThan(proved.length / 4)
    },
    COUNT * 100,
  )
})
