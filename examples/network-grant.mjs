// @ts-check
/** One command, one origin, one yes: `node examples/network-grant.mjs` after a build, on Linux. */

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSixgate, definePolicy } from 'sixgate'
import { createNativeSandbox } from 'sixgate/sandbox'
import { autoAccept } from 'sixgate/testing'
import { bash } from 'sixgate/tools'

const origin = createServer((socket) => socket.once('data', () => socket.end('hello')))
await new Promise((listening) => origin.listen(0, '127.0.0.1', () => listening(null)))
const address = origin.address()
const port = address !== null && typeof address === 'object' ? address.port : 0

// What curl or a package manager does: it asks the proxy of its environment for a tunnel.
const client = `
const proxy = new URL(process.env.HTTPS_PROXY)
const socket = require('node:net').connect(proxy.port, proxy.hostname)
socket.write('CONNECT 127.0.0.1:' + process.argv[2] + ' HTTP/1.1\\r\\n\\r\\n')
socket.once('data', () => socket.write('ping'))
socket.on('data', (chunk) => console.log(String(chunk).split('\\r\\n')[0]))
`
const workspace = mkdtempSync(join(tmpdir(), 'sixgate-network-'))
writeFileSync(join(workspace, 'client.cjs'), client)

// The origin is on this machine, a private address: the program allows that, a model cannot.
const sandbox = createNativeSandbox({ privateHosts: ['127.0.0.1'] })
const sixgate = createSixgate({
  workspace,
  tools: [bash],
  sandbox,
  policy: definePolicy({ workMode: 'full', network: 'grant', toolApproval: 'accept_all' }),
  responder: autoAccept({ kind: 'human' }), // in real life a person: `terminalResponder()`
})
try {
  const session = await sixgate.session({ task: 'fetch' })
  const { network_grant } = (await sandbox.probe()).guarantees
  const host = '127.0.0.1'
  const asks = { sandbox_permissions: 'request_network_grant', network_grant: { host, port } }
  for (const [to, expected] of /** @type {const} */ ([
    [port, 'hello'],
    [port + 1, '403 Forbidden'],
  ])) {
    const args = { command: `node client.cjs ${to}`, ...asks }
    const result = await session.run({ tool: 'bash', args })
    console.log(result.status === 'ok' ? result.value : result.message)
    // Where the machine cannot do it the call is denied, and nothing runs.
    const isOpen = network_grant.status === 'enforced'
    assert.ok(isOpen ? JSON.stringify(result).includes(expected) : result.status === 'denied')
  }
} finally {
  await sixgate[Symbol.asyncDispose]()
  origin.close()
  rmSync(workspace, { recursive: true })
}
