/** Runs commands for sessions and handles: one driver, no way around it (sandbox.md §1, §2). */

import type {
  ConfineRequest,
  ExecResult,
  ProbeReport,
  SandboxDriver,
  SandboxExec,
  SandboxProfile,
} from '../contract/sandbox.js'
import { SandboxError } from '../core/errors.js'
import { systemClock, type Clock } from '../platform/clock.js'
import type { SandboxFacts } from '../core/facts.js'
import { createScratchFolders, type ScratchFolders } from '../platform/scratch-folders.js'
import { createClaims } from '../platform/placeholder/claims.js'
import { systemMachine, type Machine } from '../platform/machine.js'
import { runConfined, type RunOptions } from '../platform/process/spawn.js'
import type { EnteredRequest } from './grant/entrance.js'
import { refuseOtherGrant } from './grant/origin.js'
import { laneOf, refuseStale } from './grant/lane-of.js'
import { processHost } from './process-host/driver.js'
import { holdWorkspace, type HoldPorts } from './protection/hold.js'
import { createProtector } from './protection/protect.js'
import { confining, factsOf, probeOrFallBack, type Probed } from './choice.js'
import { newControlFiles } from './protection/aftermath.js'
import { prepare } from './prepare.js'
import { realProfile } from './real-profile.js'
import { scratchFor, type Scratch } from './scratch.js'

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
  /** Removes what the runner kept for a session. */
  readonly end: (session: string) => void
}

/** How a command is run. */
export interface ExecOptions {
  /** For a call that a person let out, and for no other. */
  readonly unconfined: boolean
  /** Whose scratch it works in, where the profile keeps one a session; absent: one of its own. */
  readonly session?: string | undefined
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
  /** Package stores that were read-only because a file of theirs has a name outside (H-27). */
  readonly readOnlyStores?: readonly string[] | undefined
}

/** A runner over a driver; with `null` every sandboxed call is refused. */
export function createSandboxRunner(
  driver: SandboxDriver | null,
  ports: { readonly machine?: Machine | undefined; readonly clock?: Clock | undefined } = {},
): SandboxRunner {
  const machine = ports.machine ?? systemMachine()
  const clock = ports.clock ?? systemClock()
  let probed: Promise<Probed> | undefined
  const find = (): Promise<Probed> => (probed ??= probeOrFallBack(driver))
  const scratches = createScratchFolders()
  const parts: Parts = {
    ...{ find, machine, clock, scratches },
    outside: processHost(),
    protector: createProtector(machine, clock),
    claims: createClaims(clock),
  }
  return {
    report: async () => (await find()).report,
    resolve: (profile) => realProfile(profile, machine),
    facts: async () => factsOf(await find()),
    exec: (profile, request, options) => execute(parts, { profile, request, ...options }),
    end: scratches.end,
  }
}

interface Parts extends HoldPorts {
  readonly find: () => Promise<Probed>
  readonly outside: SandboxDriver
  readonly clock: Clock
  readonly scratches: ScratchFolders
}

interface Asked extends ExecOptions {
  readonly profile: SandboxProfile
  readonly request: SandboxExec
}

async function execute(parts: Parts, asked: Asked): Promise<SandboxedResult> {
  const { machine, clock } = parts
  const { profile, request, unconfined, mayStart } = asked
  refuseOtherGrant(profile, request)
  const found = await parts.find()
  const chosen = unconfined ? parts.outside : confining(found, profile)
  const atHome = unconfined || found.isFallback
  const prepared = prepare(profile, request, { machine, unconfined, atHome })
  const { stdin, signal } = request
  const launcherStatus = chosen.status
  const options = { ...prepared.limits, launcherStatus, stdin, signal, clock, mayStart }
  if (unconfined) return start(chosen, prepared.request, options)
  if (found.isFallback) return startOutside(chosen, prepared.request, { ...parts, options })
  const scratch = scratchOf(asked, parts)
  return startHeld(chosen, { ...prepared.request, ...scratch }, { ...parts, options })
}

/** A session's own, for one profile: what a wider one left behind steers no narrower one. Never with a grant. */
function scratchOf(
  { profile, session }: Asked,
  { scratches }: Parts,
): { readonly scratch?: string } {
  const hasGrant = profile.network !== 'none'
  if (profile.fileSystem.scratch === undefined || session === undefined || hasGrant) return {}
  const scratch = scratches.folder(session, JSON.stringify(profile))
  if (scratch !== null) return { scratch }
  // Denied: the run; a folder that is made for each call is not what the policy says.
  throw new SandboxError(
    'setup_failed',
    'no private folder could be made for the session',
    'make the temporary folder writable, or leave `scratch` out',
  )
}

/** Protects the workspace around the command, and looks at it afterwards; opens the network that it was granted. */
async function startHeld(
  driver: SandboxDriver,
  request: EnteredRequest,
  { options, ...ports }: { readonly options: StartOptions } & HoldPorts,
): Promise<SandboxedResult> {
  const lane = await laneOf(driver, request.profile, options.signal)
  const kept = request.scratch
  let made: Scratch | null = null
  try {
    made = kept === undefined ? scratchFor(driver, ports.machine) : null
    const hold = await holdWorkspace(request.profile, ports)
    const guarded = { ...request, guard: hold.guard, scratch: kept ?? made?.path }
    const run = await start(driver, lane.enter(guarded), options).finally(hold.release)
    const seen = { newControlFiles: hold.newControlFiles(), readOnlyStores: hold.readOnly }
    return { ...run, ...lane.use(), ...seen }
  } finally {
    made?.remove()
    lane.close()
  }
}

/** Nothing can be protected out there; what appeared is listed all the same. */
async function startOutside(
  driver: SandboxDriver,
  request: ConfineRequest,
  { options, protector, machine }: { readonly options: StartOptions } & HoldPorts,
): Promise<SandboxedResult> {
  const { repositories, bare } = protector.search(request.profile)
  const before = { repositories: [...repositories, ...bare] }
  const run = await start(driver, request, options)
  return {
    ...run,
    newControlFiles: newControlFiles(request.profile, before, { protector, machine }),
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

function neverStarted(stderr: string): SandboxError {
  const line = stderr.split('\n')[0]?.slice(0, 200) ?? ''
  return new SandboxError(
    'setup_failed',
    line === '' ? 'the command did not start' : `the command did not start: ${line}`,
    'check that the program exists inside the sandbox',
  )
}
