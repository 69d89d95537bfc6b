import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cases } from '../../test/builders/cases.js'
import { utf8 } from './utf8.js'

describe('UTF-8 from a slab', () => {
  it('is what an encoder gives, for texts of every length', () => {
    const text = fc
      .tuple(fc.string({ unit: 'binary' }), fc.nat(3000))
      .map(([some, times]) => some.repeat(1 + (some.length === 0 ? 0 : times % 300)))
    const same = fc.property(text, (given) => {
      expect(Buffer.compare(utf8(given), new TextEncoder().encode(given))).toBe(0)
    })
    fc.assert(same, cases(10_000))
  })

  it('leaves earlier bytes alone', () => {
    const texts = Array.from({ length: 5000 }, (_, index) => `record ${index} é`)

    const encoded = texts.map(utf8)

    expect(encoded.map((bytes) => new TextDecoder().decode(bytes))).toEqual(texts)
  })
})
