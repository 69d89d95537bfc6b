/** Ids that are the same in every run of a test: ULIDs from a seed. */

import { idSource, type IdSource } from '../core/ids.js'

/** Deterministic, never repeated within one source, and growing in text order. Not for production. */
export function seededIds(seed = 1): IdSource {
  const random = generator(seed)
  let count = 0
  return idSource(() => {
    count += 1
    return encodeCount(count) + Array.from({ length: 16 }, () => digit(random())).join('')
  })
}

/** The 48 bits of a ULID that are a time elsewhere. */
function encodeCount(count: number): string {
  return Array.from({ length: 10 }, (_, place) =>
    digit(Math.floor(count / 32 ** (9 - place))),
  ).join('')
}

function digit(value: number): string {
  return CROCKFORD.charAt(value % 32)
}

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** A linear congruential generator (Numerical Recipes); the low bits of one repeat early, so they go. */
function generator(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state >>> 16
  }
}
