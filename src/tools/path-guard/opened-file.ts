/** An opened regular file as a tool uses it: by position, never by its name again (H-28). */

import { ToolError } from '../../core/errors.js'
import type { OpenHandle } from '../../platform/opening/system-opening.js'

/** A file while it is open. */
export interface OpenedFile {
  readonly size: number
  /** Device and inode: an edit compares what it read with what it is about to write. */
  readonly id: string
}

/** A file that is read. */
export interface ReadableFile extends OpenedFile {
  /** At most `length` bytes from `position` on; fewer at the end. */
  readonly read: (position: number, length: number) => Promise<Uint8Array>
}

/** A file that is written. Nothing is cut before `replace`. */
export interface WritableFile extends OpenedFile {
  /** Puts this in the place of everything that the file holds. */
  readonly replace: (content: Uint8Array | string) => Promise<void>
}

/** Of a handle that stays its caller's. */
export async function readFile(handle: OpenHandle): Promise<ReadableFile> {
  return {
    ...(await factsOf(handle)),
    async read(position, length) {
      const isPlace = Number.isSafeInteger(position) && position >= 0
      const isLength = Number.isSafeInteger(length) && length >= 0 && length <= MOST_BYTES
      if (!isPlace || !isLength) {
        throw new ToolError(
          'invalid_input',
          `a position or a length is no number up to ${MOST_BYTES}`,
        )
      }
      const bytes = new Uint8Array(length)
      let filled = 0
      while (filled < length) {
        const { bytesRead } = await handle.read(bytes, filled, length - filled, position + filled)
        if (bytesRead === 0) break
        filled += bytesRead
      }
      return bytes.subarray(0, filled)
    },
  }
}

const MOST_BYTES = 1 << 30

/** Of a handle that stays its caller's. */
export async function writeFile(handle: OpenHandle): Promise<WritableFile> {
  return {
    ...(await factsOf(handle)),
    async replace(content) {
      const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
      for (let at = 0; at < bytes.length;) {
        const { bytesWritten } = await handle.write(bytes, at, bytes.length - at, at)
        at += bytesWritten
      }
      await handle.truncate(bytes.length)
    },
  }
}

async function factsOf(handle: OpenHandle): Promise<OpenedFile> {
  const { size, dev, ino } = await handle.stat()
  return { size, id: `${dev}:${ino}` }
}
