/** Runs commands for sessions and handles: one driver, no way around it (sandbox.md §1, §2). */

import type {
  ProbeReport,
  SandboxDriver,
  SandboxExec,
  SandboxProfile,
} from '../contract/sandbox.js'
import { SandboxError } from '../core/errors.js'
import type { SandboxFacts } from '../core/facts.js'
import { systemClock, type Clock } from '../platform/clock.js'
import { systemMachine, type Machine } from '../platform/machine.js'
import { createScratchFolders } from '../platform/scratch-folders.js'
import { factsOf, probeOrFallBack, type Probed } from './choice.js'
import { placeOf } from './elsewhere/place.js'
import { realProfile } from './real-profile.js'
import type { Asked, ExecOptions, RunnerParts, SandboxedResult } from './start/asked.js'

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

/** A runner over a driver; with `null` every sandboxed call is refused. What starts commands is loaded with the first one. */
export function createSandboxRunner(
  driver: SandboxDriver | null,
  ports: { readonly machine?: Machine | undefined; readonly clock?: Clock | undefined } = {},
): SandboxRunner {
  const machine = ports.machine ?? placeOf(driver)?.machine ?? systemMachine()
  const clock = ports.clock ?? systemClock()
  let probed: Promise<Probed> | undefined
  const find = (): Promise<Probed> => (probed ??= probeOrFallBack(driver))
  const scratches = createScratchFolders()
  let loaded: Promise<Execute> | undefined
  const executor = (): Promise<Execute> =>
    (loaded ??= loadExecutor({ find, machine, clock, scratches }))
  return {
    report: async () => (await find()).report,
    resolve: (profile) => realProfile(profile, machine),
    facts: async () => factsOf(await find()),
    exec: async (profile, request, options) => (await executor())({ profile, request, ...options }),
    end: scratches.end,
  }
}

type Execute = (asked: Asked) => Promise<SandboxedResult>

async function loadExecutor(parts: RunnerParts): Promise<Execute> {
  try {
    const { executorOf } = await import('./start/execute.js')
    return executorOf(parts)
  } catch (cause) {
    // Denied: every command. There is no other way to start one.
    const remedy = 'install the whole package'
    throw new SandboxError('setup_failed', 'a part of the library is missing', remedy, cause)
  }
}
