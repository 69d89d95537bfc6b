/** The one origin of a grant, and whether a client names it (sandbox.md §7). Pure text. */

import { canonicalHost } from '../../core/names/host.js'
import type { NetworkGrant, SandboxExec, SandboxProfile } from '../../contract/sandbox.js'
import { SandboxError } from '../../core/errors.js'

/** The canonical form of a grant that a caller spelled. Throws `SandboxError not_judged` for no exact origin. */
export function readGrant({ host, port }: NonNullable<SandboxExec['grant']>): NetworkGrant {
  const canonical = typeof host === 'string' ? canonicalHost(host) : null
  if (canonical !== null && isPort(port)) return { host: canonical, port: port ?? null }
  throw new SandboxError(
    'not_judged',
    'the grant does not name one exact host with at most one port',
    'name a host without wildcard, and a port from 1 to 65535 or none',
  )
}

/** The profile of a command of a handle without a policy: there the caller itself grants. Throws `SandboxError not_judged`. */
export function withGrant(profile: SandboxProfile, { grant }: SandboxExec): SandboxProfile {
  return grant === undefined ? profile : { ...profile, network: { grant: readGrant(grant) } }
}

// INVARIANT: what a caller names never widens a profile ("opens no other origin than the one of the profile"): an
// executor may repeat the grant of its call, and nothing else.
export function refuseOtherGrant({ network }: SandboxProfile, { grant }: SandboxExec): void {
  if (grant === undefined) return
  const asked = readGrant(grant)
  if (network !== 'none' && isSame(network.grant, asked)) return
  throw new SandboxError(
    'not_judged',
    'this is not the origin that was granted',
    'name the granted origin, or leave `grant` out',
  )
}

function isSame(one: NetworkGrant, other: NetworkGrant): boolean {
  return one.host === other.host && one.port === other.port
}

/** True when a grant opens this host and port; the host is canonical. */
export function opens(
  grant: NetworkGrant,
  wanted: { readonly host: string; readonly port: number },
): boolean {
  return grant.host === wanted.host && (grant.port === null || grant.port === wanted.port)
}

function isPort(port: unknown): boolean {
  if (port === undefined) return true
  return typeof port === 'number' && Number.isInteger(port) && port >= 1 && port <= 65_535
}
