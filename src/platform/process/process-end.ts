/** How a started launcher ends: by itself or killed, with whatever it left behind (sandbox.md §2). */

import type { ChildProcess } from 'node:child_process'
import { setImmediate } from 'node:timers'
import { SandboxError } from '../../core/errors.js'
import type { Clock } from '../clock.js'
import { systemErrorCode } from '../disk/system-error.js'

/** How long output may be silent after the launcher's end before a survivor's pipe is dropped. */
const SILENCE_MS = 30

/** How long draining may take in all. */
const DRAIN_MS = 1000

/** How the launcher itself ended. */
export interface End {
  readonly code: number | null
  readonly signal: string | null
}

/** Waits for the launcher, then for its output, but never for a survivor that holds the pipe. */
export function ended(child: ChildProcess, clock: Clock): Promise<End> {
  return new Promise((resolve, reject) => {
    child.once('error', (cause) => {
      if (child.pid === undefined) reject(notStarted(child.spawnfile, cause))
    })
    child.once('exit', (code, signal) => {
      killTree(child)
      drain(child, clock, () => resolve({ code, signal }))
    })
  })
}

function drain(child: ChildProcess, clock: Clock, done: () => void): void {
  const latest = clock.monotonicUs() + DRAIN_MS * 1000
  let chunks = 0
  let isOver = false
  let cancel = (): void => {}
  const finish = (): void => {
    cancel()
    if (!isOver) for (const stream of child.stdio) stream?.destroy()
    isOver = true
    done()
  }
  // INVARIANT: what a launcher wrote before its end is read ("loses no output while the host is busy"): a host that
  // was busy fires its timers before it reads, so silence counts only after one more look at the pipes.
  const settle = (): void => {
    const heard = chunks
    setImmediate(() => {
      if (chunks === heard || clock.monotonicUs() >= latest) finish()
    })
  }
  const wait = (): void => {
    chunks += 1
    cancel()
    if (clock.monotonicUs() >= latest) settle()
    else cancel = clock.after(SILENCE_MS, settle)
  }
  child.stdout?.on('data', wait)
  child.stderr?.on('data', wait)
  child.once('close', finish)
  wait()
}

/** The launcher and all that stayed in its group; with bubblewrap the kernel ends the rest. */
export function killTree(child: ChildProcess): void {
  if (child.pid === undefined) return
  for (const target of [-child.pid, child.pid]) {
    // After its end the number may belong to somebody else; the group's is ours while it has members.
    if (target > 0 && (child.exitCode !== null || child.signalCode !== null)) continue
    try {
      process.kill(target, 'SIGKILL')
    } catch {
      // Nothing is denied: there is nobody left to kill.
    }
  }
}

/** Throws `SandboxError` for a launcher that was not started and has no streams. */
// INVARIANT: a host without a descriptor to spare refuses the run and lives on ("refuses a run for want of
// descriptors"): Node gives a child without streams then, and an event that ends whoever does not listen.
export function refuseStreamless(child: ChildProcess): void {
  if ((child as Partial<ChildProcess>).stdio !== undefined) return
  child.on('error', () => undefined)
  throw faultOf(child.spawnfile, { code: 'EMFILE', cause: undefined })
}

/** The fault of a launcher that the operating system did not start. */
export function notStarted(file: string, cause: unknown): SandboxError {
  return faultOf(file, { code: systemErrorCode(cause) ?? '', cause })
}

function faultOf(
  file: string,
  { code, cause }: { readonly code: string; readonly cause: unknown },
): SandboxError {
  const [why, remedy] = FAULTS[code] ?? [
    '',
    'check that the program and the folder to start in exist',
  ]
  return new SandboxError('setup_failed', `\`${file}\` could not be started${why}`, remedy, cause)
}

const NO_DESCRIPTORS = [
  ': no file descriptor is left',
  'raise the limit of open files: ulimit -n',
] as const

const FAULTS: { readonly [code: string]: readonly [string, string] | undefined } = {
  EMFILE: NO_DESCRIPTORS,
  ENFILE: NO_DESCRIPTORS,
  EAGAIN: [': this user has too many processes', 'raise the limit of processes: ulimit -u'],
  E2BIG: [
    ': the command and its environment are too long',
    'hand long text to its standard input, or keep it in a file',
  ],
}
