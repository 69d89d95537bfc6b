/** Small files and folders that only their owner may touch (trace.md §4): mode 0600 and 0700. */

import { randomBytes } from 'node:crypto'
import { closeSync, constants, fstatSync, lstatSync, openSync, type Stats } from 'node:fs'
import {
  link,
  lstat,
  mkdir,
  open,
  readdir,
  rename,
  rmdir,
  unlink,
  writeFile,
} from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { RecordError } from '../../core/errors.js'
import { readChunks } from './append-file.js'
import { systemErrorCode } from './system-error.js'

/**
 * Makes the folder and its missing parents, on the medium when it resolves. Rejects with
 * `store_failed` for one that is not a folder, belongs to somebody else, or that others may write.
 */
export async function createPrivateFolder(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: 0o700 })
  if (first !== undefined) await syncUpTo(resolve(path), dirname(resolve(first)))
  refuseForeignFolder(path, await lstat(path))
}

/** Whether the folder is there; rejects for what `createPrivateFolder` refuses. */
export async function privateFolderExists(path: string): Promise<boolean> {
  try {
    refuseForeignFolder(path, await lstat(path))
    return true
  } catch (cause) {
    if (systemErrorCode(cause) === 'ENOENT') return false
    throw cause
  }
}

/** Removes an empty folder; rejects for one that is not, or not there. */
export async function removeFolder(path: string): Promise<void> {
  await rmdir(path)
}

/** Creates a file with this content, on the medium when it resolves; rejects with `EEXIST` when anything is there. */
export async function createPrivateFile(path: string, content: string | Uint8Array): Promise<void> {
  const handle = await open(path, 'wx', 0o600)
  try {
    await handle.writeFile(content)
    await handle.sync()
  } catch (cause) {
    await unlink(path)
    throw cause
  } finally {
    await handle.close()
  }
}

/** Takes space with bytes that no file system can compress or share away; not flushed. */
export async function reserveSpace(path: string, bytes: number): Promise<void> {
  try {
    await writeFile(path, randomBytes(bytes), { flag: 'wx', mode: 0o600 })
  } catch (cause) {
    if (systemErrorCode(cause) !== 'EEXIST') await removeFile(path)
    throw cause
  }
}

/** A whole small file; `null` when there is none, `malformed_record` over 4 KiB. */
export async function readSmallFile(path: string): Promise<string | null> {
  const chunks: Uint8Array[] = []
  try {
    for await (const chunk of readChunks(path)) {
      chunks.push(chunk)
      if (Buffer.concat(chunks).length > 4096) {
        throw new RecordError('malformed_record', 'not a small file', { path })
      }
    }
  } catch (cause) {
    if (systemErrorCode(cause) === 'ENOENT') return null
    throw cause
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** The path as it is now, whatever the working folder becomes later. */
export function absolutePath(path: string): string {
  return resolve(path)
}

/** Gives a file a second name; false when that name is taken. Atomic, so a name is won by one. */
export async function linkFile(from: string, to: string): Promise<boolean> {
  return unless('EEXIST', link(from, to))
}

/** Renames over whatever is there, atomically. */
export async function renameFile(from: string, to: string): Promise<void> {
  await rename(from, to)
}

/** Removes a name; false when there was none. */
export async function removeFile(path: string): Promise<boolean> {
  return unless('ENOENT', unlink(path))
}

/** Whether anything, a dangling link too, has this name. */
export async function nameExists(path: string): Promise<boolean> {
  return unless('ENOENT', lstat(path))
}

/** Names in a folder; none when there is no such folder. */
export async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder)
  } catch (cause) {
    if (systemErrorCode(cause) === 'ENOENT') return []
    throw cause
  }
}

/** Puts the names in a folder on the medium. Windows has no such call and needs none. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(path, constants.O_RDONLY)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** A file that is held open, so that its inode number cannot come back as another file's. */
export interface HeldFile {
  /** Whether the path still leads to this very file; one `lstat`, about two microseconds. */
  readonly isAt: (path: string) => boolean
  readonly close: () => void
}

export function holdFile(path: string): HeldFile {
  const descriptor = openSync(path, 'r')
  const { dev, ino } = fstatSync(descriptor, { bigint: true })
  return {
    isAt(other) {
      const found = lstatSync(other, { bigint: true, throwIfNoEntry: false })
      return found?.ino === ino && found.dev === dev
    },
    close: () => closeSync(descriptor),
  }
}

function refuseForeignFolder(path: string, found: Stats): void {
  if (!found.isDirectory()) throw new RecordError('store_failed', 'not a folder', { path })
  const owner = process.geteuid?.()
  if (owner === undefined) return
  if (found.uid !== owner || (found.mode & 0o022) !== 0) {
    throw new RecordError('store_failed', 'others may write the folder', { path })
  }
}

async function unless(code: string, action: Promise<unknown>): Promise<boolean> {
  try {
    await action
    return true
  } catch (cause) {
    if (systemErrorCode(cause) === code) return false
    throw cause
  }
}

async function syncUpTo(path: string, last: string): Promise<void> {
  for (let folder = path; ; folder = dirname(folder)) {
    await syncFolder(folder)
    if (folder === last || folder === dirname(folder)) return
  }
}
