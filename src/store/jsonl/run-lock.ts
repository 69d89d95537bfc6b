/** One owner per run (trace.md §4, H-20): a lock file that names a process, and a fence behind it. */

import { RecordError } from '../../core/errors.js'
import {
  createPrivateFile,
  holdFile,
  linkFile,
  readSmallFile,
  removeFile,
  renameFile,
  type HeldFile,
} from '../../platform/disk/private-files.js'
import {
  isRunning,
  ownIdentity,
  type ProcessIdentity,
} from '../../platform/process/process-identity.js'

/** Ownership of a run. */
export interface RunLock {
  /** False from the moment another process took over; costs one `lstat`. */
  readonly isHeld: () => boolean
  readonly release: () => Promise<void>
}

/**
 * Takes the lock, from a dead owner too. Rejects with `locked` when the owner is alive. A lock that
 * cannot be read is a dead one's: a living owner's is complete before it gets its name.
 */
export async function acquireLock(path: string): Promise<RunLock> {
  const own = ownIdentity()
  const draft = `${path}.${own.instance}.draft`
  await createPrivateFile(draft, JSON.stringify(own))
  const held = holdFile(draft)
  try {
    await claim(path, draft)
  } catch (cause) {
    held.close()
    throw cause
  } finally {
    await removeFile(draft)
  }
  return runLock(path, held)
}

/** Rejects with `locked` when the run has a living owner; writes nothing. */
export async function refuseLivingOwner(path: string): Promise<void> {
  const holder = await readHolder(path)
  if (holder !== null && isRunning(holder)) throw locked(holder)
}

/**
 * Whoever gives its draft the lock's name owns the run. Where a dead one X has that name, the right
 * to replace X is itself a name, `<lock>.<instance of X>`, that only one process can take; a holder
 * of it that died is replaced the same way. So two processes that both saw X dead cannot both win.
 */
async function claim(path: string, draft: string): Promise<void> {
  const dead: { readonly place: string; readonly instance: string }[] = []
  let place = path
  while (!(await linkFile(draft, place))) {
    const holder = await readHolder(place)
    if (holder === null || dead.length === MAX_DEAD) throw locked(holder)
    if (isRunning(holder)) throw locked(holder)
    dead.push({ place, instance: holder.instance })
    place = `${path}.${holder.instance}`
  }
  const [first, ...rest] = dead
  if (first === undefined) return
  const current = await readHolder(path)
  if (current?.instance !== first.instance) {
    // Someone else replaced the dead owner while we looked: nobody may be fenced for that.
    await removeFile(place)
    throw locked(current)
  }
  await renameFile(place, path)
  for (const left of rest) await removeFile(left.place)
}

/** More dead claims on one lock than crashes in a row could leave. */
const MAX_DEAD = 64

function runLock(path: string, held: HeldFile): RunLock {
  return {
    isHeld: () => held.isAt(path),
    async release() {
      if (held.isAt(path)) await removeFile(path)
      held.close()
    },
  }
}

function locked(holder: ProcessIdentity | null): RecordError {
  return new RecordError('locked', 'the run has an owner', { pid: holder?.pid ?? null })
}

/** `null` when there is no lock. */
async function readHolder(path: string): Promise<ProcessIdentity | null> {
  const text = await readSmallFile(path)
  return text === null ? null : (parseIdentity(text) ?? NOBODY)
}

/** No process has this pid. */
const NOBODY: ProcessIdentity = { pid: 0x7fffffff, started: null, instance: 'unreadable' }

function parseIdentity(text: string): ProcessIdentity | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // Left by a power failure; its owner cannot be alive.
    return undefined
  }
  if (typeof value !== 'object' || value === null) return undefined
  const { pid, started, instance } = value as Partial<Record<keyof ProcessIdentity, unknown>>
  if (!Number.isSafeInteger(pid) || typeof pid !== 'number' || pid < 1) return undefined
  if (typeof started !== 'string' && started !== null) return undefined
  if (typeof instance !== 'string' || !/^[0-9a-f]{32}$/.test(instance)) return undefined
  return { pid, started, instance }
}
