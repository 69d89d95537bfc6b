/** Whatever the real bash runs, the analysis has told, or it has refused the text. */

import { afterAll, expect, it } from 'vitest'
import { analyse } from '../../src/shell/analyse.js'
import { cases } from '../builders/cases.js'
import { BashRuns } from '../builders/executed-commands.js'
import { shellPrograms } from '../builders/shell-programs.js'

const { numRuns: COUNT, seed: SEED } = cases(20_000)

const bash = new BashRuns()
afterAll(() => bash.remove())

it(
  `tells every program that bash would start, in ${COUNT} random programs`,
  () => {
    const missed: unknown[] = []
    let proved = 0
    let executed = 0

    for (const program of shellPrograms(SEED, COUNT)) {
      const { commands, refusals } = analyse(program)
      if (refusals.length > 0) continue
      proved += 1
      const names = new Set(commands.map(({ argv }) => argv[0]))
      const argvs = new Set(commands.map(({ argv }) => JSON.stringify(argv)))
      // What is not proved is not run here: only refusal is silent.
      const ran = bash.executed(program)
      executed += ran.length
      const isFixed = !/[$`*?[{~]|[<>]\(/.test(program)
      for (const argv of ran) {
        if (!names.has(argv[0])) missed.push({ program, argv })
        else if (isFixed && !argvs.has(JSON.stringify(argv))) missed.push({ program, argv, argvs })
      }
    }

    process.stdout.write(`shell fuzz: ${proved} texts proved, ${executed} commands run\n`)
    expect(missed).toEqual([])
    expect(proved).toBeGreaterThan(COUNT / 10)
    expect(executed).toBeGreaterThan(proved / 4)
  },
  COUNT * 60,
)
