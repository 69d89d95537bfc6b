/** The signals that may cancel one call (pipeline.md §3): of its first request and of its replays. */

/** A signal that cannot be read counts as fired. */
export interface CallSignals {
  readonly add: (signal: AbortSignal | null) => void
  readonly isAborted: () => boolean
  /** Tells about each signal that fires from now on; the result stops that. */
  readonly onAbort: (listener: () => void) => () => void
}

export function callSignals(first: AbortSignal | null): CallSignals {
  const signals = new Signals()
  signals.add(first)
  return signals
}

class Signals implements CallSignals {
  private readonly sources = new Set<AbortSignal>()
  private readonly listeners = new Set<() => void>()
  private isUnreadable = false

  readonly add = (signal: AbortSignal | null): void => {
    if (signal === null || this.sources.has(signal)) return
    this.sources.add(signal)
    if (this.listeners.size === 0) return
    this.watch(signal)
    if (hasFired(signal)) this.fire()
  }

  readonly isAborted = (): boolean => this.isUnreadable || [...this.sources].some(hasFired)

  readonly onAbort = (listener: () => void): (() => void) => {
    if (this.listeners.size === 0) this.sources.forEach(this.watch)
    this.listeners.add(listener)
    return () => {
      this.listeners.delete(listener)
      if (this.listeners.size === 0) this.sources.forEach(this.leave)
    }
  }

  private readonly fire = (): void => {
    for (const listener of [...this.listeners]) listener()
  }

  private readonly watch = (source: AbortSignal): void => {
    this.attempt(() => source.addEventListener('abort', this.fire))
  }

  private readonly leave = (source: AbortSignal): void => {
    this.attempt(() => source.removeEventListener('abort', this.fire))
  }

  private attempt(act: () => void): void {
    try {
      act()
    } catch {
      // Nobody could cancel the call by this signal, so it is cancelled now.
      this.isUnreadable = true
      this.fire()
    }
  }
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
