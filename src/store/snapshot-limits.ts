/** What a store takes as a snapshot (delegation.md §4): checked before it touches a path or a table. */

import { RecordError } from '../core/errors.js'

/** The most bytes of one snapshot; more are refused when written and when read. */
export const MAX_SNAPSHOT: number = 8 * 1024 * 1024

/** Throws `malformed_record` unless the version is a positive safe integer. */
export function checkVersion(version: number): number {
  if (Number.isSafeInteger(version) && version > 0) return version
  throw new RecordError('malformed_record', 'a version is a positive safe integer')
}

/** A copy, so what the caller does to its bytes afterwards changes nothing. */
export function copySnapshot(bytes: Uint8Array): Uint8Array {
  // Not `slice`: a Buffer's shares its memory.
  if (bytes.length <= MAX_SNAPSHOT) return new Uint8Array(bytes)
  throw new RecordError('malformed_record', 'a snapshot is too long', { limit: MAX_SNAPSHOT })
}

/** Throws `store_failed` when a version that is there has other bytes: it never changes. */
export function refuseOtherBytes(found: Uint8Array | null | undefined, given: Uint8Array): void {
  const isSame = found?.length === given.length && found.every((byte, at) => byte === given[at])
  if (!isSame) throw new RecordError('store_failed', 'the version exists with other bytes')
}
