/** A clock that stands still until a test moves it. */

import type { Clock } from '../platform/clock.js'

/** A clock under a test's control. */
export interface FakeClock extends Clock {
  /** Moves both times on and runs what falls due on the way, each at its own time. */
  readonly advance: (ms: number) => void
}

interface Timer {
  readonly due: number
  readonly run: () => void
}

/** Starts at `start`, milliseconds since the epoch; by default at the beginning of 2030, UTC. */
export function fakeClock(start: number = Date.UTC(2030, 0, 1)): FakeClock {
  let elapsed = 0
  const timers = new Set<Timer>()
  return {
    wallMs: () => start + elapsed,
    monotonicUs: () => Math.floor(elapsed * 1000),
    epoch: '00000000fa4ec10c',
    after(ms, run) {
      const timer = { due: elapsed + Math.max(0, ms), run }
      timers.add(timer)
      return () => void timers.delete(timer)
    },
    advance(ms) {
      const end = elapsed + ms
      for (let timer = nextDue(timers, end); timer !== undefined; timer = nextDue(timers, end)) {
        elapsed = timer.due
        timers.delete(timer)
        timer.run()
      }
      elapsed = end
    },
  }
}

/** The earliest timer that is due by `end`; of equals the one that was set first. */
function nextDue(timers: ReadonlySet<Timer>, end: number): Timer | undefined {
  let next: Timer | undefined
  for (const timer of timers) {
    if (timer.due <= end && (next === undefined || timer.due < next.due)) next = timer
  }
  return next
}
