/**
 * Opening by descriptor on Linux (tools.md §1): each folder of the judged path is opened below the one
 * before, links refused, and files are looked at by a descriptor that cannot act before they are opened.
 */

import { constants } from 'node:fs'
import { mkdir, open, readdir, readlink, unlink, type FileHandle } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
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

/** Opening with it reads, writes, waits and triggers nothing; Node has no name for it. */
const O_PATH = 0o10000000
const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants

/** The race is closed: a link or a folder that is put in place afterwards is not followed. */
export function descriptorOpening(): Opening {
  return {
    withFile: (real, purpose, use) =>
      withFolder(dirname(real), purpose, async (folder) => {
        const handle = await openFile(folder, real, purpose)
        try {
          return await use(handle)
        } finally {
          await handle.close()
        }
      }),
    removeFile: (real) =>
      withFolder(dirname(real), { access: 'read' }, async (folder) => {
        const below = `${place(folder)}/${basename(real)}`
        const seen = await lookAt(below, real, 'write')
        const { mode } = await seen.stat().finally(() => seen.close())
        // In the folder that is held: of a link that is put there meanwhile only the link goes.
        await unlink(below)
        return mode & PERMISSIONS
      }),
    listFolder: (real) =>
      withFolder(real, { access: 'read' }, async (folder) =>
        entries(await readdir(place(folder), { withFileTypes: true })),
      ),
  }
}

/** The kernel takes this name for the open file itself. */
function place(handle: FileHandle): string {
  return `/proc/self/fd/${handle.fd}`
}

async function withFolder<T>(
  real: string,
  purpose: Purpose,
  use: (folder: FileHandle) => Promise<T>,
): Promise<T> {
  let folder: FileHandle | undefined
  try {
    folder = await openFolder(real, purpose)
    return await use(folder)
  } catch (error) {
    // Denied: nothing was read, made or cut through a path that is not the judged one.
    throw translated(error)
  } finally {
    await folder?.close()
  }
}

async function openFolder(real: string, purpose: Purpose): Promise<FileHandle> {
  let folder = await open('/', O_PATH | O_DIRECTORY)
  try {
    let path = ''
    for (const name of real.split('/').filter((part) => part !== '')) {
      path += `/${name}`
      const next = await step(folder, name, { path, purpose })
      await folder.close()
      folder = next
    }
    // A folder that was moved meanwhile is another one than was judged.
    if ((await readlink(place(folder))) !== (path || '/')) throw notJudged('was moved')
    return folder
  } catch (error) {
    // Denied: the caller translates; no descriptor stays open.
    await folder.close()
    throw error
  }
}

const FOLDER = O_PATH | O_DIRECTORY | O_NOFOLLOW

async function step(
  folder: FileHandle,
  name: string,
  { path, purpose }: { readonly path: string; readonly purpose: Purpose },
): Promise<FileHandle> {
  const below = `${place(folder)}/${name}`
  try {
    return await open(below, FOLDER)
  } catch (error) {
    // Denied, unless a write may make the folder.
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'ENOTDIR') throw await notAFolder(below, error)
    if (code !== 'ENOENT' || purpose.access !== 'write') throw error
    if (!path.startsWith(purpose.root === '/' ? '/' : `${purpose.root}/`)) throw error
    await mkdir(below).catch(unlessPresent)
    return open(below, FOLDER)
  }
}

/** With `O_DIRECTORY` the kernel reports a link as no folder. */
async function notAFolder(below: string, error: unknown): Promise<unknown> {
  const isLink = await readlink(below).then(
    () => true,
    () => false,
  )
  return isLink ? notJudged('leads through a link that was not judged') : error
}

function unlessPresent(error: unknown): void {
  // Denied, unless somebody else made the folder first; it is then opened like any other.
  if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
}

async function openFile(folder: FileHandle, real: string, purpose: Purpose): Promise<FileHandle> {
  const below = `${place(folder)}/${basename(real)}`
  let seen: FileHandle
  try {
    seen = await lookAt(below, real, purpose.access)
  } catch (error) {
    // Denied, unless a write is to make the file; a name that appears meanwhile refuses it.
    if (purpose.access === 'read' || (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    const mode = purpose.mode ?? USUAL_MODE
    return open(below, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode)
  }
  try {
    // Through the descriptor: exactly the file that was looked at, whatever now has its name.
    const flags = purpose.access === 'read' ? O_RDONLY : O_WRONLY
    return await open(place(seen), flags | O_NONBLOCK)
  } finally {
    await seen.close()
  }
}

/** A descriptor that only names the file, which is regular and, for changes, has no second name. */
async function lookAt(below: string, real: string, access: Purpose['access']): Promise<FileHandle> {
  const seen = await open(below, O_PATH | O_NOFOLLOW)
  try {
    const stats = await seen.stat()
    if (stats.isSymbolicLink()) throw notJudged('is a link that was not judged')
    if (stats.isDirectory()) throw new ToolError('not_a_file', 'the path is a folder')
    if (!stats.isFile()) throw notJudged('is no regular file')
    if (access === 'write' && stats.nlink > 1) throw notJudged('has a second name')
    // A name that was taken away meanwhile is not counted any more: the file may be known by another one alone.
    if ((await readlink(place(seen))) !== real) throw notJudged('was moved')
    return seen
  } catch (error) {
    // Denied: what stands there is not what was judged; no descriptor stays open.
    await seen.close()
    throw error
  }
}
