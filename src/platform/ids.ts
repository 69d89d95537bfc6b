/** Fresh ids: one monotonic ULID factory per process, fed from a pool of random bytes. */

import { randomFillSync } from 'node:crypto'
import { monotonicFactory } from 'ulid'
import { idSource, type IdSource } from '../core/ids.js'

/** Ids of this process. Opaque: order is a record's `seq`, never its ids. */
export function systemIds(): IdSource {
  return idSource(monotonicFactory(pooledRandom()))
}

/** The default source asks the kernel for each character; a pool costs a tenth of that. */
function pooledRandom(): () => number {
  const pool = new Uint8Array(4096)
  let next = pool.length
  return () => {
    if (next === pool.length) {
      randomFillSync(pool)
      next = 0
    }
    const byte = pool[next] ?? 0
    next += 1
    return byte / 256
  }
}
