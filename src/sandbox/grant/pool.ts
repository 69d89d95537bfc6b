/** Keeps one thing ready that is slow to make; nothing is handed out twice (sandbox.md §4 "prewarmed pool"). */

import type { Clock } from '../../platform/clock.js'

/** What is pooled can be closed. */
export interface Closable {
  readonly close: () => void
}

/** One is ready where the need for it showed before. */
export interface Pool<T extends Closable> {
  /** The one that is ready, or a fresh one. Whoever takes it closes it. */
  readonly take: () => Promise<T>
  /** Resolves when one is ready. Rejects like `make`. */
  readonly prewarm: () => Promise<void>
}

/** The next one is made when the taker is likely under way. */
const REFILL_MS = 50

/** What nobody takes for so long is closed, and the next taker waits again. */
const IDLE_MS = 60_000

export function pool<T extends Closable>(make: () => Promise<T>, clock: Clock): Pool<T> {
  let ready: Promise<T> | null = null
  let stopIdling = (): void => undefined
  const fill = (): Promise<T> => {
    if (ready !== null) return ready
    const made = make()
    ready = made
    stopIdling = clock.after(IDLE_MS, () => discard(made))
    // The next taker tries again, and is told.
    made.catch(() => {
      if (ready === made) ready = null
    })
    return made
  }
  const discard = (made: Promise<T>): void => {
    if (ready !== made) return
    ready = null
    made.then((one) => one.close()).catch(() => undefined)
  }
  return {
    async take() {
      stopIdling()
      const taken = ready
      ready = null
      clock.after(REFILL_MS, () => void fill().catch(() => undefined))
      // One that could not be made ahead may be made now.
      return (await taken?.catch(() => null)) ?? make()
    },
    async prewarm() {
      await fill()
    },
  }
}
