/** Where this process may make control groups of its own: a delegated cgroup v2 (sandbox.md §4, limits). */

import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname } from 'node:path'

/** What a control group can limit, as the kernel calls it. */
export type Controller = 'pids' | 'memory'

/** A folder below which groups can be made, or why there is none. */
export type Delegation =
  | {
      readonly status: 'delegated'
      readonly folder: string
      readonly controllers: ReadonlySet<Controller>
    }
  | { readonly status: 'missing'; readonly cause: string }

/** Where to look; tests look elsewhere. */
export interface ControlGroupPlaces {
  readonly mounts: readonly string[]
  /** The text of `/proc/self/cgroup`. */
  readonly membership: string
}

/**
 * Looks at the group that this process is in and changes nothing. A folder of another user is not
 * delegated; root, who may write everywhere, gets only the top of its own view, as in a container:
 * the groups of a running system belong to its service manager.
 */
export function findDelegation(
  { mounts, membership }: ControlGroupPlaces,
  user: number = process.geteuid?.() ?? -1,
): Delegation {
  const path = /^0::(\/.*)$/m.exec(readText(membership) ?? '')?.[1]
  const mount = mounts.find((one) => existsSync(`${one}/cgroup.controllers`))
  if (path === undefined || mount === undefined) return missing('this system has no cgroup v2')
  const own = path === '/' ? mount : `${mount}${path}`
  const folder = basename(own) === OWN_LEAF ? dirname(own) : own
  const controllers = new Set(controllersOf(folder))
  if (controllers.size === 0) {
    return missing('the control group of this process can limit neither processes nor memory')
  }
  const isOwn = user === 0 ? folder === mount : ownerOf(folder) === user
  if (!isOwn || !isWritable(folder)) {
    return missing('the control group of this process is not delegated to this user')
  }
  return { status: 'delegated', folder, controllers }
}

/** The group that the host itself moves to: one with limits for its children must be empty. */
export const OWN_LEAF = 'sixgate-host'

/** Hands the controllers on to groups below. False when the system does not let this user. */
export function handOn(folder: string, controllers: ReadonlySet<Controller>): boolean {
  const wanted = [...controllers].filter((name) => !isHandedOn(folder, name))
  if (wanted.length === 0) return true
  try {
    // Where the group may keep its processes, as the top of a system, nothing has to move.
    if (write(folder, wanted)) return true
    moveProcesses(folder)
    return write(folder, wanted)
  } catch {
    // Denied: limits of processes and memory.
    return false
  }
}

function write(folder: string, wanted: readonly Controller[]): boolean {
  try {
    const words = wanted.map((name) => `+${name}`).join(' ')
    writeFileSync(`${folder}/cgroup.subtree_control`, words)
    return wanted.every((name) => isHandedOn(folder, name))
  } catch {
    // Denied for now: the group has processes, or the kernel refuses.
    return false
  }
}

function moveProcesses(folder: string): void {
  const leaf = `${folder}/${OWN_LEAF}`
  if (!existsSync(leaf)) mkdirSync(leaf)
  for (let round = 0; round < 5; round += 1) {
    const found = (readText(`${folder}/cgroup.procs`) ?? '').split('\n').filter((pid) => pid !== '')
    if (found.length === 0) return
    for (const pid of found) moveProcess(leaf, pid)
  }
}

function moveProcess(leaf: string, pid: string): void {
  try {
    writeFileSync(`${leaf}/cgroup.procs`, pid)
  } catch {
    // Nothing is denied: it ended meanwhile, or it stays and the controllers are refused.
  }
}

function controllersOf(folder: string): readonly Controller[] {
  const names = (readText(`${folder}/cgroup.controllers`) ?? '').trim().split(' ')
  return CONTROLLERS.filter((name) => names.includes(name))
}

const CONTROLLERS: readonly Controller[] = ['pids', 'memory']

function isHandedOn(folder: string, name: Controller): boolean {
  const text = readText(`${folder}/cgroup.subtree_control`) ?? ''
  return text.trim().split(' ').includes(name)
}

function isWritable(folder: string): boolean {
  try {
    for (const name of ['', '/cgroup.procs', '/cgroup.subtree_control']) {
      accessSync(`${folder}${name}`, constants.W_OK)
    }
    return true
  } catch {
    // Denied: groups below it.
    return false
  }
}

function ownerOf(folder: string): number {
  try {
    return statSync(folder).uid
  } catch {
    // Denied: the folder as one of this user.
    return -1
  }
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // Denied: whatever needed this text.
    return null
  }
}

function missing(cause: string): Delegation {
  return { status: 'missing', cause }
}
