/** Fresh secret keys. */

import { randomBytes } from 'node:crypto'

/** 32 fresh random bytes; where they are kept, if at all, is for the caller to say. */
export function secretKey(): Uint8Array {
  return new Uint8Array(randomBytes(32))
}
