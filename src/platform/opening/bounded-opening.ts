/**
 * Opening where descriptors cannot serve as folders (tools.md §1, `race: bounded`): the path is looked at
 * before and after, and the opened file is compared with the one that was looked at.
 */

import { constants, type Stats } from 'node:fs'
import { lstat, mkdir, open, readdir, realpath, unlink, type FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import {
  PERMISSIONS,
  USUAL_MODE,
  entries,
  notJudged,
  translated,
  type Opening,
  type Purpose,
} from './opening.js'
import { ToolError } from '../../core/errors.js'

// Windows knows neither of the two; the comparisons stand on their own.
const NOFOLLOW = (constants.O_NOFOLLOW as number | undefined) ?? 0
const NONBLOCK = (constants.O_NONBLOCK as number | undefined) ?? 0
const { O_CREAT, O_EXCL, O_RDONLY, O_WRONLY } = constants

/** A swap between two looks can still win; what it wins is noticed before anything is read or cut. */
export function boundedOpening(): Opening {
  return {
    withFile: (real, purpose, use) =>
      guarded(async () => {
        if (purpose.access === 'write') await makeFolders(dirname(real), purpose.root)
        const handle = await openFile(real, purpose)
        try {
          return await use(handle)
        } finally {
          await handle.close()
        }
      }),
    removeFile: (real) =>
      guarded(async () => {
        await demandUnlinked(dirname(real))
        const seen = await lookAt(real, { access: 'read' })
        if (seen !== null && seen.nlink > 1) throw notJudged('has a second name')
        await demandUnlinked(real)
        await unlink(real)
        return (seen?.mode ?? USUAL_MODE) & PERMISSIONS
      }),
    listFolder: (real) =>
      guarded(async () => {
        await demandUnlinked(real)
        const found = entries(await readdir(real, { withFileTypes: true }))
        await demandUnlinked(real)
        return found
      }),
  }
}

async function guarded<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    // Denied: nothing was read or cut through a path that is not the judged one.
    throw translated(error)
  }
}

async function demandUnlinked(real: string): Promise<void> {
  if ((await realpath(real)) !== real) throw notJudged('leads through a link that was not judged')
}

async function makeFolders(folder: string, root: string): Promise<void> {
  const isPresent = await lstat(folder).then(
    () => true,
    () => false,
  )
  const isBelow = folder.startsWith(root) && /^[\\/]/.test(folder.slice(root.length))
  if (isPresent || !isBelow) return
  await makeFolders(dirname(folder), root)
  await demandUnlinked(dirname(folder))
  await mkdir(folder)
}

async function openFile(real: string, purpose: Purpose): Promise<FileHandle> {
  await demandUnlinked(dirname(real))
  const before = await lookAt(real, purpose)
  const access = purpose.access === 'read' ? O_RDONLY : O_WRONLY
  const flags = before === null ? access | O_CREAT | O_EXCL : access
  const mode = purpose.access === 'write' ? (purpose.mode ?? USUAL_MODE) : USUAL_MODE
  const handle = await open(real, flags | NOFOLLOW | NONBLOCK, mode)
  try {
    const after = await handle.stat()
    const isSame = before === null || (after.ino === before.ino && after.dev === before.dev)
    if (!isSame || !after.isFile()) throw notJudged('was exchanged')
    await demandUnlinked(real)
    return handle
  } catch (error) {
    // Denied: what was opened is not what was judged.
    await handle.close()
    throw error
  }
}

/** `null`: a write is to make the file. */
async function lookAt(real: string, purpose: Purpose): Promise<Stats | null> {
  let stats: Stats
  try {
    stats = await lstat(real)
  } catch (error) {
    // Denied, unless a write is to make the file.
    if (purpose.access === 'read' || (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return null
  }
  if (stats.isSymbolicLink()) throw notJudged('is a link that was not judged')
  if (stats.isDirectory()) throw new ToolError('not_a_file', 'the path is a folder')
  if (!stats.isFile()) throw notJudged('is no regular file')
  if (purpose.access === 'write' && stats.nlink > 1) throw notJudged('has a second name')
  return stats
}
