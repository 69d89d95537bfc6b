/** A service of the host that listens on loopback, to see whether a sandboxed command reaches it. */

import { once } from 'node:events'
import { connect, createServer } from 'node:net'

/** Listens, and connects once itself, so that a count of 1 means: it works, and nobody else came. */
export async function openListener() {
  let connections = 0
  const server = createServer((socket) => {
    connections += 1
    socket.end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  const twin = connect(port, '127.0.0.1').resume()
  await once(twin, 'close')
  return { port, connections: () => connections, close: () => server.close() }
}
