/** TCP as mediators use it: connections by address alone, never by name, and bytes carried with a count. */

import { connect, isIP, type Server, type Socket } from 'node:net'
import { InternalError } from '../../core/errors.js'

/** One open connection. Whoever holds it listens to its errors. */
export type Connection = Socket

/** Accepts connections. */
export type Listener = Server

/** Starts connecting to an address. A name is a mistake: it would be looked up once more. */
export function dial(address: string, port: number): Connection {
  if (isIP(address) === 0) throw new InternalError('invariant', 'only addresses are connected to')
  return connect({ host: address, port, noDelay: true })
}

/** What is carried, and who counts it. */
export interface Freight {
  readonly count: (bytes: number) => void
  /** Bytes of `from` that somebody took already. */
  readonly first?: Uint8Array | undefined
}

/** Carries bytes one way, no faster than they are taken; what is left when one side ends still arrives. */
export function carry(from: Connection, to: Connection, { count, first }: Freight): void {
  const hand = (chunk: Uint8Array): void => {
    if (!to.writable) return
    count(chunk.length)
    if (!to.write(chunk)) from.pause()
  }
  if (first !== undefined) hand(first)
  from.on('data', hand)
  to.on('drain', () => from.resume())
  from.once('end', () => to.end())
  // With nobody to hand them to, bytes are read and dropped: an unread one would cut the answer short.
  to.once('close', () => from.resume())
}
