/** The addresses of a host, by the system's resolver. */

import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'

/** Every address of a host; an address is its own. Empty when there is none or nobody answers. */
export async function lookupAddresses(host: string): Promise<readonly string[]> {
  if (isIP(host) !== 0) return [host]
  try {
    return (await lookup(host, { all: true, order: 'verbatim' })).map(({ address }) => address)
  } catch {
    // Denied: every connection to this host.
    return []
  }
}
