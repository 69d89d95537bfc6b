import { describe, expect, it } from 'vitest'
import vectors from '../../test/cases/vectors/jcs-strict.json' with { type: 'json' }
import { copyJson, copyJsonInSlices, isLasting, makeLasting } from './plain-json.js'

const REFUSED: Readonly<Record<string, unknown>> = {
  'undefined top': undefined,
  '{a:undefined}': { a: undefined },
  '[undefined]': [undefined],
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  bigint: 1n,
  'integer > 2^53-1': 2 ** 53,
  'lone surrogate value': '\ud800',
  'lone surrogate key': { '\udc00': 1 },
  Date: new Date(0),
  'Map/Set/RegExp/Error': new Map(),
  'Buffer/TypedArray': new Uint8Array(1),
  'function member': { a: () => 1 },
  'symbol value': Symbol('a'),
  'symbol key': { [Symbol('a')]: 1 },
  'boxed primitive': Object('a') as unknown,
  'own or inherited toJSON': { toJSON: () => 1 },
  'accessor property': Object.defineProperty({}, 'a', { get: () => 1, enumerable: true }),
  cycle: cycle(),
  'sparse array': new Array(3),
  'array with extra props': Object.assign([1], { extra: 1 }),
  'class instance': new (class Point {
    readonly x = 1
  })(),
  'depth > 64': nested(65),
  'serialized size > 8 MiB': 'x'.repeat(8 * 1024 * 1024),
}

const ACCEPTED: Readonly<Record<string, unknown>> = {
  '-0': -0,
  'shared reference (DAG)': shared(),
  'null prototype object': Object.assign(Object.create(null) as object, { a: 1 }),
  'own __proto__ key': JSON.parse('{"__proto__": {"polluted": true}}') as unknown,
}

describe('the closed JSON domain', () => {
  it.each(vectors.cases.filter(([, verdict]) => verdict === 'reject').map(([name]) => name))(
    'refuses %s',
    (name) => {
      const value = REFUSED[name ?? '']

      expect(REFUSED).toHaveProperty([name ?? ''])
      expect(copyJson(value)).toMatchObject({ ok: false })
    },
  )

  it.each(Object.keys(ACCEPTED))('accepts %s', (name) => {
    expect(copyJson(ACCEPTED[name])).toMatchObject({ ok: true })
  })

  it('refuses a proxy without asking it anything', () => {
    let asked = 0
    const trap = (): never => {
      asked += 1
      throw new TypeError('asked')
    }
    const proxy: unknown = new Proxy({}, { get: trap, ownKeys: trap, getPrototypeOf: trap })

    expect(copyJson({ a: proxy })).toEqual({ ok: false, at: 'a', reason: 'a proxy' })
    expect(asked).toBe(0)
  })

  it('names the place of the offender', () => {
    const copy = copyJson({ list: [1, { deep: Number.NaN }] })

    expect(copy).toMatchObject({ ok: false, at: 'list/1/deep' })
  })

  it('does not overflow the stack on ten thousand levels', () => {
    expect(copyJson(nested(10_000))).toMatchObject({ ok: false, reason: 'more than 64 levels' })
  })

  it('keeps `__proto__` as a key and leaves prototypes alone', () => {
    const copy = copyJson(ACCEPTED['own __proto__ key'])

    expect(copy.ok && JSON.stringify(copy.value)).toBe('{"__proto__":{"polluted":true}}')
    expect(Reflect.get({}, 'polluted')).toBeUndefined()
  })

  it('freezes every level, and later changes of the original do not reach the copy', () => {
    const original = { list: [{ a: 1 }] }
    const copy = copyJson(original)
    original.list.push({ a: 2 })

    expect(copy).toMatchObject({ ok: true, value: { list: [{ a: 1 }] } })
    const value = (copy as unknown as { value: { list: object[] } }).value
    expect([value, value.list, value.list[0]].every((one) => Object.isFrozen(one))).toBe(true)
  })

  it('gives back as it is what was made to last, wherever it stands', () => {
    const lasting = { list: [{ a: 1, b: ['text', true, null] }] }
    const size = Reflect.get(copyJson([{ again: lasting }]), 'size') as unknown

    expect(makeLasting(lasting)).toBe(true)
    expect(makeLasting({ lasting })).toBe(true)
    const copy = copyJson([{ again: lasting }])
    expect(copy).toMatchObject({ ok: true, size })
    expect((copy as unknown as { value: [{ again: unknown }] }).value[0].again).toBe(lasting)
    expect(Object.isFrozen(lasting.list[0]?.b)).toBe(true)
  })

  it('makes nothing last that plain JSON cannot say', () => {
    const refused = { a: ['\ud800'] }

    expect([makeLasting(refused), isLasting(refused)]).toEqual([false, false])
    expect([{ a: undefined }, { a: Number.NaN }, { a: () => 1 }].some(makeLasting)).toBe(false)
  })

  it('counts the levels of what was made to last', () => {
    const lasting = nested(60) as object
    makeLasting(lasting)

    expect(copyJson([[[[lasting]]]])).toMatchObject({ ok: true })
    expect(copyJson([[[[[lasting]]]]])).toMatchObject({ ok: false, reason: 'more than 64 levels' })
  })

  it('yields between slices of a large value', async () => {
    let pauses = 0
    const large = Array.from({ length: 20_000 }, (_, index) => `item ${index} ${'x'.repeat(90)}`)

    const copy = await copyJsonInSlices(large, () => {
      pauses += 1
      return Promise.resolve()
    })

    expect(copy).toMatchObject({ ok: true })
    expect(pauses).toBeGreaterThanOrEqual(6)
  })
})

function cycle(): unknown {
  const ring: { self?: unknown } = {}
  ring.self = ring
  return ring
}

function shared(): unknown {
  const leaf = { a: 1 }
  return [leaf, leaf]
}

function nested(levels: number): unknown {
  let value: unknown = 0
  for (let level = 0; level < levels; level += 1) value = [value]
  return value
}
