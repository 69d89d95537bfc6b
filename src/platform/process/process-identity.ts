/** Which process this is, in a way that a later process with the same pid cannot pass for (H-20). */

import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { systemErrorCode } from '../disk/system-error.js'

/** A process, and one claim of it. */
export interface ProcessIdentity {
  readonly pid: number
  /** Tells apart processes that had the pid one after the other; `null` where it cannot be known. */
  readonly started: string | null
  /** Random, 32 hexadecimal digits: tells apart claims of one process. */
  readonly instance: string
}

/** A fresh claim of the running process. */
export function ownIdentity(): ProcessIdentity {
  return {
    pid: process.pid,
    started: startOf(process.pid),
    instance: randomBytes(16).toString('hex'),
  }
}

/**
 * False only with proof: no process has the pid, or the one that has it started at another time or
 * is a corpse. A process in a container that this one cannot see counts as gone.
 */
export function isRunning(identity: ProcessIdentity): boolean {
  if (!isPresent(identity.pid)) return false
  const started = startOf(identity.pid)
  return started === null || identity.started === null || started === identity.started
}

function isPresent(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (cause) {
    // Anything but "no such process" (not permitted, say) is no proof: its run stays locked.
    return systemErrorCode(cause) !== 'ESRCH'
  }
}

function startOf(pid: number): string | null {
  try {
    if (process.platform === 'linux') return linuxStart(pid)
    if (process.platform === 'darwin') return darwinStart(pid)
    return null
  } catch {
    // Not readable: the pid alone must do, so a reused pid keeps the run locked.
    return null
  }
}

/** Ticks since boot, with the boot's own id: the ticks of services repeat from boot to boot. */
function linuxStart(pid: number): string {
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  // The command name stands in parentheses and may hold any text, so fields count from the last one.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const state = fields[0] ?? ''
  return 'ZX'.includes(state) ? 'ended' : `${boot}/${fields[19] ?? ''}`
}

function darwinStart(pid: number): string {
  return execFileSync('/bin/ps', ['-o', 'lstart=', '-p', `${pid}`], {
    encoding: 'latin1',
    env: { LC_ALL: 'C', TZ: 'UTC' },
    timeout: 5000,
  }).trim()
}
