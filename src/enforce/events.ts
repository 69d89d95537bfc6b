/** Observers (`sixgate.on`): told after the record, unable to change anything. */

import type { Events } from '../contract/session.js'

export interface EventHub {
  readonly on: <E extends keyof Events>(
    event: E,
    listener: (event: Events[E]) => void,
  ) => Disposable
  readonly emit: <E extends keyof Events>(event: E, value: Events[E]) => void
}

/** A hub without listeners. What a listener throws is dropped: it must not change a call. */
export function eventHub(): EventHub {
  const listeners = new Map<keyof Events, Set<(value: never) => void>>()
  return {
    on(event, listener) {
      const known = listeners.get(event) ?? new Set()
      listeners.set(event, known.add(listener))
      return { [Symbol.dispose]: () => void known.delete(listener) }
    },
    emit(event, value) {
      for (const listener of listeners.get(event) ?? []) {
        try {
          listener(value as never)
        } catch {
          // An observer's fault is its own; the record is written and the call goes on as decided.
        }
      }
    },
  }
}
