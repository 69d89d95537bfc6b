/** A file that is whole from the moment it has its name (trace.md §4), and that nobody replaces. */

import { randomBytes } from 'node:crypto'
import { createPrivateFile, linkFile, removeFile } from './private-files.js'

/**
 * Writes and flushes a draft beside the path, then gives it the name; false when the name is taken,
 * by a link too. Of several processes that try, one does. The name itself is on the medium once its
 * folder is flushed. Rejects with `ENOENT` when the folder, or the draft, was removed meanwhile.
 */
export async function createOnce(path: string, content: string | Uint8Array): Promise<boolean> {
  const draft = `${path}.${randomBytes(16).toString('hex')}.draft`
  await createPrivateFile(draft, content)
  try {
    // Not a rename: that would take the place of a file that is there.
    return await linkFile(draft, path)
  } finally {
    await removeFile(draft)
  }
}

/** Whether a file name is that of a draft, which a crash may have left. */
export function isDraft(name: string): boolean {
  return /\.[0-9a-f]{32}\.draft$/.test(name)
}
