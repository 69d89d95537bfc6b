/** Content by digest (trace.md §2): records hold what content was, never the content. */

import type { Json } from '../core/json.js'
import { canonicalBytes } from '../encoding/canonical.js'
import { sha256 } from '../encoding/digest.js'
import type { ContentRef } from './records.js'

/** Reference to the canonical form of a JSON value; `size` in bytes. */
export function contentOf(value: Json | object): ContentRef {
  const bytes = canonicalBytes(value)
  return { alg: 'sha256', d: sha256(bytes), size: bytes.length, media: 'application/json' }
}
