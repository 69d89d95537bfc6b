/** One connection of a command with a grant: asked for, opened, looked at, carried (sandbox.md §7). */

import type { NetworkGrant } from '../../contract/sandbox.js'
import type { Clock } from '../../platform/clock.js'
import type { Connection, Freight } from '../../platform/network/connection.js'
import { OPENED, refusal, type Refusal } from './answers.js'
import { readHello } from './client-hello.js'
import { opens } from './origin.js'
import { headReader, type Head } from './request-head.js'

/** What a tunnel works with. */
export interface TunnelPorts {
  readonly grant: NetworkGrant
  /** The addresses of the grant, resolved once: the same answer for every tunnel. */
  readonly addresses: Promise<Addresses>
  readonly clock: Clock
  readonly dial: (address: string, port: number) => Connection
  readonly carry: (from: Connection, to: Connection, freight: Freight) => void
  readonly sent: (bytes: number) => void
  readonly received: (bytes: number) => void
  /** Told once, when the client asked for what it may not have. */
  readonly refused: () => void
}

/** What a host's name led to. */
export interface Addresses {
  readonly found: readonly string[]
  /** Those of `found` that may be connected to. */
  readonly allowed: readonly string[]
}

/** How long a head, the way to the origin, and a TLS client's first message may take. */
export const PATIENCE_MS = 10_000

/** How long one of several addresses is tried. */
const DIAL_MS = 4000

/** How long a client may take to read why it was refused. */
const LINGER_MS = 500

/** Serves one client; `over` is called when both its ends are closed. What is returned ends it at once. */
export function serve(client: Connection, ports: TunnelPorts, over: () => void): () => void {
  const tunnel = new Tunnel(client, ports, over)
  return () => tunnel.close()
}

type Stage = 'asking' | 'opening' | 'greeting' | 'open' | 'closed'

class Tunnel {
  private readonly client: Connection
  private readonly ports: TunnelPorts
  private readonly over: () => void
  private readonly read: (chunk: Uint8Array) => Head = headReader()
  private readonly receive = (chunk: Uint8Array): void => this.take(chunk)
  private stage: Stage = 'asking'
  private origin: Connection | null = null
  private greeting: Uint8Array = new Uint8Array(0)
  private needed = 1
  private stopTimer: () => void = () => undefined

  constructor(client: Connection, ports: TunnelPorts, over: () => void) {
    this.client = client
    this.ports = ports
    this.over = over
    client.on('error', () => this.close())
    client.once('close', () => this.leave())
    client.on('data', this.receive)
    // Half a request will never become a whole one.
    client.once('end', () => this.stage !== 'open' && this.close())
    this.hurry(() => this.refuse(408))
  }

  close(): void {
    this.stage = 'closed'
    this.stopTimer()
    this.client.destroy()
    this.origin?.destroy()
  }

  /** The client is gone; what it sent before still arrives. */
  private leave(): void {
    if (this.stage === 'open' && !this.client.errored) this.origin?.destroySoon()
    else this.close()
    if (this.origin?.destroyed !== false) this.over()
  }

  private hurry(late: () => void, ms = PATIENCE_MS): void {
    this.stopTimer()
    this.stopTimer = this.ports.clock.after(ms, late)
  }

  private take(chunk: Uint8Array): void {
    switch (this.stage) {
      case 'asking':
        return this.hear(this.read(chunk))
      case 'opening':
        // Sent before the answer: it would reach the origin unseen.
        return this.refuse(400)
      case 'greeting':
        return this.inspect(chunk)
      case 'open':
      case 'closed':
        return undefined
    }
  }

  private hear(head: Head): void {
    if (head.status === 'incomplete') return
    if (head.status === 'refused') return this.refuse(head.code)
    if (!opens(this.ports.grant, head)) return this.refuse(403)
    this.stage = 'opening'
    this.hurry(() => this.refuse(502))
    this.ports.addresses.then(
      ({ found, allowed }) => {
        if (found.length > 0 && allowed.length === 0) this.refuse(403)
        else this.reach(allowed, head.port)
      },
      () => this.refuse(502),
    )
  }

  /** One address after the other, until one answers. */
  private reach([address, ...others]: readonly string[], port: number): void {
    if (this.stage !== 'opening') return
    if (address === undefined) return this.refuse(502)
    const origin = this.ports.dial(address, port)
    const giveUp = (): void => {
      stopTimer()
      origin.removeListener('error', giveUp).on('error', () => undefined)
      origin.destroy()
      if (this.origin === origin) this.reach(others, port)
    }
    const stopTimer = this.ports.clock.after(DIAL_MS, giveUp)
    this.origin = origin
    origin.once('error', giveUp)
    origin.once('connect', () => {
      stopTimer()
      origin.removeListener('error', giveUp)
      this.greet(origin)
    })
  }

  private greet(origin: Connection): void {
    if (this.stage !== 'opening') return void origin.destroy()
    origin.on('error', () => this.close())
    origin.once('close', () => {
      this.client.end()
      if (this.client.destroyed) this.over()
    })
    this.stage = 'greeting'
    this.client.write(OPENED)
    // Without a named port only TLS is carried, and there the client speaks first.
    if (this.ports.grant.port === null) this.hurry(() => this.close())
    else {
      this.stopTimer()
      this.ports.carry(origin, this.client, { count: this.ports.received })
    }
  }

  /** Holds the client's first bytes back until it is known whom it greets. */
  private inspect(chunk: Uint8Array): void {
    if (this.greeting.length === 0) this.hurry(() => this.close())
    this.greeting = joined(this.greeting, chunk)
    if (this.greeting.length < this.needed) return
    const hello = readHello(this.greeting)
    if (hello.status === 'incomplete') {
      this.needed = hello.needed
      return
    }
    const { host, port } = this.ports.grant
    const isGranted =
      hello.status === 'hello'
        ? hello.name?.toLowerCase() === host
        : hello.status === 'other' && port !== null
    if (isGranted) this.carry()
    else this.turnAway()
  }

  private carry(): void {
    const { origin, client, ports } = this
    if (origin === null) return
    this.stage = 'open'
    this.stopTimer()
    client.removeListener('data', this.receive)
    if (ports.grant.port === null) ports.carry(origin, client, { count: ports.received })
    ports.carry(client, origin, { count: ports.sent, first: this.greeting })
  }

  private turnAway(): void {
    if (this.stage !== 'closed') this.ports.refused()
    this.close()
  }

  private refuse(code: Refusal): void {
    if (this.stage === 'closed') return
    if (code !== 502) this.ports.refused()
    this.stage = 'closed'
    this.origin?.destroy()
    this.client.end(refusal(code))
    this.hurry(() => this.close(), LINGER_MS)
  }
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array {
  const all = new Uint8Array(one.length + other.length)
  all.set(one)
  all.set(other, one.length)
  return all
}
