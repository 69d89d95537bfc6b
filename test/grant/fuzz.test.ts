/** Heads and greetings with a few things wrong, many of them (sandbox.md §7). */

import { expect, it } from 'vitest'
import * as fc from 'fast-check'
import { canonicalHost } from '../../src/core/names/host.js'
import { permitsHost } from '../../src/policy/rules/hosts.js'
import { fuzzMediator } from '../soak/fuzz-mediator.js'

const seed = Number(process.env['SIXGATE_SEED'] ?? Math.floor(Math.random() * 2 ** 31))

it(
  '100,000 requests and greetings crash nothing, and none is read in two ways',
  { timeout: 120_000 },
  () => {
    const { failures, refused } = fuzzMediator(100_000, seed)

    console.log(`property: 100000 cases, SIXGATE_SEED=${seed}`)
    expect(failures.slice(0, 5)).toEqual([])
    expect(refused).toBeGreaterThan(10_000)
    expect(refused).toBeLessThan(99_000)
  },
)

it('the mediator spells every host as the policy does', () => {
  const host = fc.oneof(
    fc.string({ maxLength: 30 }),
    fc.domain(),
    fc.ipV4Extended(),
    fc.ipV6(),
    fc.ipV6().map((text) => `[${text}]`),
    fc.constantFrom('A.EXAMPLE.', 'bücher.example', '0x7f.1', '[::1]', '::ffff:1.2.3.4', 'a..', ''),
  )
  fc.assert(
    fc.property(host, (text) => {
      const spelt = canonicalHost(text)
      const allow = spelt === null ? [] : [spelt]

      expect(permitsHost({ mode: 'on', allow, deny: null }, text)).toBe(spelt !== null)
      if (spelt !== null) expect(canonicalHost(spelt)).toBe(spelt)
    }),
    { seed, numRuns: 3000 },
  )
})
