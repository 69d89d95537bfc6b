import { isValid } from 'ulid'
import { describe, expect, test } from 'vitest'
import { seededIds } from './seeded-ids.js'

function take(seed: number, count: number): readonly string[] {
  const ids = seededIds(seed)
  return Array.from({ length: count }, () => ids.node())
}

describe('seeded ids', () => {
  test('are ULIDs', () => {
    const ids = take(1, 200)

    expect(ids.every((id) => /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(id) && isValid(id))).toBe(true)
  })

  test('are the same for the same seed and different for another', () => {
    expect(take(5, 20)).toEqual(take(5, 20))
    expect(take(5, 20).some((id) => take(6, 20).includes(id))).toBe(false)
  })

  test('never repeat and grow in text order, whatever kind is asked for', () => {
    const ids = seededIds(1)

    const all = Array.from({ length: 1100 }, () => [ids.call(), ids.event(), ids.run()]).flat()

    expect(new Set(all).size).toBe(3300)
    expect(all).toEqual(all.toSorted())
  })
})
