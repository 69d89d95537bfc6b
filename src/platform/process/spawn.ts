/** Runs what a driver confined: the only place that starts a process (sandbox.md §2). */

import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process'
import type {
  ConfinedCommand,
  ExecResult,
  KilledBy,
  LauncherStatus,
} from '../../contract/sandbox.js'
import { SandboxError } from '../../core/errors.js'
import { systemClock, type Clock } from '../clock.js'
import type { ControlGroup } from '../control-group/control-group.js'
import { inheritedDescriptors, openNull } from './descriptors.js'
import { converse, type Talk } from './dialogue.js'
import { openFiles } from './open-files.js'
import { feed, type Confinement } from './pipes.js'
import { ended, killTree, notStarted, refuseStreamless, type End } from './process-end.js'
import { commandMayRun, type LauncherReport } from './launcher-status.js'
import { retainOutput, type RetainedOutput } from './retained-output.js'

/** The bounds of one run. */
export interface RunOptions {
  /** Milliseconds; more than 0. */
  readonly timeoutMs: number
  /** Bytes kept of standard output and standard error together; more than 0. */
  readonly outputBytes: number
  readonly launcherStatus: LauncherStatus
  readonly stdin?: Uint8Array | string | undefined
  readonly signal?: AbortSignal | undefined
  readonly clock?: Clock | undefined
}

/** What became of the command; who confined it, the caller knows. */
export type ConfinedRun = Omit<ExecResult, 'driver'>

/** A timer of Node holds no more; a larger number would fire at once. */
const LONGEST_MS = 2 ** 31 - 1

/**
 * Starts the launcher without a shell, without a terminal and in a process group of its own, and
 * kills all of it on timeout, abort or too much output. Rejects with `SandboxError` when nothing
 * could be started; a launcher that started but never ran the command gives `started: false`.
 */
export async function runConfined(command: Confinement, options: RunOptions): Promise<ConfinedRun> {
  checkLimit('timeoutMs', options.timeoutMs, LONGEST_MS)
  checkLimit('outputBytes', options.outputBytes, Number.MAX_SAFE_INTEGER)
  if (options.signal?.aborted === true) return ABORTED_BEFORE
  const clock = options.clock ?? systemClock()
  const begun = clock.monotonicUs()
  const group = command.group?.()
  const child = launchIn(group, command, options)
  const run = watch(child, command, { ...options, clock })
  const stopTimer = clock.after(options.timeoutMs, () => run.kill('timeout'))
  const abort = (): void => run.kill('abort')
  options.signal?.addEventListener('abort', abort, { once: true })
  try {
    const end = await ended(child, clock)
    const durationMs = (clock.monotonicUs() - begun) / 1000
    return { ...outcome(run, end, options.launcherStatus), durationMs }
  } finally {
    stopTimer()
    options.signal?.removeEventListener('abort', abort)
    group?.remove()
  }
}

const ABORTED_BEFORE: ConfinedRun = {
  started: false,
  exitCode: null,
  signal: null,
  stdout: '',
  stderr: '',
  truncated: false,
  durationMs: 0,
  killedBy: 'abort',
}

function checkLimit(name: string, value: number, most: number): void {
  if (Number.isSafeInteger(value) && value > 0 && value <= most) return
  throw new SandboxError(
    'invalid_limit',
    `\`${name}\` is not a whole number from 1 to ${most}`,
    `give \`${name}\` a positive whole number`,
  )
}

function launchIn(
  group: ControlGroup | undefined,
  command: Confinement,
  { stdin }: RunOptions,
): ChildProcess {
  let child: ChildProcess | undefined
  try {
    child = launch(command, stdin !== undefined || command.dialogue !== undefined)
    if (child.pid !== undefined) group?.place(child.pid)
    return child
  } catch (cause) {
    // Denied: the run; a launcher that could not be limited has not been fed yet.
    child?.on('error', () => {})
    if (child !== undefined) killTree(child)
    group?.remove()
    throw cause
  }
}

function launch(command: Confinement, hasInput: boolean): ChildProcess {
  const opened: { readonly close: () => void }[] = []
  try {
    // Before anything is opened here: what this process opens closes by itself, and each costs a look.
    const inherited = inheritedDescriptors()
    const cover = openNull()
    opened.push(cover)
    const files = openFiles(command.files ?? [])
    opened.push(files)
    const child = spawn(command.file, command.args, {
      cwd: command.cwd,
      env: command.environment,
      // A group of its own: the whole of it can be killed, and no terminal is inherited. Windows has no
      // groups: there a launcher that is not detached ends with this process.
      detached: process.platform !== 'win32',
      shell: false,
      windowsHide: true,
      stdio: table(command, hasInput, {
        inherited,
        cover: cover.descriptor,
        files: files.descriptors,
      }),
    })
    refuseStreamless(child)
    return child
  } catch (cause) {
    // Denied: the run; nothing was started.
    if (cause instanceof SandboxError) throw cause
    throw notStarted(command.file, cause)
  } finally {
    for (const one of opened) one.close()
  }
}

interface Descriptors {
  readonly inherited: readonly number[]
  readonly cover: number
  /** The launcher's descriptors with ours. */
  readonly files: ReadonlyMap<number, number>
}

/** Standard streams, the command's pipes, and `/dev/null` over everything that would leak. */
function table(
  command: ConfinedCommand,
  hasInput: boolean,
  { inherited, cover, files }: Descriptors,
): StdioOptions {
  const slots: ('pipe' | 'ignore' | number | undefined)[] = [
    hasInput ? 'pipe' : 'ignore',
    'pipe',
    'pipe',
  ]
  for (const descriptor of inherited) slots[descriptor] = cover
  for (const pipe of command.pipes) slots[pipe.descriptor] = 'pipe'
  for (const [descriptor, opened] of files) slots[descriptor] = opened
  return Array.from(slots, (slot) => slot ?? 'ignore')
}

/** What is known while the command runs. */
interface Watch {
  readonly output: RetainedOutput
  readonly report: () => LauncherReport
  readonly talk: Talk | null
  readonly kill: (cause: KilledBy) => void
  readonly killed: () => { readonly by: KilledBy; readonly mayHaveRun: boolean } | null
}

function watch(
  child: ChildProcess,
  command: Confinement,
  options: RunOptions & { readonly clock: Clock },
): Watch {
  let killed: ReturnType<Watch['killed']> = null
  let over = false
  const output = retainOutput(options.outputBytes, () => kill('output_limit'))
  const talk =
    command.dialogue === undefined
      ? null
      : converse(child, command.dialogue, { ...options, output })
  const report = talk?.report ?? feed(child, command, options.stdin)
  const kill = (by: KilledBy): void => {
    if (killed !== null || (over && by !== 'output_limit')) return
    killed = { by, mayHaveRun: talk === null && mayHaveRun(child, report()) }
    if (talk === null) killTree(child)
    else talk.stop()
  }
  if (talk === null) {
    child.stdout?.on('data', (chunk: Buffer) => output.add('stdout', chunk))
    child.stderr?.on('data', (chunk: Buffer) => output.add('stderr', chunk))
  }
  child.once('exit', () => {
    over = true
  })
  return { output, report, talk, kill, killed: () => killed }
}

function mayHaveRun({ pid }: ChildProcess, report: LauncherReport): boolean {
  return pid !== undefined && commandMayRun(pid, report)
}

function outcome(run: Watch, end: End, status: LauncherStatus): Omit<ConfinedRun, 'durationMs'> {
  const killed = run.killed()
  const report = run.talk === null ? run.report() : concluded(run.talk, killed !== null)
  const started = hasStarted(report, end, { status, mayHaveRun: killed?.mayHaveRun ?? false })
  const isReported = status === 'bubblewrap_json' || status === 'dialogue'
  const code = isReported ? report.exitCode : started ? end.code : null
  return {
    started,
    exitCode: killed !== null ? null : code,
    signal: end.signal,
    stdout: run.output.text('stdout'),
    stderr: run.output.text('stderr'),
    truncated: run.output.isCut(),
    ...(killed === null ? {} : { killedBy: killed.by }),
  }
}

/** A conversation that broke off before the command started is a fault; afterwards its end is unknown. */
function concluded(talk: Talk, isKilled: boolean): LauncherReport {
  const [report, fault] = [talk.report(), talk.fault()]
  if (fault === null) return report
  if (!isKilled && report.childPid === null) throw fault
  return { ...report, exitCode: null }
}

/** Exit codes prove nothing: bubblewrap ends in 1 when it fails and when the command says 1. */
function hasStarted(
  report: LauncherReport,
  end: End,
  { status, mayHaveRun }: { readonly status: LauncherStatus; readonly mayHaveRun: boolean },
): boolean {
  if (status === 'none' || report.exitCode !== null || mayHaveRun) return true
  if (status === 'exec_json' || status === 'dialogue') return report.childPid !== null
  // Somebody else killed the launcher: what ran until then has effects that nobody knows.
  return end.signal !== null && report.childPid !== null
}
