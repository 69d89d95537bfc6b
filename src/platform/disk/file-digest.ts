/** The state of a file at one moment, without a wait (pipeline.md §5): what a yes was given for. */

import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'

/** Of larger files size, time and identity stand for the bytes. */
const READ_AT_MOST = 32 * 1024 * 1024

/** SHA-256 of the bytes, lower-case hexadecimal; `null` for what is no readable regular file. */
export function fileDigest(path: string): string | null {
  try {
    const facts = statSync(path, { bigint: true })
    if (!facts.isFile()) return null
    const { size, mtimeNs, ctimeNs, ino } = facts
    const hash = createHash('sha256')
    const isSmall = size <= BigInt(READ_AT_MOST)
    return hash
      .update(isSmall ? readFileSync(path) : `${size} ${mtimeNs} ${ctimeNs} ${ino}`)
      .digest('hex')
  } catch {
    // It is not there, or not for us: another state than one that was read.
    return null
  }
}
