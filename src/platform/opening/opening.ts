/** How a system opens what was judged: the seam between closed and bounded races (tools.md §1). */

import type { Dirent } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import type { DirectoryEntry } from '../../contract/files.js'
import { SandboxError, ToolError, type ToolCode } from '../../core/errors.js'

/** For what a file is opened; a write may make missing folders strictly below `root`. */
export type Purpose =
  | { readonly access: 'read' }
  | {
      readonly access: 'write'
      readonly root: string
      /** Permissions of a file that is made; absent: what the system gives. */
      readonly mode?: number | undefined
    }

/** Paths are real, absolute and normalised. */
export interface Opening {
  /** Opens a regular file, hands it over, closes it. An existing file is not cut. */
  readonly withFile: <T>(
    real: string,
    purpose: Purpose,
    use: (handle: FileHandle) => Promise<T>,
  ) => Promise<T>
  /** Takes the name of a regular file away and tells its permissions; what has the name by then is not followed. */
  readonly removeFile: (real: string) => Promise<number>
  readonly listFolder: (real: string) => Promise<readonly DirectoryEntry[]>
}

/** Read, write and execute for owner, group and others; no file is made with more than these bits. */
export const PERMISSIONS = 0o777

/** What the system's own mask narrows where nothing else is said. */
export const USUAL_MODE = 0o666

/** What stands there is not what was judged: a link, a moved folder, no regular file, a second name. */
export function notJudged(what: string): SandboxError {
  const remedy = 'run the call again, so that what stands there now is judged'
  return new SandboxError('not_judged', `the path ${what}`, remedy)
}

/** What a system error means for a call; the original stays as the cause, away from the model. */
export function translated(error: unknown): Error {
  if (error instanceof SandboxError || error instanceof ToolError) return error
  const code = (error as NodeJS.ErrnoException).code ?? ''
  // A link where the judged path has none.
  if (code === 'ELOOP') return notJudged('leads through a link that was not judged')
  const [fault, message] =
    FAULTS[code] ?? (['input_output', 'the system refused the access'] as const)
  return new ToolError(fault, message, error)
}

/** The names of a folder in one fixed order. */
export function entries(found: readonly Dirent[]): readonly DirectoryEntry[] {
  return found
    .map((entry): DirectoryEntry => ({ name: entry.name, kind: kindOf(entry) }))
    .sort((left, right) => (left.name < right.name ? -1 : 1))
}

function kindOf(entry: Dirent): DirectoryEntry['kind'] {
  if (entry.isFile()) return 'file'
  if (entry.isDirectory()) return 'directory'
  return entry.isSymbolicLink() ? 'link' : 'other'
}

const FAULTS: Readonly<Record<string, readonly [ToolCode, string]>> = {
  ENOENT: ['not_found', 'there is no such file or folder'],
  ENOTDIR: ['not_a_folder', 'a part of the path is no folder'],
  EISDIR: ['not_a_file', 'the path is a folder'],
  EACCES: ['not_permitted', 'the system does not permit the access'],
  EPERM: ['not_permitted', 'the system does not permit the access'],
  EROFS: ['not_permitted', 'the file system is read-only'],
  ENAMETOOLONG: ['invalid_input', 'the path is too long'],
}
