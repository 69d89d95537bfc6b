/** Starts one command after another inside the boundary (sandbox.md §2); loaded when the first one is to run. */

import type { ConfineRequest, ExecResult, SandboxDriver } from '../../contract/sandbox.js'
import { SandboxError } from '../../core/errors.js'
import { deviceModes } from '../../platform/disk/device-modes.js'
import { createClaims } from '../../platform/placeholder/claims.js'
import { runConfined, type RunOptions } from '../../platform/process/spawn.js'
import type { EnteredRequest } from '../grant/entrance.js'
import { refuseOtherGrant } from '../grant/origin.js'
import { laneOf, refuseStale } from '../grant/lane-of.js'
import { processHost } from '../process-host/driver.js'
import { holdWorkspace, type HoldPorts } from '../protection/hold.js'
import { createProtector } from '../protection/protect.js'
import { placeOf } from '../elsewhere/place.js'
import { newControlFiles, noteBefore } from '../protection/aftermath.js'
import { confining } from './confining.js'
import { prepare } from './prepare.js'
import type { Asked, ExecOptions, RunnerParts, SandboxedResult } from './asked.js'
import { scratchFor, type Scratch } from './scratch.js'

/** What runs commands with these parts. It rejects with `SandboxError`; then nothing ran. */
export function executorOf(shared: RunnerParts): (asked: Asked) => Promise<SandboxedResult> {
  const parts: Parts = {
    ...shared,
    outside: processHost(),
    protector: createProtector(shared.machine, shared.clock),
    claims: createClaims(shared.clock),
  }
  return (asked) => execute(parts, asked)
}

interface Parts extends HoldPorts, RunnerParts {
  readonly outside: SandboxDriver
}

async function execute(parts: Parts, asked: Asked): Promise<SandboxedResult> {
  const { machine, clock } = parts
  const { profile, request, unconfined, mayStart } = asked
  refuseOtherGrant(profile, request)
  const found = await parts.find()
  if (unconfined && placeOf(found.driver) !== null) throw elsewhere()
  const chosen = unconfined ? parts.outside : confining(found, profile)
  const atHome = unconfined || found.isFallback
  const prepared = prepare(profile, request, { machine, unconfined, atHome })
  const { stdin, signal } = request
  const launcherStatus = chosen.status
  const options = { ...prepared.limits, launcherStatus, stdin, signal, clock, mayStart }
  if (unconfined) return start(chosen, prepared.request, options)
  if (placeOf(chosen) !== null) return startElsewhere(chosen, prepared.request, options)
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
  const restoreDevices = deviceModes.hold()
  let made: Scratch | null = null
  try {
    made = kept === undefined ? scratchFor(driver, ports.machine) : null
    const hold = await holdWorkspace(request.profile, ports)
    const guarded = { ...request, guard: hold.guard, scratch: kept ?? made?.path }
    const run = await start(driver, lane.enter(guarded), options).finally(hold.release)
    const seen = { newControlFiles: hold.newControlFiles(), readOnlyStores: hold.readOnly }
    return { ...run, ...lane.use(), ...seen }
  } finally {
    restoreDevices()
    made?.remove()
    lane.close()
  }
}

/** Its driver protects the workspace where it lies, and what appeared there nobody here can tell. */
async function startElsewhere(
  driver: SandboxDriver,
  request: ConfineRequest,
  options: StartOptions,
): Promise<SandboxedResult> {
  const lane = await laneOf(driver, request.profile, options.signal)
  const run = await start(driver, lane.enter(request), options).finally(lane.close)
  return { ...run, ...lane.use(), newControlFiles: null }
}

/** Denied: a call that was let out. This machine is no part of what the person answered for. */
function elsewhere(): SandboxError {
  return new SandboxError(
    'unavailable',
    'the workspace is not on this machine, and nothing of it runs outside of its driver',
    'run the command in the sandbox',
  )
}

/** Nothing can be protected out there; what appeared is listed all the same. */
async function startOutside(
  driver: SandboxDriver,
  request: ConfineRequest,
  { options, protector, machine }: { readonly options: StartOptions } & HoldPorts,
): Promise<SandboxedResult> {
  const { repositories, bare } = protector.search(request.profile)
  const before = noteBefore({ repositories: [...repositories, ...bare], opened: [] }, machine)
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
