/** Reaching out and being reached (E-45, E-48, E-55, E-56, E-63, E-64). */

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { connect, createServer, type Server } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { hasProgram, wait, type EscapeCase } from '../ground.js'

export const network: readonly EscapeCase[] = [
  {
    id: 'E-55',
    title: 'opens a connection to the outside',
    async run({ sh }) {
      const run = await sh(
        'for a in 1.1.1.1/443 8.8.8.8/53; do (exec 3<>/dev/tcp/$a) 2>/dev/null && echo open; done; ls /sys/class/net 2>/dev/null; cat /proc/net/route | wc -l; echo twin',
      )
      assert.equal(run.stdout, '1\ntwin\n')
    },
  },
  {
    id: 'E-56',
    title: 'reaches a service of the host, on loopback and on every other address',
    async run({ sh }) {
      const served = await serve('0.0.0.0')
      try {
        const addresses = Object.values(networkInterfaces())
          .flatMap((list) => list ?? [])
          .filter((one) => one.family === 'IPv4')
          .map((one) => one.address)
        for (const address of addresses) {
          await sh(`(exec 3<>/dev/tcp/${address}/${served.port}) 2>/dev/null`)
        }
        assert.equal(served.count(), 0)
        await reach(served.port)
        assert.equal(served.count(), 1)
      } finally {
        served.server.close()
      }
    },
  },
  {
    id: 'E-48',
    title: 'reaches an abstract socket of the host',
    skip: () => (hasProgram('/usr/bin/curl') ? null : 'curl is not installed'),
    async run({ sh }) {
      const name = `sixgate-${process.pid}-${process.hrtime.bigint()}`
      const served = await serve(`\0${name}`)
      const args = ['-s', '-m', '2', '--abstract-unix-socket', name, 'http://x/']
      try {
        await sh('', { command: undefined, argv: ['/usr/bin/curl', ...args] })
        assert.equal(served.count(), 0)
      } finally {
        served.server.close()
      }
    },
  },
  {
    id: 'E-45',
    title: 'finds sockets of services and agents by their path',
    async run({ sh, outside }) {
      const path = join(outside, 'socket')
      const served = await serve(path)
      try {
        const run = await sh(
          `ls /run/docker.sock /var/run/docker.sock /run/dbus /tmp/.X11-unix ${path} 2>/dev/null; echo twin`,
        )
        assert.equal(run.stdout, 'twin\n')
        assert.equal(served.count(), 0)
      } finally {
        served.server.close()
      }
    },
  },
  {
    id: 'E-45-workspace',
    title: 'connects to a socket that lies inside the workspace',
    async run({ sh, workspace }) {
      const path = join(workspace, 'service')
      const served = await serve(path)
      const text = `require('net').connect('${path}').once('error',e=>console.log(e.code)).once('connect',()=>console.log('in'))`
      try {
        const run = await sh('', { command: undefined, argv: [process.execPath, '-e', text] })
        assert.match(run.stdout, /^E(?:AFNOSUPPORT|PERM)\n$/)
        assert.equal(served.count(), 0)
        execFileSync('/usr/bin/timeout', ['5', process.execPath, '-e', `${text}.unref()`])
        await wait(20)
        assert.equal(served.count(), 1)
      } finally {
        served.server.close()
      }
    },
  },
  {
    id: 'E-63',
    title: 'asks a name server',
    async run({ sh }) {
      const run = await sh('getent hosts example.com; getent passwd root >/dev/null && echo twin')
      assert.equal(run.stdout, 'twin\n')
    },
  },
  {
    id: 'E-64',
    title: 'listens and is reached from the host',
    async run({ sh }) {
      const port = await freePort()
      const text = `require('net').createServer(c=>c.end('in'))
        .once('error',e=>console.log(e.code)).listen(${port},'0.0.0.0',()=>console.log('listens'))
        setTimeout(()=>process.exit(0),300)`
      const running = sh('', { command: undefined, argv: [process.execPath, '-e', text] })
      let reached = 0
      for (let tries = 0; tries < 8; tries++) {
        await wait(40)
        await reach(port).then(
          () => reached++,
          () => undefined,
        )
      }
      assert.equal((await running).stdout, 'EAFNOSUPPORT\n')
      assert.equal(reached, 0)
      const twin = execFileSync(process.execPath, ['-e', text], { encoding: 'utf8' })
      assert.equal(twin, 'listens\n')
    },
  },
  {
    id: 'E-49',
    title: 'keeps the host reachable for itself',
    async run() {
      // The twin of this whole file: the host's own tools do open connections.
      const served = await serve('127.0.0.1')
      try {
        execFileSync('/bin/bash', ['-c', `exec 3<>/dev/tcp/127.0.0.1/${served.port}`])
        await wait(20)
        assert.equal(served.count(), 1)
      } finally {
        served.server.close()
      }
    },
  },
]

interface Served {
  readonly server: Server
  readonly port: number
  readonly count: () => number
}

function serve(where: string): Promise<Served> {
  return new Promise((resolve, reject) => {
    let count = 0
    const server = createServer((socket) => {
      count++
      socket.on('error', () => undefined).end()
    })
    server.once('error', reject)
    const listening = (): void => {
      const address = server.address()
      const port = typeof address === 'object' && address !== null ? address.port : 0
      resolve({ server, port, count: () => count })
    }
    if (/^[\d.]+$/.test(where)) server.listen(0, where, listening)
    else server.listen(where, listening)
  })
}

function reach(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('error', reject).once('connect', () => {
      socket.destroy()
      setTimeout(resolve, 20)
    })
  })
}

async function freePort(): Promise<number> {
  const { server, port } = await serve('127.0.0.1')
  await new Promise((resolve) => server.close(resolve))
  return port
}
