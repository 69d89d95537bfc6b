/** Real TLS through the mediator: what a client names is what it gets, or nothing (sandbox.md §7). */

import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, createServer, type ConnectionOptions, type Server } from 'node:tls'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { aClient, aMediator, connectTo, statusOf, type Origin } from './mediated.js'

const folder = mkdtempSync(join(tmpdir(), 'sixgate-tls-'))
let server: Server | null = null
let origin: Origin
const named: string[] = []

beforeAll(async () => {
  const pair = ['-keyout', join(folder, 'key'), '-out', join(folder, 'certificate')]
  const made = spawnSync('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'],
    ...['-days', '2', '-subj', '/CN=a.example', ...pair],
  ])
  if (made.status !== 0) return console.warn('real TLS is skipped: openssl makes no certificate')
  const [key, cert] = ['key', 'certificate'].map((name) => readFileSync(join(folder, name)))
  server = createServer({ key, cert }, (socket) => {
    named.push(String(socket.servername))
    socket.on('error', () => undefined).end('secret')
  })
  server.on('tlsClientError', () => undefined).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  origin = { port, sockets: [], text: () => '', close: () => Promise.resolve() }
})
afterAll(() => {
  server?.close()
  rmSync(folder, { recursive: true })
})

/** What a real client reads through a tunnel to `target`; `closed` when it got nowhere. */
async function fetched(host: string, options: ConnectionOptions): Promise<string> {
  const grant = await aMediator({ host, port: null }, origin)
  const client = await aClient(grant.port)
  expect(await statusOf(client, connectTo(`${host}:443`))).toBe(200)
  client.socket.removeAllListeners('data')
  const socket = connect({ socket: client.socket, rejectUnauthorized: false, ...options })
  let text = ''
  socket.on('data', (chunk) => (text += String(chunk))).on('error', () => undefined)
  await new Promise((resolve) => socket.once('close', resolve))
  grant.close()
  return text === '' ? 'closed' : text
}

it.for<[string, string, ConnectionOptions, string]>([
  ['its name', 'a.example', { servername: 'a.example' }, 'secret'],
  ['its name in capitals', 'a.example', { servername: 'A.Example' }, 'secret'],
  [
    'its name by TLS 1.2',
    'a.example',
    { servername: 'a.example', maxVersion: 'TLSv1.2' },
    'secret',
  ],
  ['another name', 'a.example', { servername: 'b.example' }, 'closed'],
  ['another name by TLS 1.2', 'a.example', { servername: 'b.c', maxVersion: 'TLSv1.2' }, 'closed'],
  ['no name', 'a.example', { servername: '' }, 'closed'],
  ['no name, for an address cannot be one', '93.184.215.14', { servername: '' }, 'closed'],
])('[E-62] a client that greets %s: %s', async ([, host, options, expected], context) => {
  if (server === null) return context.skip('openssl makes no certificate')
  const before = named.length

  expect(await fetched(host, options)).toBe(expected)
  expect(named.length - before).toBe(expected === 'secret' ? 1 : 0)
})
