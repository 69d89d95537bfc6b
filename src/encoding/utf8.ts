/** UTF-8 of short texts, cut from one slab after the other: an allocation each would cost more than the encoding. */

/** The bytes of a well-formed text; they are the caller's own, and nothing writes there again. */
export function utf8(text: string): Uint8Array {
  const atMost = text.length * 3
  if (atMost > SLAB / 8) return encoder.encode(text)
  if (atMost > slab.length - used) {
    slab = new Uint8Array(SLAB)
    used = 0
  }
  const start = used
  used += encoder.encodeInto(text, slab.subarray(start)).written
  return slab.subarray(start, used)
}

const SLAB = 64 * 1024
const encoder = new TextEncoder()
let slab = new Uint8Array(0)
let used = 0
