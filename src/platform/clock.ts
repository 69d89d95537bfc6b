/** Time, as the only place that reads it. */

import { performance } from 'node:perf_hooks'
import { randomBytes } from 'node:crypto'

/** Wall time for people, monotonic time for order and limits. */
export interface Clock {
  /** Milliseconds since the Unix epoch; may jump. */
  readonly wallMs: () => number
  /** Microseconds since this clock was made; never goes back. */
  readonly monotonicUs: () => number
  /** Random per process start: monotonic times compare only within one epoch. */
  readonly epoch: string
  /** Calls back once after `ms`; the returned function cancels. Does not keep the process alive. */
  readonly after: (ms: number, run: () => void) => () => void
}

/** The clock of this process. */
export function systemClock(): Clock {
  const start = performance.now()
  return {
    wallMs: () => Date.now(),
    monotonicUs: () => Math.floor((performance.now() - start) * 1000),
    epoch: randomBytes(8).toString('hex'),
    after(ms, run) {
      const timer = setTimeout(run, ms)
      timer.unref()
      return () => clearTimeout(timer)
    },
  }
}
