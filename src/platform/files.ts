/**
 * Files by the real path that was judged (tools.md §1, H-28): nothing is opened, made or cut before it
 * is known to be what was judged. On Linux folders are held by descriptor; elsewhere the race is bounded
 * by looking before and after.
 */

import type { DirectoryEntry } from '../contract/files.js'
import { boundedOpening } from './opening/bounded-opening.js'
import { descriptorOpening } from './opening/descriptor-opening.js'
import { ToolError } from '../core/errors.js'
import { PERMISSIONS, type Opening } from './opening/opening.js'

/** Every path is real, absolute and normalised; a link met on the way refuses with `not_judged`. */
export interface Files {
  readonly readRegularFile: (real: string, maximumBytes: number) => Promise<Uint8Array>
  /** Keeps mode and owner of an existing file. Missing folders are made only strictly below the root. */
  readonly writeRegularFile: (
    real: string,
    content: Uint8Array,
    where: string | { readonly root: string; readonly mode?: number | undefined },
  ) => Promise<void>
  /** Takes away the name of a file that has no other, and tells its permissions; its folder is the judged one. */
  readonly removeRegularFile: (real: string) => Promise<number>
  /** Permissions of a regular file. */
  readonly modeOf: (real: string) => Promise<number>
  /** Sorted by name. */
  readonly listFolder: (real: string) => Promise<readonly DirectoryEntry[]>
  /** Regular files below a folder as relative paths with `/`, sorted, links not followed. */
  readonly walkFolder: (real: string, limit: number) => AsyncIterable<string>
}

/** A walk that looks at more than this is refused, never cut short in silence. */
export const WALK_LIMITS: { readonly entries: number; readonly depth: number } = {
  entries: 1_000_000,
  depth: 64,
}

/** Files of this process. `bounded` is for systems whose descriptors cannot serve as folders. */
export function nodeFiles(
  race: 'closed' | 'bounded' = process.platform === 'linux' ? 'closed' : 'bounded',
): Files {
  const opening: Opening = race === 'closed' ? descriptorOpening() : boundedOpening()
  return {
    readRegularFile: (real, maximumBytes) =>
      opening.withFile(real, { access: 'read' }, async (handle) => {
        const { size } = await handle.stat()
        if (size > maximumBytes) throw tooLarge(maximumBytes)
        return readAtMost(handle, maximumBytes)
      }),
    writeRegularFile: (real, content, where) => {
      const place = typeof where === 'string' ? { root: where } : where
      return opening.withFile(real, { access: 'write', ...place }, async (handle) => {
        await writeWhole(handle, content)
        await handle.truncate(content.length)
      })
    },
    removeRegularFile: (real) => opening.removeFile(real),
    modeOf: (real) =>
      opening.withFile(
        real,
        { access: 'read' },
        async (handle) => (await handle.stat()).mode & PERMISSIONS,
      ),
    listFolder: (real) => opening.listFolder(real),
    walkFolder: (real, limit) => walk(opening, real, limit),
  }
}

type Handle = Parameters<Parameters<Opening['withFile']>[2]>[0]

function tooLarge(maximumBytes: number): ToolError {
  return new ToolError('too_large', `the file is larger than ${maximumBytes} bytes`)
}

/** A file may grow while it is read, and files of `/proc` have no size: the bytes are counted as well. */
async function readAtMost(handle: Handle, maximumBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let total = 0
  for (;;) {
    const chunk = new Uint8Array(64 * 1024)
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, null)
    if (bytesRead === 0) return Buffer.concat(chunks)
    total += bytesRead
    if (total > maximumBytes) throw tooLarge(maximumBytes)
    chunks.push(chunk.subarray(0, bytesRead))
  }
}

async function writeWhole(handle: Handle, content: Uint8Array): Promise<void> {
  for (let at = 0; at < content.length;) {
    const { bytesWritten } = await handle.write(content, at, content.length - at, at)
    at += bytesWritten
  }
}

async function* walk(opening: Opening, top: string, limit: number): AsyncGenerator<string> {
  const pending: string[] = ['']
  let entries = 0
  let found = 0
  for (let prefix = pending.pop(); prefix !== undefined; prefix = pending.pop()) {
    if (!prefix.endsWith('/') && prefix !== '') {
      if (found >= limit) return
      found += 1
      yield prefix
      continue
    }
    const names = await opening.listFolder(prefix === '' ? top : `${top}/${prefix.slice(0, -1)}`)
    entries += names.length
    if (entries > WALK_LIMITS.entries || prefix.split('/').length > WALK_LIMITS.depth) {
      throw new ToolError('too_large', 'the folder holds more than a walk may look at')
    }
    pending.push(...descend(prefix, names).reverse())
  }
}

/** Folders end in `/`; links and everything that is no regular file are left out. */
function descend(prefix: string, names: readonly DirectoryEntry[]): string[] {
  return names.flatMap(({ name, kind }) => {
    if (kind === 'file') return [prefix + name]
    return kind === 'directory' ? [`${prefix}${name}/`] : []
  })
}
