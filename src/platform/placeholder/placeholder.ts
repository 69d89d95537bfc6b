/** An empty file or folder of ours that stands for a protected name while a command runs (sandbox.md §3). */

import {
  accessSync,
  chmodSync,
  constants,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmdirSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import type { Stats } from 'node:fs'
import { SandboxError } from '../../core/errors.js'
import { systemErrorCode } from '../disk/system-error.js'

/** A name below a workspace. `closed` folders stay empty inside, `open` ones are only on the way. */
export interface Placeholder {
  readonly name: string
  readonly kind: 'closed' | 'open' | 'file'
  /** What a file says, where an empty one would be misread; absent: nothing. */
  readonly text?: string | undefined
}

/** A placeholder with what tells it from everything else. */
export interface Made extends Placeholder {
  /** Device, inode and mode. */
  readonly id: string
  /** When it last changed: what somebody put into it shows here. */
  readonly changedMs: number
}

/**
 * Makes one; `null` when the name exists by now, or when neither this user nor a command of this user
 * can make it. Throws `SandboxError` when only a command could.
 */
export function makePlaceholder(workspace: string, wanted: Placeholder): Made | null {
  const path = `${workspace}/${wanted.name}`
  try {
    if (wanted.kind === 'file') writeFileSync(path, wanted.text ?? '', { flag: 'wx', mode: MODE })
    else mkdirSync(path, { mode: MODE })
    const stats = lstatSync(path)
    return { ...wanted, id: idOf(stats), changedMs: stats.ctimeMs }
  } catch (cause) {
    const code = systemErrorCode(cause)
    if (code === 'EEXIST' || code === 'EROFS') return null
    // The folder on the way is barred as well.
    if (code === 'ENOENT' && isBarred(workspace)) return null
    if ((code === 'EACCES' || code === 'EPERM') && !isOwner(workspace, wanted)) return null
    // Denied: the run. A command could make what this process could not.
    throw new SandboxError(
      'setup_failed',
      `no placeholder can be made for \`${path}\``,
      'make the workspace writable, or use the read_only mode',
      cause,
    )
  }
}

/** True while it is untouched. One on the way to another changes when that one is made. */
export function isStanding(workspace: string, made: Made): boolean {
  try {
    const stats = lstatSync(`${workspace}/${made.name}`)
    return isOurs(stats, made) && (made.kind === 'open' || stats.ctimeMs === made.changedMs)
  } catch {
    // Denied: this name as a placeholder; it is made again or protected as what it is now.
    return false
  }
}

/** Removes one only if it is still ours and holds nothing of anybody else. `id` is `null` when a crash came before it was noted. */
export function removePlaceholder(
  workspace: string,
  made: Placeholder & { readonly id: string | null },
): void {
  const path = `${workspace}/${made.name}`
  try {
    const stats = lstatSync(path)
    if (!isOurs(stats, made) || hasLinkAbove(workspace, made.name)) return
    if (made.kind !== 'file') rmdirSync(path)
    else if (saysOurs(path, stats, made) && stats.nlink === 1) unlinkSync(path)
  } catch (cause) {
    // Nothing is denied: it is gone, or somebody put something in it and it is theirs now.
    if (systemErrorCode(cause) === 'ENOTEMPTY') settle(path, workspace)
  }
}

/** No user's tool makes folders or files with exactly this mode; a file mode mask may take bits away. */
const MODE = 0o711

function idOf(stats: Stats): string {
  return `${stats.dev}:${stats.ino}:${stats.mode & 0o7777}`
}

function isOurs(stats: Stats, made: Placeholder & { readonly id: string | null }): boolean {
  if (made.kind === 'file' ? !stats.isFile() : !stats.isDirectory()) return false
  if (made.id !== null) return idOf(stats) === made.id
  return (stats.mode & 0o7777 & ~MODE) === 0 && stats.uid === process.geteuid?.()
}

/** Empty, or our text: a crash may have come between making the file and writing to it. */
function saysOurs(path: string, { size }: Stats, { text = '' }: Placeholder): boolean {
  return size === 0 || (size === text.length && readFileSync(path, 'latin1') === text)
}

function hasLinkAbove(workspace: string, name: string): boolean {
  const slash = name.lastIndexOf('/')
  return slash !== -1 && lstatSync(`${workspace}/${name.slice(0, slash)}`).isSymbolicLink()
}

/** True for a folder in which neither this user nor a command of this user can make anything. */
function isBarred(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    return false
  } catch (cause) {
    // Denied: the run, unless nothing can be made there anyway.
    const code = systemErrorCode(cause)
    return code === 'EROFS' || (code === 'EACCES' && lstatSync(folder).uid !== process.geteuid?.())
  }
}

function isOwner(workspace: string, { name }: Placeholder): boolean {
  const slash = name.lastIndexOf('/')
  const parent = slash === -1 ? workspace : `${workspace}/${name.slice(0, slash)}`
  return lstatSync(parent).uid === process.geteuid?.()
}

/** A folder that became somebody's is as open as the workspace. */
function settle(path: string, workspace: string): void {
  try {
    chmodSync(path, lstatSync(workspace).mode & 0o777)
  } catch {
    // Nothing is denied: the folder keeps its mode.
  }
}
