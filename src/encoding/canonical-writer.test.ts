import canonicalize from 'canonicalize'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { cases } from '../../test/builders/cases.js'
import { canonicalText } from './canonical.js'
import { writeCanonical } from './canonical-writer.js'

const RUN = cases(100_000)
// What hangs still ends, on a machine that is busy with other things as well.
vi.setConfig({ testTimeout: 5 * RUN.numRuns })

describe('the fast writer of canonical text', () => {
  it('writes what `canonicalize` writes, for every plain JSON value', () => {
    const same = fc.property(json(), (value) => {
      expect(writeCanonical(value)).toBe(canonicalize(value))
    })
    fc.assert(same, RUN)
  })

  it('writes what `canonicalize` writes, for objects of the shape of records', () => {
    const same = fc.property(records(), (value) => {
      expect(writeCanonical(value)).toBe(canonicalize(value))
    })
    fc.assert(same, RUN)
  })

  it('leaves what is not surely plain JSON to `canonicalize`', () => {
    const values = [undefined, Number.NaN, Infinity, 1n, Symbol('s'), () => 1, '\ud800', ['\udfff']]
    const objects = [
      new Date(0),
      new Map(),
      [undefined],
      new Array<unknown>(2),
      { toJSON: () => 'x' },
      { '\ud800': 1 },
      { a: { b: Number.NaN } },
      deep(70),
    ]
    for (const value of [...values, ...objects]) expect(writeCanonical(value)).toBeUndefined()
  })

  it('skips what is not given, as `canonicalize` does', () => {
    expect(writeCanonical({ b: undefined, a: 1 })).toBe('{"a":1}')
    expect(canonicalize({ b: undefined, a: 1 })).toBe('{"a":1}')
  })

  it('remembers no shape wrongly, however many come by', () => {
    const shapes = Array.from({ length: 100 }, (_, n) => ({ [`k${n}`]: n, [`j${n}`]: [n] }))
    for (const shape of [...shapes, ...shapes]) {
      expect(writeCanonical(shape)).toBe(canonicalize(shape))
    }
  })

  it('is what `canonicalText` uses, and a value without a form is still refused', () => {
    expect(canonicalText({ b: 1, a: 'é' })).toBe('{"a":"é","b":1}')
    expect(() => canonicalText({ a: Number.NaN })).toThrow()
  })
})

const texts = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('\u2028', '"', '\\', '\u007f', '\u0000', '\u{10ffff}', '\ufb33', '10', '2', ''),
)

function json(): fc.Arbitrary<unknown> {
  const numbers = fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer())
  const leaves = fc.oneof(texts, numbers, fc.boolean(), fc.constant(null), fc.constant(-0))
  return fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4, depthSize: 'small' },
      leaves,
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(texts, tie('value'), { maxKeys: 5 }),
    ),
  })).value
}

/** Few names, some absent, in any order: the same keys meet in many layouts. */
function records(): fc.Arbitrary<unknown> {
  const names = [
    'v',
    'kind',
    'seq',
    'prev',
    'wall_ms',
    'call_id',
    'facts',
    'decision',
    'é',
    '1',
    '10',
  ]
  const reference = fc.record({ alg: fc.constant('sha256'), d: texts, size: fc.nat() })
  const field = fc.oneof(texts, fc.integer(), fc.constant(null), fc.constant(undefined), reference)
  return fc
    .shuffledSubarray(names)
    .chain((keys) =>
      fc.tuple(...keys.map((key) => fc.tuple(fc.constant(key), field))).map(Object.fromEntries),
    )
}

function deep(levels: number): unknown {
  return levels === 0 ? 1 : [deep(levels - 1)]
}
