/** Freezes values that this library made itself: plain JSON, so nothing has to be copied or looked at twice. */

import { ConfigError } from '../core/errors.js'
import { JSON_LIMITS } from './plain-json.js'

/**
 * Freezes deeply, in place, and gives the value back. Throws `ConfigError invalid_value` past the size
 * that any JSON of ours may have.
 */
export function frozen<T>(value: T): T {
  if (freezeAll(value) > JSON_LIMITS.size) {
    throw new ConfigError('invalid_value', 'a policy of more than 8 MiB')
  }
  return value
}

/** The estimated size of the text, as the guard of the JSON domain counts it. */
function freezeAll(value: unknown): number {
  if (typeof value === 'string') return value.length + 2
  if (typeof value !== 'object' || value === null) return 8
  let size = 2
  if (Array.isArray(value)) {
    for (const entry of value as readonly unknown[]) size += freezeAll(entry) + 1
  } else {
    for (const key of Object.keys(value)) {
      size += key.length + 4 + freezeAll((value as Readonly<Record<string, unknown>>)[key])
    }
  }
  Object.freeze(value)
  return size
}
