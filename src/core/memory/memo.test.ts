import { describe, expect, it } from 'vitest'
import { Memo } from './memo.js'

describe('a memo', () => {
  it('keeps what is asked for, and no more than two generations', () => {
    const memo = new Memo<number>(4096)
    for (let index = 0; index < 50_000; index += 1) {
      memo.set(`k${index}`, index)
      memo.get('k0')
    }

    const kept = Array.from({ length: 50_000 }, (_, index) => memo.get(`k${index}`)).filter(
      (value) => value !== undefined,
    )

    expect(memo.get('k49999')).toBe(49_999)
    expect(kept.length).toBeLessThanOrEqual(8192)
  })

  it('keeps what is asked for again and again', () => {
    const memo = new Memo<number>(4096)
    memo.set('often', 1)
    for (let index = 0; index < 50_000; index += 1) {
      memo.set(`k${index}`, index)
      memo.get('often')
    }

    expect(memo.get('often')).toBe(1)
  })
})
