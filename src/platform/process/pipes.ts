/** Writes what a launcher is given and reads what it reports, in the order that a dying host cannot break. */

import type { ChildProcess } from 'node:child_process'
import type { Writable } from 'node:stream'
import type { ConfinedCommand } from '../../contract/sandbox.js'
import type { Dialogue } from './dialogue.js'
import { readLauncherReport, type LauncherReport } from './launcher-status.js'
import type { ControlGroup } from '../control-group/control-group.js'
import type { OpenFile } from './open-files.js'
import { watchdog } from './watchdog.js'

/** A command with what its launcher needs beyond pipes. */
export interface Confinement extends ConfinedCommand {
  /** Files that must be open at a descriptor when the launcher starts. */
  readonly files?: readonly OpenFile[] | undefined
  /**
   * The pipe that the launcher cannot go on without. It is written when the launcher has reported its
   * child, which is after it bound its life to this process: a host that dies before starts nothing.
   */
  readonly last?: number | undefined
  /** The words of a launcher whose status is `dialogue`. */
  readonly dialogue?: Dialogue | undefined
  /**
   * Makes the control group that the launcher is put into before it is fed: without its options it has
   * started nothing yet, so nothing is ever outside of the group.
   */
  readonly group?: (() => ControlGroup) | undefined
}

/** A launcher that says more than this on its status descriptor is not believed. */
const STATUS_BYTES = 65_536

/** Feeds a started launcher; the answer reads its report as far as it came. */
export function feed(
  child: ChildProcess,
  command: Confinement,
  stdin: Uint8Array | string | undefined,
): () => LauncherReport {
  let text = ''
  let isHeld = command.last !== undefined
  // Told before anything is written: without its options the launcher cannot start the command.
  guardLife(child, child.pid)
  for (const stream of child.stdio) {
    // A launcher that ends early breaks its pipes; its end says so, the stream need not.
    stream?.on('error', () => {})
  }
  const goOn = (): void => {
    const { childPid } = readLauncherReport(text)
    if (childPid === null) return
    isHeld = false
    guardLife(child, childPid)
    write(child, command, (descriptor) => descriptor === command.last)
  }
  if (stdin !== undefined) child.stdin?.end(stdin)
  write(child, command, (descriptor) => descriptor !== command.last)
  for (const { descriptor } of command.pipes.filter(({ direction }) => direction === 'read')) {
    child.stdio[descriptor]?.on('data', (chunk) => {
      text += text.length < STATUS_BYTES ? String(chunk) : ''
      if (isHeld) goOn()
    })
  }
  return () => readLauncherReport(text)
}

function write(
  child: ChildProcess,
  { pipes }: ConfinedCommand,
  isDue: (descriptor: number) => boolean,
): void {
  for (const pipe of pipes) {
    if (pipe.direction !== 'write' || !isDue(pipe.descriptor)) continue
    ;(child.stdio[pipe.descriptor] as Writable | null | undefined)?.end(pipe.bytes)
  }
}

/** Until the launcher's end, a process of the boundary ends with this one. */
function guardLife(child: ChildProcess, pid: number | undefined): void {
  if (pid === undefined) return
  watchdog.add(pid)
  child.once('exit', (_, signal) => {
    watchdog.remove(pid)
    // Killed between its child's start and the child's own asking, it would leave the child behind.
    if (signal !== null && pid !== child.pid) endQuietly(pid)
  })
}

function endQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // Nothing is denied: it ended with its launcher.
  }
}
