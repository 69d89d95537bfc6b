/** What a sandbox driver reads of the machine before it confines anything; a port, so tests can lie. */

import {
  accessSync,
  closeSync,
  constants,
  lstatSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  statSync,
  type Dirent,
  type Stats,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PLATFORMS, type Platform } from '../core/guarantee.js'
import { removeTree } from './disk/remove-tree.js'
import { homeFolder } from './folders.js'
import { linksOn } from './node-path-resolver.js'

export type FileKind = 'file' | 'directory' | 'link' | 'special'

/** A name in a folder. */
export interface FolderEntry {
  readonly name: string
  readonly kind: FileKind
}

/** What `lstat` says, as far as drivers care. */
export interface FileFacts {
  readonly kind: FileKind
  readonly owner: number
  /** Permission bits with set-user-id, set-group-id and sticky. */
  readonly mode: number
  readonly modifiedMs: number
  /** When the file or the folder's list of names was last changed; no program can set it. */
  readonly changedMs: number
  /** Device and inode. */
  readonly id: string
  /** How many names the file has. */
  readonly links: number
}

/** One machine. No function throws: what cannot be read is `null`, empty or false. */
export interface Machine {
  readonly platform: Platform | 'other'
  readonly architecture: 'x64' | 'arm64' | 'other'
  readonly user: number
  /** Real, like every path here: on Windows with slashes, `C:/Users/me`. */
  readonly home: string
  /** Real. */
  readonly temporary: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  readonly facts: (path: string) => FileFacts | null
  readonly realPath: (path: string) => string | null
  /** Where the links stand that lead to what a path means; whoever can write there decides what it means. */
  readonly linksOn: (path: string) => readonly string[]
  readonly list: (folder: string) => readonly FolderEntry[]
  /** The names in a folder; `null` when this user may not list it. */
  readonly entries: (folder: string) => readonly FolderEntry[] | null
  /** The beginning of a small text file, without following a link; `null` when it cannot be read. */
  readonly text: (path: string) => string | null
  readonly isReadable: (path: string) => boolean
  /** A fresh folder that only this user can enter; `null` when none can be made. */
  readonly privateFolder: () => { readonly path: string; readonly remove: () => void } | null
}

const IS_WINDOWS = process.platform === 'win32'

/** The machine that this process runs on, with the environment as it is now. */
export function systemMachine(): Machine {
  return {
    platform: PLATFORMS.find((name) => name === process.platform) ?? 'other',
    architecture: process.arch === 'x64' || process.arch === 'arm64' ? process.arch : 'other',
    user: process.geteuid?.() ?? -1,
    home: realPath(homeFolder()) ?? homeFolder(),
    temporary: [
      ...new Set([tmpdir(), ...(IS_WINDOWS ? [] : ['/tmp'])].map((path) => realPath(path) ?? path)),
    ],
    environment: environment(),
    facts,
    realPath,
    linksOn,
    list: (folder) => entries(folder) ?? [],
    entries,
    text,
    isReadable,
    privateFolder,
  }
}

function environment(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    ),
  )
}

function facts(path: string): FileFacts | null {
  try {
    // An absent name is no error here: most that are looked for are absent, and an error costs more than the look.
    const stats = lstatSync(path, { throwIfNoEntry: false })
    if (stats === undefined) return null
    return {
      kind: kindOf(stats),
      owner: stats.uid,
      mode: stats.mode & 0o7777,
      modifiedMs: stats.mtimeMs,
      changedMs: stats.ctimeMs,
      id: `${stats.dev}:${stats.ino}`,
      links: stats.nlink,
    }
  } catch {
    // Denied: whatever needed this file.
    return null
  }
}

function realPath(path: string): string | null {
  try {
    // Windows' own answer has names in full and as they are spelled on the disk.
    return IS_WINDOWS ? realpathSync.native(path).replaceAll('\\', '/') : realpathSync(path)
  } catch {
    // Denied: the path as a root or as a folder of PATH.
    return null
  }
}

function entries(folder: string): readonly FolderEntry[] | null {
  try {
    const found = readdirSync(folder, { withFileTypes: true })
    return found.map((entry) => ({ name: entry.name, kind: kindOf(entry) }))
  } catch {
    // Denied by whoever needs the names: what cannot be listed cannot be searched either.
    return null
  }
}

function text(path: string): string | null {
  try {
    // Opening a pipe without O_NONBLOCK would wait for a writer.
    const descriptor = openSync(path, constants.O_NOFOLLOW | constants.O_NONBLOCK)
    try {
      const bytes = new Uint8Array(TEXT_BYTES)
      return new TextDecoder().decode(bytes.subarray(0, readSync(descriptor, bytes)))
    } finally {
      closeSync(descriptor)
    }
  } catch {
    // Denied: whatever needed this text.
    return null
  }
}

const TEXT_BYTES = 4096

function kindOf(entry: Dirent | Stats): FileKind {
  if (entry.isSymbolicLink()) return 'link'
  if (entry.isDirectory()) return 'directory'
  return entry.isFile() ? 'file' : 'special'
}

function isReadable(path: string): boolean {
  try {
    // A link is followed, and a folder counts only if it can be entered.
    accessSync(path, statSync(path).isDirectory() ? constants.X_OK : constants.R_OK)
    return true
  } catch {
    // Nothing is opened by it: the kernel refuses this user with or without a mask.
    return false
  }
}

function privateFolder(): ReturnType<Machine['privateFolder']> {
  try {
    const path = realPath(mkdtempSync(join(tmpdir(), 'sixgate-probe-')))
    return path === null ? null : { path, remove: () => removeFolder(path) }
  } catch {
    // Denied: the probe, and with it the sandbox.
    return null
  }
}

function removeFolder(path: string): void {
  try {
    removeTree(path)
  } catch {
    // Nothing is denied: the folder stays behind, and only this user can enter it.
  }
}
