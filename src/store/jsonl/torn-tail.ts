/** What a crash left after the last LF (trace.md §4): moved aside, so nothing is appended onto it. */

import { RecordError } from '../../core/errors.js'
import { sha256 } from '../../encoding/digest.js'
import type { AppendFile } from '../../platform/disk/append-file.js'
import { createPrivateFile, nameExists, syncFolder } from '../../platform/disk/private-files.js'
import type { TornTail } from '../../trace/ledger.js'
import { LF } from '../lines.js'
import type { RunPaths } from './run-paths.js'

/**
 * Copies the bytes after the last LF into a file of their own and cuts them off, each step on the
 * medium before the next: a crash in between leaves a second copy, never none. A whole record without
 * its LF is torn too, for it was never acknowledged. `null` when the file ends well.
 */
export async function moveTornTail(file: AppendFile, paths: RunPaths): Promise<TornTail | null> {
  const end = await endOfLastLine(file)
  const bytes = file.size() - end
  if (bytes === 0) return null
  const torn = await file.read(end, bytes)
  await createPrivateFile(await freeName(paths), torn)
  await syncFolder(paths.folder)
  await file.truncate(end)
  return { bytes, digest: sha256(torn) }
}

async function endOfLastLine(file: AppendFile): Promise<number> {
  for (let end = file.size(); end > 0; end -= Math.min(CHUNK, end)) {
    if (file.size() - end > MAX_TORN) {
      throw new RecordError('malformed_record', 'no line end where one must be', {
        limit: MAX_TORN,
      })
    }
    const start = Math.max(0, end - CHUNK)
    const at = (await file.read(start, end - start)).lastIndexOf(LF)
    if (at !== -1) return start + at + 1
  }
  return 0
}

async function freeName(paths: RunPaths): Promise<string> {
  for (let n = 1; ; n += 1) {
    if (!(await nameExists(paths.torn(n)))) return paths.torn(n)
  }
}

const CHUNK = 64 * 1024
/** After a power failure a whole unflushed batch may read as zeros; more than this is no batch. */
const MAX_TORN = 64 * 1024 * 1024
