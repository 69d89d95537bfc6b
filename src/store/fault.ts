/** What a store rejects with (pipeline.md §8): every fault of the surroundings is a `RecordError`. */

import { InternalError, RecordError } from '../core/errors.js'
import { systemErrorCode } from '../platform/disk/system-error.js'

/** The fault itself when it already is one, `store_failed` around anything else. */
export function recordFault(cause: unknown, action: string): RecordError {
  if (cause instanceof RecordError) return cause
  const code = cause instanceof InternalError ? cause.code : systemErrorCode(cause)
  return new RecordError('store_failed', `cannot ${action}`, { cause: code }, cause)
}

/** Runs an action whose rejections become `RecordError`. */
export async function faulted<T>(action: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (cause) {
    throw recordFault(cause, action)
  }
}
