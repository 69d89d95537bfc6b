import { describe, expect, it } from 'vitest'
import { RunWriter, type Medium } from './run-writer.js'

const decoder = new TextDecoder()

interface Watched {
  readonly writer: RunWriter
  /** What the medium was asked for, in order. */
  readonly steps: string[]
  /** Ends the oldest flush that is under way. */
  readonly endFlush: (fault?: Error) => void
}

/** A writer over a medium that notes what it is asked, and flushes when told to. */
function watched(faults: Partial<Medium> = {}): Watched {
  const steps: string[] = []
  const flushes: ((fault?: Error) => void)[] = []
  const writer = new RunWriter({
    write: (bytes) => void steps.push(decoder.decode(bytes).trimEnd().replaceAll('\n', ' ')),
    flush() {
      steps.push('flush')
      return new Promise((resolve, reject) => {
        flushes.push((fault) => (fault === undefined ? resolve() : reject(fault)))
      })
    },
    release: (clean) => Promise.resolve(void steps.push(clean ? 'release' : 'release poisoned')),
    ...faults,
  })
  return { writer, steps, endFlush: (fault) => flushes.shift()?.(fault) }
}

function append(writer: RunWriter, text: string, durability: 'written' | 'durable'): Promise<void> {
  return writer.append([new TextEncoder().encode(text)], durability)
}

/** Lets everything happen that waits for nothing but its turn. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

describe('a run writer', () => {
  it('writes callers of one moment at once and flushes once for all of them', async () => {
    const { writer, steps, endFlush } = watched()

    const all = ['a', 'b', 'c'].map((text) => append(writer, text, 'durable'))
    await settle()
    endFlush()
    await Promise.all(all)

    expect(steps).toEqual(['a b c', 'flush'])
  })

  it('writes while a flush runs, and shares the next flush among those who came', async () => {
    const { writer, steps, endFlush } = watched()

    const first = append(writer, 'a', 'durable')
    await settle()
    await append(writer, 'b', 'written')
    const later = [append(writer, 'c', 'durable')]
    await settle()
    later.push(append(writer, 'd', 'durable'))
    await settle()
    endFlush()
    await first
    await settle()
    endFlush()
    await Promise.all(later)

    expect(steps).toEqual(['a', 'flush', 'b', 'c', 'd', 'flush'])
  })

  it('acknowledges nothing as durable before its flush ends', async () => {
    const { writer, endFlush } = watched()
    let isDone = false

    const done = append(writer, 'a', 'durable').then(() => (isDone = true))
    await settle()
    expect(isDone).toBe(false)

    endFlush()
    await done
    expect(isDone).toBe(true)
  })

  it('does not flush for a wait when nothing was written since the last flush', async () => {
    const { writer, steps, endFlush } = watched()
    const first = append(writer, 'a', 'durable')
    await settle()
    endFlush()
    await first

    await writer.append([], 'durable')

    expect(steps).toEqual(['a', 'flush'])
  })

  it('refuses all who shared a failed flush, those who wait behind it, and never flushes again', async () => {
    const { writer, steps, endFlush } = watched()

    const first = expect(append(writer, 'a', 'durable')).rejects.toMatchObject({
      code: 'store_failed',
    })
    await settle()
    const second = expect(append(writer, 'b', 'durable')).rejects.toMatchObject({
      code: 'store_failed',
    })
    await settle()
    endFlush(new Error('EIO'))
    await Promise.all([first, second])
    await expect(append(writer, 'c', 'written')).rejects.toMatchObject({ code: 'writer_poisoned' })
    await writer.close()

    expect(steps).toEqual(['a', 'flush', 'b', 'release poisoned'])
  })

  it('refuses all who shared a failed write, with the cause', async () => {
    const cause = new Error('EIO')
    const { writer, steps } = watched({
      write() {
        throw cause
      },
    })

    const all = await Promise.allSettled([
      append(writer, 'a', 'written'),
      append(writer, 'b', 'durable'),
    ])
    await writer.close()

    for (const one of all) {
      expect(one).toMatchObject({ status: 'rejected', reason: { code: 'store_failed', cause } })
    }
    expect(steps).toEqual(['release poisoned'])
  })

  it('flushes what is left when it closes', async () => {
    const { writer, steps, endFlush } = watched()

    const written = append(writer, 'a', 'written')
    const closed = writer.close()
    await settle()
    endFlush()
    await Promise.all([written, closed])

    expect(steps).toEqual(['a', 'flush', 'release'])
  })

  it('gives up ownership and says so when the last flush fails', async () => {
    const { writer, steps, endFlush } = watched()
    await append(writer, 'a', 'written')

    const closed = writer.close()
    await settle()
    endFlush(new Error('EIO'))

    await expect(closed).rejects.toMatchObject({ code: 'store_failed' })
    expect(steps).toEqual(['a', 'flush', 'release poisoned'])
  })
})
