/** Opening what lies at a path only when it is a plain file: no link followed, no pipe waited for. */

import { constants } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { RecordError } from '../../core/errors.js'

/** Opens an existing regular file; rejects for a link, a pipe, a folder or a device. */
export async function openRegularFile(path: string, flags: number): Promise<FileHandle> {
  const handle = await open(path, flags | NO_LINK | NO_WAIT)
  if ((await handle.stat()).isFile()) return handle
  await handle.close()
  throw new RecordError('store_failed', 'not a regular file', { path })
}

/** Absent on Windows, where creating a link takes a privilege; the type says it is always there. */
const NO_LINK: number = flag('O_NOFOLLOW')
/** Opening a planted pipe must not wait for its other end. */
const NO_WAIT: number = flag('O_NONBLOCK')

function flag(name: 'O_NOFOLLOW' | 'O_NONBLOCK'): number {
  const value: unknown = Reflect.get(constants, name)
  return typeof value === 'number' ? value : 0
}
