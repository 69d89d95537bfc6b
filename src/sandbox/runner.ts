/** Runs commands for sessions and handles: one driver, no way around it (sandbox.md §1, §2). */

import type {
  ExecResult,
  ProbeReport,
  SandboxDriver,
  SandboxExec,
  SandboxProfile,
} from '../contract/sandbox.js'
import { SandboxError } from '../core/errors.js'
import type { SandboxFacts } from '../core/facts.js'
import { systemClock, type Clock } from '../platform/clock.js'
import { createClaims } from '../platform/placeholder/claims.js'
import { systemMachine, type Machine } from '../platform/machine.js'
import { runConfined, type RunOptions } from '../platform/process/spawn.js'
import type { EnteredRequest } from './grant/entrance.js'
import { refuseOtherGrant } from './grant/origin.js'
import { laneOf, refuseStale } from './grant/lane-of.js'
import { processHost } from './process-host/driver.js'
import { holdWorkspace, type HoldPorts } from './protection/hold.js'
import { createProtector } from './protection/protect.js'
import { prepare } from './prepare.js'
import { realProfile } from './real-profile.js'
import { unavailableReport } from './report.js'
import { missingGuarantees, requiredGuarantees } from './required-guarantees.js'

/** What the enforcer holds. */
export interface SandboxRunner {
  /** What the start probe found; asked once. */
  readonly report: () => Promise<ProbeReport>
  /** The start probe's answer; the same for every session. */
  readonly facts: () => Promise<SandboxFacts>
  /**
   * A profile with its links followed, made once when a session starts; `exec` follows none. Throws
   * `SandboxError workspace_refused`.
   */
  readonly resolve: (profile: SandboxProfile) => SandboxProfile
  /**
   * Runs one command. Rejects with `SandboxError` when the boundary cannot be had or the command
   * never started; nothing is tried again elsewhere. `unconfined` is for a call that a person let
   * out, and for no other.
   */
  readonly exec: (
    profile: SandboxProfile,
    request: SandboxExec,
    options: ExecOptions,
  ) => Promise<SandboxedResult>
}

export interface ExecOptions {
  readonly unconfined: boolean
  /** Asked as the last act before a command with a grant starts; `false` refuses it, `undefined` is a yes. */
  readonly mayStart?: (() => boolean) | undefined
}

/** A result with what else the runner saw. */
export interface SandboxedResult extends ExecResult {
  /**
   * Control files of repositories that appeared while the command ran; `null` when the workspace could
   * not be searched any more.
   */
  readonly newControlFiles?: readonly string[] | null | undefined
}

/** A runner over a driver; with `null` every sandboxed call is refused. */
export function createSandboxRunner(
  driver: SandboxDriver | null,
  ports: { readonly machine?: Machine | undefined; readonly clock?: Clock | undefined } = {},
): SandboxRunner {
  const machine = ports.machine ?? systemMachine()
  const outside = processHost()
  const clock = ports.clock ?? systemClock()
  const protector = createProtector(machine, clock)
  const claims = createClaims(clock)
  let probed: Promise<ProbeReport> | undefined
  const report = (): Promise<ProbeReport> => (probed ??= probe(driver))
  return {
    report,
    resolve: (profile) => realProfile(profile, machine),
    async facts() {
      const { status, cause, remedy, guarantees } = await report()
      return status === 'ready' && driver !== null
        ? { status, driver: driver.name, report: guarantees }
        : { status: 'unavailable', cause: cause ?? NO_DRIVER.message, remedy }
    },
    async exec(profile, request, { unconfined, mayStart }) {
      refuseOtherGrant(profile, request)
      const chosen = unconfined ? outside : confining(driver, await report(), profile)
      const prepared = prepare(profile, request, { machine, unconfined })
      const { stdin, signal } = request
      const launcherStatus = chosen.status
      const options = { ...prepared.limits, launcherStatus, stdin, signal, clock, mayStart }
      if (unconfined) return start(chosen, prepared.request, options)
      return startHeld(chosen, prepared.request, { options, machine, protector, claims })
    },
  }
}

/** Protects the workspace around the command, and looks at it afterwards; opens the network that it was granted. */
async function startHeld(
  driver: SandboxDriver,
  request: EnteredRequest,
  { options, ...ports }: { readonly options: StartOptions } & HoldPorts,
): Promise<SandboxedResult> {
  const lane = await laneOf(driver, request.profile, options.signal)
  try {
    const hold = await holdWorkspace(request.profile, ports)
    const entered = lane.enter({ ...request, guard: hold.guard })
    const run = await start(driver, entered, options).finally(hold.release)
    return { ...run, ...lane.use(), newControlFiles: hold.newControlFiles() }
  } finally {
    lane.close()
  }
}

type StartOptions = RunOptions & Pick<ExecOptions, 'mayStart'>

async function start(
  driver: SandboxDriver,
  request: EnteredRequest,
  options: StartOptions,
): Promise<ExecResult> {
  const command = driver.confine(request)
  refuseStale(request, options.mayStart)
  const run = await runConfined(command, options)
  if (!run.started && run.killedBy === undefined) throw neverStarted(run.stderr)
  return { ...run, driver: driver.name }
}

const NO_DRIVER = new SandboxError(
  'unavailable',
  'no sandbox driver was given',
  'hand in createNativeSandbox()',
)

async function probe(driver: SandboxDriver | null): Promise<ProbeReport> {
  if (driver === null)
    return unavailableReport({ cause: NO_DRIVER.message, remedy: NO_DRIVER.remedy })
  try {
    return await driver.probe()
  } catch {
    // Denied: every sandboxed call. A driver that cannot answer confines nothing.
    return unavailableReport({ cause: 'the driver failed its probe', remedy: 'mend the driver' })
  }
}

function confining(
  driver: SandboxDriver | null,
  report: ProbeReport,
  profile: SandboxProfile,
): SandboxDriver {
  if (driver === null) throw NO_DRIVER
  if (report.status !== 'ready') {
    throw new SandboxError(
      'unavailable',
      report.cause ?? 'the sandbox is not available',
      report.remedy ?? '',
    )
  }
  const missing = missingGuarantees(requiredGuarantees(profile, driver.platform), report.guarantees)
  if (missing.length === 0) return driver
  throw new SandboxError(
    missing.every((name) => name.startsWith('limits.')) ? 'unenforceable_limit' : 'unavailable',
    `the driver does not enforce ${missing.join(', ')}`,
    'take the demand out of the policy, or use a driver that enforces it',
  )
}

function neverStarted(stderr: string): SandboxError {
  const line = stderr.split('\n')[0]?.slice(0, 200) ?? ''
  return new SandboxError(
    'setup_failed',
    line === '' ? 'the command did not start' : `the command did not start: ${line}`,
    'check that the program exists inside the sandbox',
  )
}
