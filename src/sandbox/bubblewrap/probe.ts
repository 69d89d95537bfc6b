/** The start probe: one real command through exactly the flags of every later one (sandbox.md §1, S1-17). */

import type { ProbeReport } from '../../contract/sandbox.js'
import { SandboxError } from '../../core/errors.js'
import type { Machine } from '../../platform/machine.js'
import type { Confinement } from '../../platform/process/pipes.js'
import { runConfined } from '../../platform/process/spawn.js'
import type { EnteredRequest, EntranceCheck } from '../grant/entrance.js'
import type { GrantNetworks } from '../grant/networks.js'
import { NO_PROBE_FOLDER, PROBE_LIMITS, probeFailed, probeProfile } from '../probing.js'
import type { Shortfall } from '../report.js'
import type { LimitEnforcement } from '../limits/enforcement.js'
import { explainFailure } from './failure.js'
import { bubblewrapGuarantees } from './guarantees.js'

/** What the probe tries. */
export interface Probed {
  readonly confine: (request: EnteredRequest) => Confinement
  readonly networks: GrantNetworks
  readonly entrance: EntranceCheck
  /** What this machine cannot limit. */
  readonly limits: LimitEnforcement['shortfalls']
}

/** Runs `/bin/true` in an empty private folder, and at the same time once more with a grant; never rejects. */
export async function probeBubblewrap(machine: Machine, probed: Probed): Promise<ProbeReport> {
  const folder = machine.privateFolder()
  if (folder === null) return probeFailed(NO_PROBE_FOLDER)
  try {
    const request = trueIn(folder.path)
    const withGrant = grantShortfall(request, probed)
    const fault = await faultOf(probed.confine, request)
    const network_grant = await withGrant
    if (fault !== null) return probeFailed(fault)
    const guarantees = bubblewrapGuarantees(probed.limits, network_grant)
    return { status: 'ready', guarantees, cause: null, remedy: null }
  } finally {
    folder.remove()
  }
}

async function faultOf(
  confine: Probed['confine'],
  request: EnteredRequest,
): Promise<SandboxError | null> {
  try {
    const run = await runConfined(confine(request), {
      ...PROBE_LIMITS,
      launcherStatus: 'bubblewrap_json',
    })
    return run.started && run.exitCode === 0 ? null : explainFailure(run.stderr)
  } catch (cause) {
    // Denied: what was probed; nothing weaker is tried.
    return cause instanceof SandboxError ? cause : explainFailure('')
  }
}

/** Why no command can be given a grant here; `null` when one can. The address is nobody's, and nothing connects to it. */
async function grantShortfall(
  request: EnteredRequest,
  { confine, networks, entrance }: Probed,
): Promise<Shortfall | null> {
  if (entrance.status === 'refused') return entrance.shortfall
  const grant = { host: '192.0.2.1', port: null }
  try {
    const lane = await networks.openOnce(grant)
    const profile = { ...request.profile, network: { grant } }
    const fault = await faultOf(confine, { ...request, profile, entrance: lane.entrance })
    lane.close()
    return fault === null ? null : { cause: `${NO_GRANT}: ${fault.message}`, remedy: fault.remedy }
  } catch (cause) {
    // Denied: every grant.
    const { message, remedy } = explainFailure(cause instanceof SandboxError ? cause.message : '')
    return { cause: `${NO_GRANT}: ${message}`, remedy }
  }
}

const NO_GRANT = 'no command can be let into a network of its own here'

/** Every kind of mount that a later command may need is tried: the folder itself is pinned and fixed. */
function trueIn(workspace: string): EnteredRequest {
  return {
    profile: probeProfile(workspace),
    argv: ['/bin/true'],
    cwd: workspace,
    environment: { PATH: '/usr/bin:/bin' },
    guard: { pinned: [workspace], fixed: [workspace], closed: [], masks: [] },
  }
}
