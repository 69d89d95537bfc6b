/** Whenever the analysis accepts a text, the real bash runs exactly the argv it states. */

import fc from 'fast-check'
import { expect, it } from 'vitest'
import { analyse } from '../../src/shell/analyse.js'
import { bashCommands } from '../builders/real-bash.js'

const CASES = 2500

/** Pieces that meet every branch of bash's word splitting, plain ones more often than not. */
const piece = fc.oneof(
  { weight: 6, arbitrary: fc.stringMatching(/^[A-Za-z0-9_./:=@%+,^-]{1,6}$/) },
  { weight: 2, arbitrary: fc.stringMatching(/^'[^'\n\0]{0,6}'$/) },
  { weight: 2, arbitrary: fc.stringMatching(/^"[^"\n\0`$\\]{0,6}"$/) },
  { weight: 2, arbitrary: fc.stringMatching(/^"[\\ ab!"$`'#~é-]{0,5}"$/) },
  { weight: 2, arbitrary: fc.stringMatching(/^\\[ -~]$/) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('#', '~', '!', '=', 'é', '""', "''", ']', '}', ' ', '\t'),
  },
  { weight: 1, arbitrary: fc.stringMatching(/^[ -~]{1,2}$/) },
)

const text = fc
  .array(fc.array(piece, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 5 })
  // The first word is no builtin, so that bash has to look for it and tells its argv.
  .map((words) => `zz${words.map((pieces) => pieces.join('')).join(' ')}`)

it('states exactly the argv that bash runs, for every generated text that it accepts', () => {
  const accepted = fc
    .sample(text, CASES * 2)
    .map((candidate) => ({ candidate, analysis: analyse(candidate) }))
    .filter(({ analysis }) => analysis.refusals.length === 0)
    // A path is run, not looked for: bash does not tell its argv.
    .filter(({ analysis }) => !(analysis.commands[0]?.argv[0] ?? '/').includes('/'))
    .slice(0, CASES)

  const seen = bashCommands(accepted.map(({ candidate }) => candidate))

  expect(accepted.length).toBeGreaterThan(CASES / 4)
  expect(seen).toEqual(accepted.map(({ analysis }) => analysis.commands[0]?.argv))
})
