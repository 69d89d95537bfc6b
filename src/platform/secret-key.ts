/** Secret keys of this process. */

import { randomBytes } from 'node:crypto'

/** 32 fresh random bytes. Never written anywhere. */
export function secretKey(): Uint8Array {
  return new Uint8Array(randomBytes(32))
}
