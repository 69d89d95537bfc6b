/** Reading a small text file whole. */

import { open } from 'node:fs/promises'
import { constants } from 'node:fs'
import { InternalError } from '../../core/errors.js'

/**
 * Every byte as text, a mark at the start too. Rejects for anything but a regular file of at most
 * `maximum` bytes in valid UTF-8.
 */
export async function readTextFile(file: string, maximum: number): Promise<string> {
  // Without O_NONBLOCK the open of a FIFO would wait for a writer.
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const state = await handle.stat()
    if (!state.isFile() || state.size > maximum) {
      throw new InternalError('invariant', 'not a regular file of the allowed size')
    }
    const bytes = await handle.readFile()
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } finally {
    await handle.close()
  }
}
