/** The signals that may cancel one call (pipeline.md §3): of its first request and of its replays. */

/** A signal that cannot be read counts as fired. */
export interface CallSignals {
  readonly add: (signal: AbortSignal | null) => void
  readonly isAborted: () => boolean
  /** Tells once about each signal that fires from now on; the result stops that. */
  readonly onAbort: (listener: () => void) => () => void
}

export function callSignals(first: AbortSignal | null): CallSignals {
  const sources = new Set<AbortSignal>()
  const listeners = new Set<() => void>()
  let isUnreadable = false
  const fire = (): void => {
    for (const listener of [...listeners]) listener()
  }
  const attempt = (act: () => void): void => {
    try {
      act()
    } catch {
      // Nobody could cancel the call by this signal, so it is cancelled now.
      isUnreadable = true
      fire()
    }
  }
  const watch = (source: AbortSignal): void => attempt(() => source.addEventListener('abort', fire))
  const leave = (source: AbortSignal): void =>
    attempt(() => source.removeEventListener('abort', fire))
  const signals: CallSignals = {
    add(signal) {
      if (signal === null || sources.has(signal)) return
      sources.add(signal)
      if (listeners.size === 0) return
      watch(signal)
      if (hasFired(signal)) fire()
    },
    isAborted: () => isUnreadable || [...sources].some(hasFired),
    onAbort(listener) {
      if (listeners.size === 0) sources.forEach(watch)
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
        if (listeners.size === 0) sources.forEach(leave)
      }
    },
  }
  signals.add(first)
  return signals
}

function hasFired(signal: AbortSignal): boolean {
  try {
    return signal.aborted
  } catch {
    // What cannot say that it has not fired has fired.
    return true
  }
}

/** True for what may be watched; reading it never throws. */
export function isSignal(value: unknown): value is AbortSignal {
  try {
    return value instanceof AbortSignal
  } catch {
    // A proxy with traps of its own: the request is denied as malformed.
    return false
  }
}
