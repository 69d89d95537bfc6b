/** The boundary alone, without a pipeline (api.md, `sixgate/sandbox`). */

import type { SandboxDriver, SandboxHandle, SandboxProfile } from '../contract/sandbox.js'
import type { SandboxAxis } from '../policy/effective-policy.js'
import { systemMachine } from '../platform/machine.js'
import { placeOf } from './elsewhere/place.js'
import { withGrant } from './grant/origin.js'
import { openings, profileOf } from './profile.js'
import { reportUnder } from './report.js'
import { createSandboxRunner } from './runner.js'
import { createNativeSandbox } from './select.js'

/** What a handle is opened on. */
export interface OpenSandboxOptions {
  /** Absent: the operating system's own. A driver that is given always wins. */
  readonly driver?: SandboxDriver | undefined
  /** An existing folder; never `/`, a volume root, a home directory or a parent of one. */
  readonly workspace: string
  /** Parts that differ from the defaults; more paths to hide. */
  readonly profile?: OpenSandboxProfile | undefined
}

/** Like the sandbox axis of a policy, every part optional. */
export interface OpenSandboxProfile {
  readonly mode?: SandboxAxis['mode'] | undefined
  readonly writable?: readonly string[] | undefined
  readonly readable?: readonly string[] | undefined
  readonly hidden?: readonly string[] | undefined
  readonly environment?: { readonly pass: readonly string[] } | undefined
  readonly git?: SandboxAxis['git']
  readonly packageStores?: SandboxAxis['packageStores']
  readonly scratch?: SandboxAxis['scratch']
  readonly limits?:
    | { readonly [L in keyof SandboxAxis['limits']]?: SandboxAxis['limits'][L] | undefined }
    | undefined
}

/**
 * Probes the driver and fixes the profile. When the probe fails the handle only returns errors;
 * nothing is ever tried outside of the boundary. Rejects with `SandboxError workspace_refused`.
 */
export async function openSandbox(options: OpenSandboxOptions): Promise<SandboxHandle> {
  const driver = options.driver ?? createNativeSandbox()
  const machine = placeOf(driver)?.machine ?? systemMachine()
  const runner = createSandboxRunner(driver, { machine })
  const profile = runner.resolve(
    completed(options.profile ?? {}, {
      // Relative roots are measured from it.
      workspace: machine.realPath(options.workspace) ?? options.workspace,
      home: machine.home,
      temporary: machine.temporary,
      platform: driver.platform,
    }),
  )
  const report = reportUnder(await runner.report(), profile.fileSystem)
  const inside = { unconfined: false, session: HANDLE } as const
  return {
    report,
    exec: async (request) => runner.exec(withGrant(profile, request), request, inside),
  }
}

/** A handle has a runner of its own and is one session. */
const HANDLE = 'handle'

const DEFAULT_LIMITS: SandboxAxis['limits'] = {
  timeoutMs: 120_000,
  outputBytes: 1_048_576,
  diskBytes: 1_073_741_824,
  processes: null,
  memoryBytes: null,
}

function completed(
  given: OpenSandboxProfile,
  roots: Parameters<typeof profileOf>[0]['roots'],
): SandboxProfile {
  const limits = Object.entries(given.limits ?? {}).filter(([, value]) => value !== undefined)
  return profileOf({
    axis: {
      mode: given.mode ?? 'workspace_write',
      writable: given.writable ?? [],
      readable: given.readable ?? [],
      environment: given.environment ?? { pass: [] },
      limits: { ...DEFAULT_LIMITS, ...Object.fromEntries(limits) },
      onUnavailable: 'deny',
      ...openings(given),
    },
    roots,
    canWrite: given.mode !== 'read_only',
    hidden: given.hidden ?? [],
  })
}
