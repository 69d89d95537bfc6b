import { expect, it } from 'vitest'
import { frozen } from './freeze.js'

it('freezes a value through and through, in place', () => {
  const value = { list: [{ a: 'x' }], none: null, inner: Object.freeze({ deep: [1] }) }

  expect(frozen(value)).toBe(value)
  expect([value, value.list, value.list[0], value.inner.deep].every(Object.isFrozen)).toBe(true)
})

it('refuses what is larger than any JSON of ours may be', () => {
  const texts = Array.from({ length: 9 }, () => 'x'.repeat(1024 * 1024))

  expect(() => frozen({ texts })).toThrow(
    expect.objectContaining({ code: 'invalid_value', message: 'a policy of more than 8 MiB' }),
  )
})
