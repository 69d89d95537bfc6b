/** Networks of single commands on Linux: fresh namespaces with one way out, which the host holds (sandbox.md §4, §7). */

import type { NetworkGrant, SandboxDriver } from '../../contract/sandbox.js'
import { SandboxError } from '../../core/errors.js'
import { systemClock, type Clock } from '../../platform/clock.js'
import {
  openNetworkNamespace,
  type NetworkNamespace,
} from '../../platform/process/network-namespace.js'
import { mediate, type Mediator } from './mediator.js'
import type { Entrance, EntranceCheck } from './entrance.js'
import { canonicalHost } from '../../core/names/host.js'
import { pool } from './pool.js'
import type { Shortfall } from '../report.js'

/** One grant with its network. Used by one command, and closed whatever became of it. */
export interface Lane extends Mediator {
  readonly entrance: Entrance
}

/** Opens lanes; the first takes a moment, later ones are made ahead. */
export interface GrantNetworks {
  /** Rejects with `SandboxError setup_failed`; then nothing is open. */
  readonly open: (grant: NetworkGrant) => Promise<Lane>
  /** The same, with nothing made ahead for a next one: for the start probe, which says nothing of a need. */
  readonly openOnce: (grant: NetworkGrant) => Promise<Lane>
  /** Resolves when the next `open` need not wait. */
  readonly prewarm: () => Promise<void>
}

/** A driver that lets a command into a network of its own. */
export interface GrantingDriver extends SandboxDriver {
  readonly networks: GrantNetworks
}

/** What the networks are made with. */
export interface NetworksOptions {
  /** The launcher's real path, asked when it is needed. */
  readonly launcher: () => string
  readonly entrance: () => EntranceCheck
  /** Hosts whose grants may lead to private addresses: the word of the program, never of a model. */
  readonly privateHosts?: readonly string[] | undefined
  readonly clock?: Clock | undefined
}

/** Every namespace has a loopback of its own, so the port is free in each. */
const PROXY_PORT = 3128

/** bubblewrap brings the loopback of a fresh network namespace up; the rest stays the host's, read-only. */
const FRESH = [
  '--unshare-user',
  '--unshare-net',
  '--die-with-parent',
  '--ro-bind',
  '/',
  '/',
] as const

export function grantNetworks(options: NetworksOptions): GrantNetworks {
  const clock = options.clock ?? systemClock()
  const make = (): Promise<NetworkNamespace> =>
    openNetworkNamespace({ launcher: options.launcher(), options: FRESH, port: PROXY_PORT, clock })
  const { take, prewarm } = pool(make, clock)
  const privateHosts = (options.privateHosts ?? []).map((host) => canonicalHost(host) ?? '')
  const laneBy =
    (given: () => Promise<NetworkNamespace>) =>
    async (grant: NetworkGrant): Promise<Lane> => {
      const check = options.entrance()
      if (check.status === 'refused') throw refused(check.shortfall)
      const space = await given()
      const allowsPrivate = privateHosts.includes(grant.host)
      const mediator = mediate(space.listener, grant, { clock, allowsPrivate })
      return laneIn(space, check.path, mediator)
    }
  return { prewarm, open: laneBy(take), openOnce: laneBy(make) }
}

function laneIn(space: NetworkNamespace, program: string, mediator: Mediator): Lane {
  const { user, network } = space
  return {
    entrance: { program, user, network, proxy: `http://127.0.0.1:${PROXY_PORT}` },
    use: mediator.use,
    close() {
      mediator.close()
      space.close()
    },
  }
}

function refused({ cause, remedy }: Shortfall): SandboxError {
  return new SandboxError('setup_failed', cause, remedy)
}

/** The networks of a driver, or `null` when it has none. */
export function networksOf(driver: SandboxDriver): GrantNetworks | null {
  return 'networks' in driver ? (driver as GrantingDriver).networks : null
}
