/** A mediator over real sockets, an origin behind it, and clients of any manners. */

import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { systemClock } from '../../src/platform/clock.js'
import { dial } from '../../src/platform/network/connection.js'
import { mediate, type Mediator, type MediatorPorts } from '../../src/sandbox/grant/mediator.js'

/** What an origin saw. */
export interface Origin {
  readonly port: number
  readonly sockets: readonly Socket[]
  /** Everything that arrived, in order. */
  readonly text: () => string
  readonly close: () => Promise<void>
}

/** An origin that says `greeting`, answers what `answer` makes of each piece, and remembers all of it. */
export async function anOrigin(
  answer: (text: string, socket: Socket) => void = (text, socket) => void socket.write(`<${text}>`),
  greeting = '',
): Promise<Origin> {
  const sockets: Socket[] = []
  const parts: string[] = []
  const server = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => undefined)
    if (greeting !== '') socket.write(greeting)
    socket.on('data', (chunk) => {
      parts.push(chunk.toString('latin1'))
      answer(chunk.toString('latin1'), socket)
    })
  })
  return {
    port: await listening(server),
    sockets,
    text: () => parts.join(''),
    close: () => closed(server, sockets),
  }
}

/** A mediator with the port that clients reach it on. */
export interface Mediated extends Mediator {
  readonly port: number
  /** Every name that was looked up and every address that was dialled. */
  readonly asked: readonly string[]
  readonly dialled: readonly string[]
}

/** Every name leads to this machine unless `ports.lookup` says otherwise; every dial ends at `origin`. */
export async function aMediator(
  grant: { readonly host: string; readonly port: number | null },
  origin: Origin | null,
  ports: Partial<MediatorPorts> & { readonly addresses?: readonly string[] } = {},
): Promise<Mediated> {
  const listener = createServer()
  const port = await listening(listener)
  const asked: string[] = []
  const dialled: string[] = []
  const { addresses = ['93.184.215.14'], ...given } = ports
  const mediator = mediate(listener, grant, {
    clock: systemClock(),
    allowsPrivate: false,
    lookup: (host) => {
      asked.push(host)
      return Promise.resolve(addresses)
    },
    dial: (address) => {
      dialled.push(address)
      return dial('127.0.0.1', origin?.port ?? 1)
    },
    ...given,
  })
  return { ...mediator, port, asked, dialled }
}

/** A client that keeps what it was told. */
export interface Client {
  readonly socket: Socket
  readonly said: () => string
  /** Resolves with everything said when it ends in `end`, or when the connection is over. */
  readonly until: (end: string) => Promise<string>
  readonly closed: Promise<void>
}

export async function aClient(port: number): Promise<Client> {
  const socket = connect({ port, host: '127.0.0.1' })
  let said = ''
  const waiting = new Set<() => void>()
  const look = (): void => waiting.forEach((one) => one())
  socket.setEncoding('latin1').on('data', (text: string) => {
    said += text
    look()
  })
  const over = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  socket.on('error', () => undefined).on('close', look)
  await once(socket, 'connect')
  const until = (end: string): Promise<string> =>
    new Promise((resolve) => {
      const done = (): void => {
        if (!said.endsWith(end) && !socket.closed) return
        waiting.delete(done)
        resolve(said)
      }
      waiting.add(done)
      done()
    })
  return { socket, said: () => said, until, closed: over }
}

/** What a client asks for. */
export function connectTo(target: string): string {
  return `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`
}

/** The whole way: asks, waits for the answer, returns its status. */
export async function statusOf(client: Client, text: string | Buffer): Promise<number> {
  client.socket.write(text)
  const answer = await client.until('\n')
  return Number(/^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1] ?? 0)
}

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

async function closed(server: Server, sockets: readonly Socket[]): Promise<void> {
  for (const socket of sockets) socket.destroy()
  server.close()
  await once(server, 'close')
}
