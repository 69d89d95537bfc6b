/** The host's end of a network grant: the only way from one command to its one origin (sandbox.md §7). */

import type { GrantUse, NetworkGrant } from '../../contract/sandbox.js'
import type { Clock } from '../../platform/clock.js'
import { carry, dial, type Connection, type Listener } from '../../platform/network/connection.js'
import { lookupAddresses } from '../../platform/network/lookup.js'
import { classOfAddress } from './addresses.js'
import { serve, type Addresses, type TunnelPorts } from './tunnel.js'

/** What a mediator works with; what is left out is this machine's. */
export interface MediatorPorts {
  readonly clock: Clock
  /** Whether the host's program lets this grant lead to private addresses. */
  readonly allowsPrivate: boolean
  readonly lookup?: ((host: string) => Promise<readonly string[]>) | undefined
  readonly dial?: TunnelPorts['dial'] | undefined
}

/** One grant in force. */
export interface Mediator {
  readonly use: () => Omit<GrantUse, 'policyDigest'>
  /** Ends the grant and every connection at once. */
  readonly close: () => void
}

/** As many connections at a time; more are dropped as they come. */
export const MOST_CONNECTIONS = 64

/** Accepts on `listener` and nowhere else: who can reach that socket is the command of this grant. */
export function mediate(listener: Listener, grant: NetworkGrant, ports: MediatorPorts): Mediator {
  const open = new Map<Connection, () => void>()
  const counts = { sentBytes: 0, receivedBytes: 0, connections: 0, refused: 0 }
  const tunnels: TunnelPorts = {
    grant,
    addresses: resolved(grant, ports),
    clock: ports.clock,
    dial: ports.dial ?? dial,
    carry,
    sent: (bytes) => void (counts.sentBytes += bytes),
    received: (bytes) => void (counts.receivedBytes += bytes),
    refused: () => void (counts.refused += 1),
  }
  listener.maxConnections = MOST_CONNECTIONS
  listener.on('connection', (client) => {
    counts.connections += 1
    open.set(
      client,
      serve(client, tunnels, () => open.delete(client)),
    )
  })
  // Denied: every further connection; those that are open go on.
  listener.on('error', () => listener.close())
  return {
    use: () => ({ ...grant, ...counts }),
    close() {
      listener.close()
      for (const end of open.values()) end()
    },
  }
}

// INVARIANT: one lookup a grant, whatever it said ("looks a name up once"): a name that leads elsewhere the
// second time leads nowhere.
async function resolved(
  { host }: NetworkGrant,
  { lookup = lookupAddresses, allowsPrivate }: MediatorPorts,
): Promise<Addresses> {
  const found = await lookup(host).catch(() => []) // Denied: every connection.
  const allowed = found.filter((address) => {
    const name = classOfAddress(address)
    return name === 'public' || (allowsPrivate && name === 'private')
  })
  return { found, allowed }
}
