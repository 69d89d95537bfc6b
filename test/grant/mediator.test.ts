/** The mediator against honest and hostile clients, over real sockets (sandbox.md §7). */

import { createServer } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { fakeClock } from '../../src/testing/fake-clock.js'
import { systemClock } from '../../src/platform/clock.js'
import { dial } from '../../src/platform/network/connection.js'
import { MOST_CONNECTIONS, mediate } from '../../src/sandbox/grant/mediator.js'
import { namedHello } from './hello.js'
import {
  aClient,
  aMediator,
  anOrigin,
  connectTo,
  statusOf,
  type Client,
  type Mediated,
  type Origin,
} from './mediated.js'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

const HOST = 'a.example'
const HELLO = namedHello(HOST)
const WARNING = Buffer.from([21, 3, 1, 0, 2, 1, 90])

async function origin(...given: Parameters<typeof anOrigin>): Promise<Origin> {
  const one = await anOrigin(...given)
  closing.push(one.close)
  return one
}

async function mediator(...given: Parameters<typeof aMediator>): Promise<Mediated> {
  const one = await aMediator(...given)
  closing.push(one.close)
  return one
}

async function client(port: number): Promise<Client> {
  const one = await aClient(port)
  closing.push(() => one.socket.destroy())
  return one
}

/** A client whose tunnel is open. */
async function tunnelled(port: number, target = `${HOST}:443`): Promise<Client> {
  const one = await client(port)
  expect(await statusOf(one, connectTo(target))).toBe(200)
  return one
}

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

describe('[S1-38] a granted origin', () => {
  it('is reached through a tunnel, and what goes through is counted', async () => {
    const there = await origin((_, socket) => socket.end('welcome'))
    const grant = await mediator({ host: HOST, port: 443 }, there)

    const one = await tunnelled(grant.port)
    one.socket.write(HELLO)
    await one.closed

    expect(one.said()).toMatch(/^HTTP\/1\.1 200 [^\r]+\r\n\r\nwelcome$/)
    expect(there.text()).toBe(HELLO.toString('latin1'))
    expect(grant.use()).toEqual({
      ...{ host: HOST, port: 443, connections: 1, refused: 0 },
      ...{ sentBytes: HELLO.length, receivedBytes: 7 },
    })
  })

  it('is reached on any port when the grant names none, by TLS alone', async () => {
    const there = await origin()
    const grant = await mediator({ host: HOST, port: null }, there)

    const one = await tunnelled(grant.port, `${HOST}:8443`)
    one.socket.write(HELLO)
    const plain = await tunnelled(grant.port, `${HOST}:80`)
    plain.socket.write('GET / HTTP/1.1\r\n\r\n')
    await plain.closed

    expect(await one.until('>')).toContain('<\x16')
    expect(there.text()).not.toContain('GET')
    expect(grant.use().refused).toBe(1)
  })

  it('speaks first where the protocol has it so and the grant names the port', async () => {
    const there = await origin(undefined, '220 ready\r\n')
    const grant = await mediator({ host: HOST, port: 25 }, there)

    const one = await tunnelled(grant.port, `${HOST}:25`)

    expect(await one.until('ready\r\n')).toContain('220 ready')
    one.socket.write('HELO x')
    expect(await one.until('>')).toContain('<HELO x>')
  })

  it('says nothing to a client that has not said whom it greets, without a named port', async () => {
    const there = await origin(undefined, 'secret of another protocol')
    const grant = await mediator({ host: HOST, port: null }, there)

    const one = await tunnelled(grant.port)
    await wait(50)

    expect(one.said()).toMatch(/\r\n\r\n$/)
  })

  it('is reached by the next address when one does not answer', async () => {
    const there = await origin()
    const tried: string[] = []
    const grant = await mediator({ host: HOST, port: 443 }, there, {
      addresses: ['192.0.2.1', '1.1.1.1', '8.8.8.8', '9.9.9.9'],
      dial: (address) => {
        tried.push(address)
        return dial('127.0.0.1', address === '1.1.1.1' ? 1 : there.port)
      },
    })

    await tunnelled(grant.port)

    expect(tried).toEqual(['1.1.1.1', '8.8.8.8'])
  })

  it('carries far more than buffers hold, both ways, whole', async () => {
    const size = 8 * 1024 * 1024
    const there = await origin((text, socket) => void socket.write(Buffer.from(text, 'latin1')))
    const grant = await mediator({ host: HOST, port: 7 }, there)
    const one = await tunnelled(grant.port, `${HOST}:7`)
    const before = one.said().length

    for (let sent = 0; sent < size; sent += 65_536) one.socket.write(Buffer.alloc(65_536, 120))
    while (one.said().length - before < size) await wait(10)

    expect(grant.use()).toMatchObject({ sentBytes: size, receivedBytes: size })
  })

  it('gets everything that a client sent before it went', async () => {
    const there = await origin(() => undefined)
    const grant = await mediator({ host: HOST, port: 7 }, there)
    const one = await tunnelled(grant.port, `${HOST}:7`)

    one.socket.end(Buffer.alloc(1024 * 1024, 121))
    for (let tries = 0; tries < 200 && there.text().length < 1024 * 1024; tries += 1) await wait(10)

    expect(there.text()).toHaveLength(1024 * 1024)
  })
})

describe('everything else is refused', () => {
  it.each([
    [`${HOST}:80`, 403],
    [`b.example:443`, 403],
    [`${HOST}.b.example:443`, 403],
    [`127.0.0.1:443`, 403],
    [`[::1]:443`, 403],
    [`A.EXAMPLE.:443`, 200],
  ])('[E-57] CONNECT %s is answered by %i', async (target, status) => {
    const there = await origin()
    const grant = await mediator({ host: HOST, port: 443 }, there)

    expect(await statusOf(await client(grant.port), connectTo(target))).toBe(status)
    expect(there.sockets).toHaveLength(status === 200 ? 1 : 0)
    expect(grant.use().refused).toBe(status === 200 ? 0 : 1)
  })

  it.each([
    [`GET http://${HOST}/ HTTP/1.1\r\n\r\n`, 405],
    [`CONNECT http://${HOST}:443 HTTP/1.1\r\n\r\n`, 400],
    [`CONNECT u:p@${HOST}:443 HTTP/1.1\r\n\r\n`, 400],
    [`CONNECT ${HOST}\r\n:443 HTTP/1.1\r\n\r\n`, 400],
    [connectTo(`${HOST}:443`).replace('\r\n\r\n', '\r\nContent-Length: 4\r\n\r\nGET '), 400],
    [connectTo(`${HOST}:443`) + connectTo(`${HOST}:443`), 400],
    [connectTo(`${HOST}:443`) + 'x', 400],
    [`CONNECT ${HOST}:443 HTTP/1.1\r\nX: ${'x'.repeat(65_536)}\r\n\r\n`, 431],
    ['\x16\x03\x01\x00\x05hello', 400],
  ])('[E-59] %j is answered by %i, and nothing reaches the origin', async (text, status) => {
    const there = await origin()
    const grant = await mediator({ host: HOST, port: 443 }, there)
    const one = await client(grant.port)

    expect(await statusOf(one, text)).toBe(status)
    await one.closed
    expect(there.sockets).toHaveLength(0)
  })

  it('[E-59] what is sent before the answer reaches nobody', async () => {
    const there = await origin()
    let answer: (addresses: readonly string[]) => void = () => undefined
    const lookup = (): Promise<readonly string[]> => new Promise((resolve) => (answer = resolve))
    const grant = await mediator({ host: HOST, port: 443 }, there, { lookup })
    const one = await client(grant.port)

    one.socket.write(connectTo(`${HOST}:443`))
    await wait(20)
    one.socket.write('smuggled')
    await one.closed
    answer(['1.1.1.1'])
    await wait(20)

    expect(one.said()).toMatch(/^HTTP\/1\.1 400 /)
    expect(there.text()).toBe('')
  })

  it.each([
    ['another name', namedHello('b.example')],
    ['a name below it', namedHello(`x.${HOST}`)],
    ['a trailing dot', namedHello(`${HOST}.`)],
    ['another name in small pieces', namedHello('b.example', 3)],
    ['no name', namedHello('')],
    ['half a record of something else', Buffer.from([22, 3, 1, 0, 2, 9, 9])],
    ['a warning and then another name', Buffer.concat([WARNING, namedHello('b.example')])],
    ['nobody, in the form of SSL 2', Buffer.from([0x80, 0x2e, 1, 3, 1, 0, 0x15, 0, 0, 0, 0x10])],
  ])('[E-62] TLS that greets %s is closed', async (_, hello) => {
    const there = await origin()
    const grant = await mediator({ host: HOST, port: 443 }, there)
    const one = await tunnelled(grant.port)

    one.socket.write(hello)
    await one.closed

    expect(there.text()).toBe('')
    expect(grant.use()).toMatchObject({ refused: 1, sentBytes: 0 })
  })

  it.each([1, 2, 7])('[E-62] a greeting in pieces of %i bytes is read to its end', async (size) => {
    const there = await origin()
    const grant = await mediator({ host: HOST, port: 443 }, there)
    const [good, bad] = [await tunnelled(grant.port), await tunnelled(grant.port)]
    const wrong = namedHello('b.example', 5)
    const right = namedHello(HOST.toUpperCase(), 5)

    for (let at = 0; at < Math.max(wrong.length, right.length); at += size) {
      good.socket.write(right.subarray(at, at + size))
      bad.socket.write(wrong.subarray(at, at + size))
      await wait(0)
    }
    await bad.closed

    expect((await good.until('>')).endsWith('>')).toBe(true)
    expect(there.text()).toBe(right.toString('latin1'))
  })
})

describe('where a name leads', () => {
  it.each([
    ...['127.0.0.1', '10.1.2.3', '169.254.169.254', '100.64.0.1', '::1', 'fe80::1'],
    ...['::ffff:8.8.8.8', '0.0.0.0', 'fe80::1%lo', 'not an address'],
  ])('a name that leads to %s leads nowhere', async (address) => {
    const there = await origin()
    const grant = await mediator({ host: HOST, port: 443 }, there, { addresses: [address] })

    expect(await statusOf(await client(grant.port), connectTo(`${HOST}:443`))).toBe(403)
    expect(grant.dialled).toEqual([])
  })

  it('a private address is open to a grant whose host the program named', async () => {
    const there = await origin()
    const grant = await mediator({ host: '127.0.0.1', port: there.port }, there, {
      addresses: ['127.0.0.1', '0.0.0.0'],
      allowsPrivate: true,
    })

    await tunnelled(grant.port, `127.0.0.1:${there.port}`)

    expect(grant.dialled).toEqual(['127.0.0.1'])
  })

  it('looks a name up once, whatever it says the second time', async () => {
    const there = await origin()
    let turn = 0
    const lookup = (): Promise<readonly string[]> =>
      Promise.resolve([['127.0.0.1'], ['1.1.1.1']][turn++] ?? [])
    const grant = await mediator({ host: HOST, port: 443 }, there, { lookup })

    const statuses = []
    for (let tries = 0; tries < 3; tries += 1) {
      statuses.push(await statusOf(await client(grant.port), connectTo(`${HOST}:443`)))
    }

    expect([statuses, turn, grant.dialled]).toEqual([[403, 403, 403], 1, []])
  })

  it('connects to the address that was found, not to the name', async () => {
    const grant = await mediator({ host: HOST, port: 443 }, await origin())

    await tunnelled(grant.port)
    await tunnelled(grant.port)

    expect([grant.asked, grant.dialled]).toEqual([[HOST], ['93.184.215.14', '93.184.215.14']])
  })

  it.each([
    ['no address', () => Promise.resolve([])],
    ['a fault', () => Promise.reject(new Error('no resolver'))],
  ])('%s is a bad gateway', async (_, lookup) => {
    const grant = await mediator({ host: HOST, port: 443 }, await origin(), { lookup })

    expect(await statusOf(await client(grant.port), connectTo(`${HOST}:443`))).toBe(502)
    expect(grant.use().refused).toBe(0)
  })

  it('an origin that refuses is a bad gateway', async () => {
    const grant = await mediator({ host: HOST, port: 443 }, null)

    expect(await statusOf(await client(grant.port), connectTo(`${HOST}:443`))).toBe(502)
  })
})

describe('nothing lasts', () => {
  it.each([
    ['a head that does not end', 'CONNECT a', 408],
    ['a client that says nothing', '', 408],
  ])('%s is answered in time', async (_, text, status) => {
    const clock = fakeClock()
    const grant = await mediator({ host: HOST, port: 443 }, await origin(), { clock })
    const one = await client(grant.port)
    await wait(20)

    const answer = statusOf(one, text)
    await wait(20)
    clock.advance(10_000)

    expect(await answer).toBe(status)
  })

  it('pieces of a head do not buy time', async () => {
    const clock = fakeClock()
    const grant = await mediator({ host: HOST, port: 443 }, await origin(), { clock })
    const one = await client(grant.port)

    for (const piece of ['CONN', 'ECT ', HOST]) {
      one.socket.write(piece)
      await wait(15)
      clock.advance(3000)
    }
    clock.advance(1001)

    expect(await one.until('\n')).toMatch(/ 408 /)
  })

  it('a greeting that does not end is closed in time', async () => {
    const clock = fakeClock()
    const there = await origin()
    const grant = await mediator({ host: HOST, port: 443 }, there, { clock })
    const one = await tunnelled(grant.port)

    one.socket.write(HELLO.subarray(0, 20))
    await wait(20)
    clock.advance(10_000)
    await one.closed

    expect(there.text()).toBe('')
  })

  it('half a request of a client that ended is no request', async () => {
    const grant = await mediator({ host: HOST, port: 443 }, await origin())
    const one = await client(grant.port)

    one.socket.end('CONNECT a.exa')
    await one.closed

    expect(one.said()).toBe('')
  })

  it('a client that is refused and stays is dropped', async () => {
    const grant = await mediator({ host: HOST, port: 443 }, await origin())
    const one = await client(grant.port)
    one.socket.allowHalfOpen = true

    await statusOf(one, connectTo('b.example:443'))
    const begun = performance.now()
    while (performance.now() - begun < 3000 && !one.socket.destroyed) {
      one.socket.write('more')
      await wait(20)
    }

    expect(one.socket.destroyed).toBe(true)
  })

  it('there is an end to connections at one time, and room again afterwards', async () => {
    const there = await origin()
    const grant = await mediator({ host: HOST, port: 443 }, there)
    const all: Client[] = []
    for (let index = 0; index < MOST_CONNECTIONS; index += 1) all.push(await client(grant.port))

    const more = await client(grant.port)
    await more.closed
    all[0]?.socket.destroy()
    await wait(50)

    expect(await statusOf(await client(grant.port), connectTo(`${HOST}:443`))).toBe(200)
  })

  it('[E-61] a grant that is closed ends every connection at once, on both sides', async () => {
    const there = await origin()
    const grant = await mediator({ host: HOST, port: 7 }, there)
    const open = await tunnelled(grant.port, `${HOST}:7`)
    open.socket.write('x')
    await open.until('>')
    const asking = await client(grant.port)
    const far = there.sockets[0]
    const farClosed = new Promise((resolve) => far?.once('close', resolve))

    const begun = performance.now()
    grant.close()
    await Promise.all([open.closed, asking.closed, farClosed])

    expect(performance.now() - begun).toBeLessThan(100)
    await expect(aClient(grant.port)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })

  it('[E-61] what a client that went left behind ends as well', async () => {
    const there = await origin(() => undefined)
    const grant = await mediator({ host: HOST, port: 7 }, there)
    const one = await tunnelled(grant.port, `${HOST}:7`)
    there.sockets[0]?.pause()
    one.socket.end(Buffer.alloc(16 * 1024 * 1024))
    one.socket.destroySoon()
    await wait(50)

    grant.close()
    there.sockets[0]?.resume()
    await new Promise((resolve) => there.sockets[0]?.once('close', resolve))
  })

  it('a reset on either side ends the other', async () => {
    const there = await origin()
    const grant = await mediator({ host: HOST, port: 7 }, there)
    const [one, other] = [
      await tunnelled(grant.port, `${HOST}:7`),
      await tunnelled(grant.port, `${HOST}:7`),
    ]
    await wait(20)

    there.sockets[0]?.resetAndDestroy()
    other.socket.resetAndDestroy()
    await one.closed
    while (there.sockets[1]?.destroyed === false) await wait(5)
  })
})

it('a broken listener closes and throws nothing', () => {
  const listener = createServer()
  const grant = mediate(
    listener,
    { host: HOST, port: 1 },
    { clock: systemClock(), allowsPrivate: false, lookup: () => Promise.resolve([]) },
  )

  listener.emit('error', new Error('too many files'))
  grant.close()

  expect(grant.use().connections).toBe(0)
})
