/** The files behind a run's writer (trace.md §4): ownership, the fence, and space for a full disk. */

import { RecordError } from '../../core/errors.js'
import {
  createAppendFile,
  openAppendFile,
  type AppendFile,
} from '../../platform/disk/append-file.js'
import { freeBytes } from '../../platform/disk/file-system.js'
import {
  createPrivateFolder,
  nameExists,
  removeFile,
  reserveSpace,
  syncFolder,
} from '../../platform/disk/private-files.js'
import { systemErrorCode } from '../../platform/disk/system-error.js'
import type { RunLog, TornTail } from '../../trace/ledger.js'
import { acquireLock, refuseLivingOwner, type RunLock } from './run-lock.js'
import type { RunPaths } from './run-paths.js'
import { RunWriter, type Medium } from '../run-writer.js'
import { moveTornTail } from './torn-tail.js'

/** A run with a new owner, and what its last one left torn. */
export interface Reopened {
  readonly log: RunLog
  readonly torn: TornTail | null
}

/** Creates a run; rejects with `run_exists` or `locked`, and where its reserve finds no space. */
export async function createRunFile(paths: RunPaths): Promise<RunLog> {
  await createPrivateFolder(paths.folder)
  if (await nameExists(paths.records)) throw runExists(paths)
  const lock = await acquireLock(paths.lock)
  return ownedBy(lock, async () => {
    await removeFile(paths.reserve)
    await reserveSpace(paths.reserve, RESERVE)
    const file = await createExclusively(paths)
    await syncFolder(paths.folder)
    return new RunWriter(fileMedium(file, lock, paths))
  })
}

/** Takes over a run without a living owner; its torn tail is aside before anything is appended. */
export async function reopenRunFile(paths: RunPaths): Promise<Reopened> {
  if (!(await nameExists(paths.records))) {
    throw new RecordError('run_missing', 'no such run', { path: paths.records })
  }
  await refuseLivingOwner(paths.lock)
  await spendReserve(paths)
  const lock = await acquireLock(paths.lock)
  return ownedBy(lock, async () => {
    const file = await openAppendFile(paths.records)
    try {
      const torn = await moveTornTail(file, paths)
      await renewReserve(paths)
      return { log: new RunWriter(fileMedium(file, lock, paths)), torn }
    } catch (cause) {
      await file.close()
      throw cause
    }
  })
}

/**
 * A full disk poisons the writer, and its reserve stays. Closing the run then goes by reopening it:
 * where space is short, that gives the reserve back first, so the new lock, the torn bytes and the
 * records that recover and close the run have room.
 */
async function spendReserve(paths: RunPaths): Promise<void> {
  if (await isSpaceShort(paths)) await removeFile(paths.reserve)
}

/** Not while space is short: the records that follow need it more. */
async function renewReserve(paths: RunPaths): Promise<void> {
  if ((await nameExists(paths.reserve)) || (await isSpaceShort(paths))) return
  await reserveSpace(paths.reserve, RESERVE)
}

async function isSpaceShort(paths: RunPaths): Promise<boolean> {
  return (await freeBytes(paths.folder)) < 2 * RESERVE
}

const RESERVE = 64 * 1024

/**
 * Lock and length are looked at before the write, and again before anyone is told of it: a takeover
 * in between may not have seen these bytes. Two `lstat` and two `fstat`, about five microseconds.
 */
function fileMedium(file: AppendFile, lock: RunLock, paths: RunPaths): Medium {
  return {
    write(bytes) {
      refuseFenced(file, lock)
      try {
        file.append(bytes)
      } catch (cause) {
        cutBack(file, lock)
        throw cause
      }
      refuseFenced(file, lock)
    },
    flush: file.flush,
    async release(clean) {
      try {
        await file.close()
        if (clean && lock.isHeld()) await removeFile(paths.reserve)
      } finally {
        await lock.release()
      }
    },
  }
}

function refuseFenced(file: AppendFile, lock: RunLock): void {
  if (!lock.isHeld()) throw new RecordError('fenced', 'another process took the run over')
  if (!file.isIntact()) throw new RecordError('fenced', 'another writer was in the run file')
}

function cutBack(file: AppendFile, lock: RunLock): void {
  try {
    if (lock.isHeld()) file.cutBack()
  } catch {
    // The writer is poisoned either way, and reopening moves a torn line aside.
  }
}

/** Ownership ends when what it was taken for fails. */
async function ownedBy<T>(lock: RunLock, run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (cause) {
    await lock.release()
    throw cause
  }
}

async function createExclusively(paths: RunPaths): Promise<AppendFile> {
  try {
    return await createAppendFile(paths.records)
  } catch (cause) {
    await removeFile(paths.reserve)
    throw systemErrorCode(cause) === 'EEXIST' ? runExists(paths) : cause
  }
}

function runExists(paths: RunPaths): RecordError {
  return new RecordError('run_exists', 'the run exists', { path: paths.records })
}
