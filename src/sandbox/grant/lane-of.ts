/** Gives a command the network that its profile grants, for as long as it runs (sandbox.md §7). */

import type { ExecResult, SandboxDriver, SandboxProfile } from '../../contract/sandbox.js'
import { SandboxError } from '../../core/errors.js'
import type { EnteredRequest } from './entrance.js'
import { networksOf } from './networks.js'
import { proxyVariables } from './proxy-variables.js'

/** A command's way through its grant; without a grant it changes nothing. */
export interface GivenLane {
  readonly enter: (request: EnteredRequest) => EnteredRequest
  /** What the grant carried, for the result of the command. */
  readonly use: () => Pick<ExecResult, 'grant'>
  readonly close: () => void
}

/** Rejects with `SandboxError`; then nothing is open. An abort closes every connection at once. */
export async function laneOf(
  driver: SandboxDriver,
  { network }: SandboxProfile,
  signal: AbortSignal | undefined,
): Promise<GivenLane> {
  if (network === 'none') return NO_LANE
  const networks = networksOf(driver)
  if (networks === null) throw noNetworks(driver)
  const lane = await networks.open(network.grant)
  signal?.addEventListener('abort', lane.close, { once: true })
  return {
    enter: (request) => ({
      ...request,
      entrance: lane.entrance,
      environment: { ...request.environment, ...proxyVariables(lane.entrance.proxy) },
    }),
    use: () => ({ grant: { ...lane.use(), policyDigest: null } }),
    close() {
      signal?.removeEventListener('abort', lane.close)
      lane.close()
    },
  }
}

/** The last look before a command with a grant starts: a grant of a policy that has moved opens nothing (S1-39). */
export function refuseStale(request: EnteredRequest, mayStart: (() => boolean) | undefined): void {
  if (request.entrance === undefined || mayStart === undefined || mayStart()) return
  throw new SandboxError(
    'call_ended',
    'the policy has moved since the network grant was given',
    'make the call again under the policy in force',
  )
}

const NO_LANE: GivenLane = {
  enter: (request) => request,
  use: () => ({}),
  close: () => undefined,
}

function noNetworks({ name }: SandboxDriver): SandboxError {
  return new SandboxError(
    'unavailable',
    `the driver \`${name}\` lets no command into a network`,
    'use createNativeSandbox() on Linux, or run the command without a grant',
  )
}
