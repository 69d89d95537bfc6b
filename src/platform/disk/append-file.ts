/** One file that only grows (trace.md §4): exclusive creation, whole writes, flushes, no symlinks. */

import { constants, fstatSync, ftruncateSync, writeSync } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { RecordError } from '../../core/errors.js'
import { openRegularFile } from './regular-file.js'

/** Rejects and throws what the system says; the caller gives it a code. */
export interface AppendFile {
  /** Bytes up to the end of the last whole write. */
  readonly size: () => number
  /** Whether the file is as long as this handle left it: nobody else wrote or cut; one `fstat`. */
  readonly isIntact: () => boolean
  /**
   * Appends in one system call, without waiting for the medium. Synchronous: a write into the page
   * cache costs ten microseconds, a trip through the thread pool several times that. Throws when not
   * every byte was taken.
   */
  readonly append: (bytes: Uint8Array) => void
  /** Removes what a failed `append` left behind, and whatever else is past the last whole write. */
  readonly cutBack: () => void
  /** Everything appended so far is on the medium when it resolves. */
  readonly flush: () => Promise<void>
  readonly read: (offset: number, length: number) => Promise<Uint8Array>
  /** Shortens the file for good; on the medium when it resolves. */
  readonly truncate: (size: number) => Promise<void>
  readonly close: () => Promise<void>
}

/** Creates the file with mode 0600; rejects with `EEXIST` for anything at that path, links too. */
export async function createAppendFile(path: string): Promise<AppendFile> {
  const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_EXCL
  return appendFile(await open(path, flags, 0o600), 0)
}

/** Opens an existing regular file; rejects for a link, a pipe or a device. */
export async function openAppendFile(path: string): Promise<AppendFile> {
  const handle = await openRegularFile(path, constants.O_RDWR | constants.O_APPEND)
  return appendFile(handle, (await handle.stat()).size)
}

/** The bytes of a regular file from its start, a chunk at a time; each chunk is the reader's own. */
export async function* readChunks(path: string): AsyncGenerator<Uint8Array, void, void> {
  const handle = await openRegularFile(path, constants.O_RDONLY)
  try {
    for (;;) {
      const { bytesRead, buffer } = await handle.read(new Uint8Array(CHUNK), 0, CHUNK, null)
      if (bytesRead === 0) return
      yield buffer.subarray(0, bytesRead)
    }
  } finally {
    await handle.close()
  }
}

const CHUNK = 64 * 1024

function appendFile(handle: FileHandle, start: number): AppendFile {
  let size = start
  return {
    size: () => size,
    isIntact: () => fstatSync(handle.fd).size === size,
    append(bytes) {
      const written = writeSync(handle.fd, bytes)
      if (written !== bytes.length) {
        throw new RecordError('store_failed', 'short write', { written, given: bytes.length })
      }
      size += written
    },
    cutBack: () => ftruncateSync(handle.fd, size),
    flush: () => handle.datasync(),
    read: (offset, length) => readExactly(handle, offset, length),
    async truncate(to) {
      await handle.truncate(to)
      await handle.sync()
      size = to
    },
    close: () => handle.close(),
  }
}

async function readExactly(
  handle: FileHandle,
  offset: number,
  length: number,
): Promise<Uint8Array> {
  const bytes = new Uint8Array(length)
  for (let filled = 0; filled < length;) {
    const { bytesRead } = await handle.read(bytes, filled, length - filled, offset + filled)
    if (bytesRead === 0) throw new RecordError('store_failed', 'the file ended early', { offset })
    filled += bytesRead
  }
  return bytes
}
