/** Reading a file that only its owner may touch (trace.md §4): anything looser is not believed. */

import { constants } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { RecordError } from '../../core/errors.js'
import { openRegularFile } from './regular-file.js'
import { systemErrorCode } from './system-error.js'

/**
 * The whole file; `null` when there is none. Rejects with `store_failed` for a link, for anything but
 * a regular file, for one that belongs to somebody else or that others may read or write, and for
 * one that is longer than `maximum` bytes.
 */
export async function readPrivateFile(path: string, maximum: number): Promise<Uint8Array | null> {
  const handle = await openExisting(path)
  if (handle === null) return null
  try {
    return await readWhole(handle, path, maximum)
  } finally {
    await handle.close()
  }
}

async function openExisting(path: string): Promise<FileHandle | null> {
  try {
    return await openRegularFile(path, constants.O_RDONLY)
  } catch (cause) {
    if (systemErrorCode(cause) === 'ENOENT') return null
    throw cause
  }
}

async function readWhole(handle: FileHandle, path: string, maximum: number): Promise<Uint8Array> {
  const { uid, mode, size } = await handle.stat()
  const owner = process.geteuid?.()
  if (owner !== undefined && (uid !== owner || (mode & 0o077) !== 0)) {
    throw new RecordError('store_failed', 'the file is not private to its owner', { path })
  }
  if (size > maximum) throw new RecordError('store_failed', 'the file is too long', { path, size })
  const bytes = new Uint8Array(await handle.readFile())
  if (bytes.length === size) return bytes
  throw new RecordError('store_failed', 'the file changed while it was read', { path })
}
