/** One control group a command: made before it starts, ended and removed after it (sandbox.md §4, limits). */

import { existsSync, mkdirSync, readdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { SandboxError } from '../../core/errors.js'
import { findDelegation, handOn, type Controller, type ControlGroupPlaces } from './delegated.js'

/** What a command may use; `null` is no limit. The launcher's own processes are counted in. */
export interface GroupLimits {
  readonly processes: number | null
  readonly memoryBytes: number | null
}

/** One group. */
export interface ControlGroup {
  /** Puts a process and all that it starts from then on into the group. Throws `SandboxError`. */
  readonly place: (pid: number) => void
  /** Ends whoever is left in it and removes it. */
  readonly remove: () => void
}

/** The groups of this process. */
export interface ControlGroups {
  readonly controllers: ReadonlySet<Controller>
  /** Throws `SandboxError unenforceable_limit`; nothing may start then. */
  readonly make: (limits: GroupLimits) => ControlGroup
}

/** Groups that can be made, or why not. */
export type FoundGroups =
  | { readonly status: 'ready'; readonly groups: ControlGroups }
  | { readonly status: 'missing'; readonly cause: string }

const PLACES: ControlGroupPlaces = {
  mounts: ['/sys/fs/cgroup', '/sys/fs/cgroup/unified'],
  membership: '/proc/self/cgroup',
}

let known: FoundGroups | undefined

/**
 * Those of this process, prepared once: where the group is delegated its processes move to a group
 * below, because the kernel limits only groups whose parent holds none.
 */
export function systemControlGroups(): FoundGroups {
  return (known ??= findGroups(PLACES))
}

/** The same anywhere. */
export function findGroups(places: ControlGroupPlaces): FoundGroups {
  const found = findDelegation(places)
  if (found.status === 'missing') return found
  if (!handOn(found.folder, found.controllers)) {
    return { status: 'missing', cause: 'the kernel does not hand limits on to groups of this user' }
  }
  return { status: 'ready', groups: groupsBelow(found.folder, found.controllers) }
}

/** Groups below a folder that hands the controllers on. */
export function groupsBelow(folder: string, controllers: ReadonlySet<Controller>): ControlGroups {
  clearAbandoned(folder)
  return {
    controllers,
    make(limits) {
      const path = `${folder}/${PREFIX}${process.pid}-${(made += 1)}`
      try {
        mkdirSync(path)
        limit(path, limits)
      } catch (cause) {
        // Denied: the run. A limit that is not in force is no limit.
        removeFolder(path)
        throw unenforceable('the control group of the command could not be limited', cause)
      }
      return { place: (pid) => place(path, pid), remove: () => end(path) }
    },
  }
}

const PREFIX = 'sixgate-run-'
let made = 0

function limit(path: string, { processes, memoryBytes }: GroupLimits): void {
  if (processes !== null) writeFileSync(`${path}/pids.max`, `${processes}`)
  if (memoryBytes === null) return
  writeFileSync(`${path}/memory.max`, `${memoryBytes}`)
  // Without these a command would go on in swap, or lose one process and run on in an odd state.
  if (existsSync(`${path}/memory.swap.max`)) writeFileSync(`${path}/memory.swap.max`, '0')
  if (existsSync(`${path}/memory.oom.group`)) writeFileSync(`${path}/memory.oom.group`, '1')
}

function place(path: string, pid: number): void {
  try {
    writeFileSync(`${path}/cgroup.procs`, `${pid}`)
  } catch (cause) {
    // Denied: the run; whoever started the process ends it.
    throw unenforceable('the command could not be put into its control group', cause)
  }
}

/** The kernel keeps a group until its last process is gone, which takes a moment. */
function end(path: string, tries = 0): void {
  if (existsSync(`${path}/cgroup.kill`)) kill(path)
  if (removeFolder(path) || tries >= MOST_TRIES) return
  setTimeout(() => end(path, tries + 1), WAIT_MS).unref()
}

const MOST_TRIES = 100
const WAIT_MS = 20

function kill(path: string): void {
  try {
    writeFileSync(`${path}/cgroup.kill`, '1')
  } catch {
    // Nothing is denied: the boundary ends its processes too.
  }
}

function removeFolder(path: string): boolean {
  try {
    rmdirSync(path)
    return true
  } catch {
    // Nothing is denied: it is not there, or it is tried again.
    return !existsSync(path)
  }
}

/** What killed hosts left: a group with processes in it cannot be removed, so none in use goes. */
function clearAbandoned(folder: string): void {
  for (const name of namesIn(folder)) {
    const owner = new RegExp(`^${PREFIX}(\\d+)-\\d+$`).exec(name)?.[1]
    if (owner !== undefined && !existsSync(`/proc/${owner}`)) removeFolder(`${folder}/${name}`)
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    // Nothing is denied: what is left behind stays.
    return []
  }
}

function unenforceable(message: string, cause: unknown): SandboxError {
  return new SandboxError(
    'unenforceable_limit',
    message,
    'take the limit out of the policy, or mend the control group of the host',
    cause,
  )
}
