/** The file of trusted policies on the disk (pipeline.md §2, H-01): private to its owner, replaced whole. */

import { randomBytes } from 'node:crypto'
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
} from 'node:fs'
import type { Stats } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { ConfigError } from '../core/errors.js'
import {
  createPrivateFile,
  createPrivateFolder,
  removeFile,
  renameFile,
  syncFolder,
} from './disk/private-files.js'
import { systemErrorCode } from './disk/system-error.js'

/**
 * The whole text; `null` when there is no file. Throws `ConfigError unreadable_file` for a link, for
 * anything but a regular file of at most 1 MiB, and where somebody else owns or may write the file or
 * its folder: what others can write says nothing of what this person trusts.
 */
export function readTrustFile(path: string): string | null {
  try {
    const folder = lstatSync(dirname(path), { throwIfNoEntry: false })
    if (folder === undefined) return null
    refuseForeign(folder, { path, isRight: folder.isDirectory(), others: 0o022 })
    return readOwn(path)
  } catch (cause) {
    if (systemErrorCode(cause) === 'ENOENT') return null
    if (cause instanceof ConfigError) throw cause
    // Nothing is trusted, and nothing is built that asks for it.
    throw unreadable(path, 'it cannot be opened', cause)
  }
}

/**
 * Replaces the file by what `change` makes of it, on the medium when it resolves. Rejects with
 * `ConfigError` while another process does the same, and for what `readTrustFile` refuses.
 */
export async function replaceTrustFile(
  path: string,
  change: (text: string | null) => string,
): Promise<void> {
  const folder = dirname(path)
  await createPrivateFolder(folder)
  const draft = `${path}.${randomBytes(16).toString('hex')}.draft`
  await lock(`${path}.lock`)
  try {
    await createPrivateFile(draft, change(readTrustFile(path)))
    await renameFile(draft, path)
    await syncFolder(folder)
  } finally {
    await removeFile(draft)
    await removeFile(`${path}.lock`)
  }
}

/** The folder that holds the list. */
export function folderOf(path: string): string {
  return dirname(path)
}

/** The name of `path` in another folder. */
export function placeIn(folder: string, path: string): string {
  return join(folder, basename(path))
}

/** Makes the folder of the list, so that a sandbox can cover it. */
export function makeTrustFolder(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  } catch {
    // Denied: the driver refuses every command that could write where the folder would be.
  }
}

const MAXIMUM = 1024 * 1024
const FLAGS = constants.O_RDONLY | flag('O_NOFOLLOW') | flag('O_NONBLOCK')

/** Absent on Windows; the type says that they are always there. */
function flag(name: 'O_NOFOLLOW' | 'O_NONBLOCK'): number {
  const value: unknown = Reflect.get(constants, name)
  return typeof value === 'number' ? value : 0
}

function readOwn(path: string): string {
  const descriptor = openSync(path, FLAGS)
  try {
    const file = fstatSync(descriptor)
    const isRight = file.isFile() && file.size <= MAXIMUM
    refuseForeign(file, { path, isRight, others: 0o077 })
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(descriptor))
  } finally {
    closeSync(descriptor)
  }
}

function refuseForeign(
  found: Stats,
  { path, isRight, others }: { readonly path: string; isRight: boolean; others: number },
): void {
  if (!isRight) throw unreadable(path, 'it is no regular file of at most 1 MiB in a folder')
  const owner = process.geteuid?.()
  if (owner === undefined) return
  if (found.uid !== owner || (found.mode & others) !== 0) {
    throw unreadable(path, 'it, or its folder, is not private to its owner')
  }
}

/** Two changes at once would lose one of them, and that may be a revocation. */
async function lock(path: string): Promise<void> {
  try {
    await createPrivateFile(path, '')
  } catch (cause) {
    // Nothing is changed.
    throw new ConfigError('unreadable_file', 'another process changes the trusted policy files', {
      file: path,
      cause,
      suggestion: 'wait for it; if none runs, remove this file',
    })
  }
}

function unreadable(path: string, why: string, cause?: unknown): ConfigError {
  return new ConfigError('unreadable_file', `the list of trusted policy files is refused: ${why}`, {
    file: path,
    cause,
    suggestion: 'make it a file of your own with mode 0600, or remove it',
  })
}
