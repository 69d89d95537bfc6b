import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AffixTree } from './affix-tree.js'

const text = fc.string({ unit: fc.constantFrom('a', 'b', '/', '\u{1f600}'), maxLength: 6 })

describe('an affix tree', () => {
  it.each(['head', 'tail'] as const)(
    'finds every literal that stands at the %s, and no other',
    (side) => {
      fc.assert(
        fc.property(fc.array(text, { maxLength: 12 }), text, (literals, asked) => {
          const tree = new AffixTree<number>(side)
          for (const [index, literal] of literals.entries()) tree.add(literal, index)
          const found: number[] = []

          tree.visit(asked, (index) => found.push(index))

          const stands = (literal: string): boolean =>
            side === 'head' ? asked.startsWith(literal) : asked.endsWith(literal)
          const expected = [...literals.keys()].filter((index) => stands(literals[index] ?? ''))
          expect(found.sort((a, b) => a - b)).toEqual(expected)
        }),
        { numRuns: 3000 },
      )
    },
  )
})
