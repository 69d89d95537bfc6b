import { describe, expect, it } from 'vitest'
import { takeTurns } from './turns.js'

describe('turns', () => {
  it('of one name follow each other in call order, also after one that failed', async () => {
    const inTurn = takeTurns()
    const seen: string[] = []
    const act = (text: string, fails = false) =>
      inTurn('name', async () => {
        seen.push(`${text} starts`)
        await new Promise((resolve) => setTimeout(resolve, 2))
        seen.push(`${text} ends`)
        if (fails) return Promise.reject(new Error(text))
        return text
      })

    const ended = await Promise.allSettled([act('a'), act('b', true), act('c')])

    expect(ended.map((one) => one.status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(seen).toEqual(['a starts', 'a ends', 'b starts', 'b ends', 'c starts', 'c ends'])
  })

  it('of two names do not wait for each other', async () => {
    const inTurn = takeTurns()
    const order: string[] = []
    let free = (): void => {}
    const two = new Promise<void>((resolve) => {
      free = resolve
    })

    await Promise.all([
      inTurn('one', () => two).then(() => order.push('one')),
      inTurn('two', async () => {
        order.push('two')
        free()
      }),
    ])

    expect(order).toEqual(['two', 'one'])
  })
})
