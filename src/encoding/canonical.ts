/** RFC 8785 bytes of plain JSON: the only place for `canonicalize` (trace.md §1). */

import canonicalize from 'canonicalize'
import { InternalError } from '../core/errors.js'
import type { Json } from '../core/json.js'
import { writeCanonical } from './canonical-writer.js'
import { sha256 } from './digest.js'
import { utf8 } from './utf8.js'

/** The canonical text. Takes values of the closed domain only, that is copies made by `copyJson`, or our own literals. */
export function canonicalText(value: Json | object): string {
  const text = writeCanonical(value) ?? canonicalize(value)
  if (text === undefined) throw new InternalError('invariant', 'a value without canonical form')
  return text
}

/** The canonical text as UTF-8. */
export function canonicalBytes(value: Json | object): Uint8Array {
  return utf8(canonicalText(value))
}

/** A record as it is written and linked: its canonical bytes, and SHA-256(0x00 ‖ bytes) (trace.md §1). */
export function canonicalLeaf(value: Json | object): {
  readonly line: Uint8Array
  readonly digest: string
} {
  // One encoding serves both: the line is the leaf without its first byte.
  const leaf = utf8(`\0${canonicalText(value)}`)
  return { line: leaf.subarray(1), digest: sha256(leaf) }
}

/** SHA-256 of the canonical bytes, lower-case hexadecimal. */
export function canonicalDigest(value: Json | object): string {
  return sha256(canonicalText(value))
}
