import { describe, expect, test } from 'vitest'
import { fakeClock } from './fake-clock.js'

describe('a fake clock', () => {
  test('stands still until it is moved, and moves both times', () => {
    const clock = fakeClock(1000)

    const before = [clock.wallMs(), clock.monotonicUs()]
    clock.advance(2.5)

    expect(before).toEqual([1000, 0])
    expect([clock.wallMs(), clock.monotonicUs()]).toEqual([1002.5, 2500])
  })

  test('runs what falls due at its own time, in order, once', () => {
    const clock = fakeClock(0)
    const seen: string[] = []
    clock.after(20, () => seen.push(`b at ${clock.wallMs()}`))
    clock.after(10, () => seen.push(`a at ${clock.wallMs()}`))
    clock.after(20, () => seen.push(`c at ${clock.wallMs()}`))
    clock.after(21, () => seen.push('too early'))

    clock.advance(20)
    clock.advance(0)

    expect(seen).toEqual(['a at 10', 'b at 20', 'c at 20'])
  })

  test('runs what was set on the way', () => {
    const clock = fakeClock(0)
    const seen: number[] = []
    const again = (): void => {
      seen.push(clock.wallMs())
      clock.after(10, again)
    }
    clock.after(10, again)

    clock.advance(35)

    expect(seen).toEqual([10, 20, 30])
  })

  test('does not run what was cancelled', () => {
    const clock = fakeClock(0)
    const seen: number[] = []
    const cancel = clock.after(10, () => seen.push(1))

    cancel()
    clock.advance(100)

    expect(seen).toEqual([])
  })
})
