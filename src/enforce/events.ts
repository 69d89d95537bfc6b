/** Observers (`sixgate.on`): told after the record, unable to change anything. */

import type { Events } from '../contract/session.js'

export interface EventHub {
  readonly on: <E extends keyof Events>(
    event: E,
    listener: (event: Events[E]) => void,
  ) => Disposable
  readonly emit: <E extends keyof Events>(event: E, value: Events[E]) => void
}

type Listener = (value: never) => unknown

/** A hub without listeners. What a listener throws is dropped: it must not change a call. */
export function eventHub(): EventHub {
  const listeners = new Map<keyof Events, Set<{ readonly listener: Listener }>>()
  return {
    on(event, listener) {
      const known = listeners.get(event) ?? new Set()
      // One registration an object: the same function may listen twice and stop once.
      const registration = { listener }
      listeners.set(event, known.add(registration))
      return { [Symbol.dispose]: () => void known.delete(registration) }
    },
    emit(event, value) {
      const frozen = Object.freeze(value)
      // Those who listen now; whoever is added by one of them hears of the next event.
      for (const { listener } of [...(listeners.get(event) ?? [])]) tell(listener, frozen as never)
    },
  }
}

function tell(listener: Listener, value: never): void {
  try {
    const result = listener(value)
    if (result instanceof Promise) result.catch(() => undefined)
  } catch {
    // An observer's fault is its own; the record is written and the call goes on as decided.
  }
}
