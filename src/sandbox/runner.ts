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
import { processHost } from './process-host/driver.js'
import type { GuardedRequest } from './protection/guard.js'
import { holdWorkspace, type HoldPorts } from './protection/hold.js'
import { createProtector } from './protection/protect.js'
import { confining, factsOf, probeOrFallBack, type Probed } from './choice.js'
import { newControlFiles } from './protection/aftermath.js'
import { prepare } from './prepare.js'
import { realProfile } from './real-profile.js'
import { scratchFor } from './scratch.js'

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
  const { profile, request, unconfined } = asked
  const found = await parts.find()
  const chosen = unconfined ? parts.outside : confining(found, profile)
  const atHome = unconfined || found.isFallback
  const prepared = prepare(profile, request, { machine, unconfined, atHome })
  const { stdin, signal } = request
  const options = { ...prepared.limits, launcherStatus: chosen.status, stdin, signal, clock }
  if (unconfined) return start(chosen, prepared.request, options)
  if (found.isFallback) return startOutside(chosen, prepared.request, { ...parts, options })
  const scratch = scratchOf(asked, parts)
  return startHeld(chosen, { ...prepared.request, ...scratch }, { ...parts, options })
}

/** A session's own, for one profile: what a wider one left behind steers no narrower one. Never with a grant. */
function scratchOf(
  { profile, request, session }: Asked,
  { scratches }: Parts,
): { readonly scratch?: string } {
  const hasGrant = (request as { readonly grant?: unknown }).grant !== undefined
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

/** Protects the workspace around the command, and looks at it afterwards. */
async function startHeld(
  driver: SandboxDriver,
  request: GuardedRequest,
  { options, ...ports }: { readonly options: RunOptions } & HoldPorts,
): Promise<SandboxedResult> {
  const kept = request.scratch
  const made = kept === undefined ? scratchFor(driver, ports.machine) : null
  try {
    const hold = await holdWorkspace(request.profile, ports)
    const guarded = { ...request, guard: hold.guard, scratch: kept ?? made?.path }
    const run = await start(driver, guarded, options).finally(hold.release)
    return { ...run, newControlFiles: hold.newControlFiles(), readOnlyStores: hold.readOnly }
  } finally {
    made?.remove()
  }
}

/** Nothing can be protected out there; what appeared is listed all the same. */
async function startOutside(
  driver: SandboxDriver,
  request: ConfineRequest,
  { options, protector, machine }: { readonly options: RunOptions } & HoldPorts,
): Promise<SandboxedResult> {
  const { repositories, bare } = protector.search(request.profile)
  const before = { repositories: [...repositories, ...bare] }
  const run = await start(driver, request, options)
  return {
    ...run,
    newControlFiles: newControlFiles(request.profile, before, { protector, machine }),
  }
}

async function start(
  driver: SandboxDriver,
  request: GuardedRequest,
  options: RunOptions,
): Promise<ExecResult> {
  const run = await runConfined(driver.confine(request), options)
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
