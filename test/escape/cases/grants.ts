/** What a command with a network grant tries beyond its one origin (E-47, E-55 to E-64, E-71 with a grant), and every other escape once more. */

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createServer, type Server, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import { chmodSync, copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createNativeSandbox, openSandbox } from '../../../src/sandbox/entry.js'
import { CLIENT, clientLine } from '../../grant/inside.js'
import { namedHello } from '../../grant/hello.js'
import { survivors, uniqueSleep, wait, type EscapeCase, type Ground } from '../ground.js'

/** A case that is tried with a grant: its origin, and the means to run commands that have it. */
type GrantedRun = (ground: Ground & { readonly origin: Origin }) => Promise<void>

export const grants: readonly EscapeCase[] = [
  aCase('E-55-grant', 'has a grant and connects without it', async ({ sh }) => {
    const tries = ['1.1.1.1/443', '8.8.8.8/53', '127.0.0.1/80', '::1/3128', '10.0.0.1/80']
    const run = await sh(
      `for a in ${tries.join(' ')}; do (exec 3<>/dev/tcp/$a) 2>/dev/null && echo $a; done; cat /proc/net/route | wc -l`,
    )
    assert.equal(run.stdout, '1\n')
  }),
  aCase(
    'E-56-grant',
    'has a grant for another host and reaches services of the host',
    async (one) => {
      const other = await anOrigin('0.0.0.0')
      const addresses = Object.values(networkInterfaces())
        .flatMap((list) => list ?? [])
        .map(({ address }) => (address.includes(':') ? `[${address.split('%')[0]}]` : address))
      try {
        for (const address of [...addresses, 'localhost', '0.0.0.0', '0x7f.1', '127.1']) {
          const target = `${address}:${other.port}`
          const run = await one.sh(
            `(exec 3<>/dev/tcp/${address.replace(/[[\]]/g, '')}/${other.port}) 2>/dev/null && echo open; ${clientLine(`'${target}'`)}`,
          )
          assert.match(run.stdout, /^HTTP\/1\.1 40[03] [^\n]*\n$/, target)
        }
        assert.equal(other.count(), 0)
      } finally {
        await other.close()
      }
    },
  ),
  aCase('E-57', 'asks for another port, another host, another spelling', async ({ sh, origin }) => {
    const asked = [
      ...[`127.0.0.1:${origin.port + 1}`, `b.example:${origin.port}`, `localhost:${origin.port}`],
      ...[`127.0.0.1.:${origin.port}`, `0x7f000001:${origin.port}`],
    ]
    const run = await sh(asked.map((target) => clientLine(target)).join('; '))
    const no = 'HTTP/1.1 403 Forbidden\n'
    assert.equal(run.stdout, `${no}${no}${no}<hello>\n<hello>\n`)
    assert.equal(origin.count(), 2)
    assert.equal(run.grant?.refused, 3)
  }),
  aCase('E-59', 'abuses the proxy', async ({ sh, origin, workspace }) => {
    const to = `127.0.0.1:${origin.port}`
    const texts = [
      `GET http://${to}/ HTTP/1.1\r\n\r\n`,
      `CONNECT u:p@${to} HTTP/1.1\r\n\r\n`,
      `CONNECT 127.0.0.1\r\n:${origin.port} HTTP/1.1\r\n\r\n`,
      `CONNECT ${to} HTTP/1.1\r\nX: ${'x'.repeat(65_536)}\r\n\r\n`,
      `CONNECT ${to} HTTP/1.1\r\n\r\nCONNECT ${to} HTTP/1.1\r\n\r\n`,
      `CONNECT ${to} HTTP/1.1\r\nContent-Length: 5\r\n\r\n`,
      `CONNECT http://${to} HTTP/1.1\r\n\r\n`,
    ]
    const lines = texts.map((text, index) => {
      writeFileSync(join(workspace, `text${index}`), text)
      return `exec 3<>/dev/tcp/127.0.0.1/3128; cat text${index} >&3 2>/dev/null; head -1 <&3; exec 3>&-`
    })
    const run = await sh(lines.join('; '))
    const codes = run.stdout.split('\n').flatMap((line) => / (\d{3}) /.exec(line)?.[1] ?? [])
    assert.deepEqual(codes, ['405', '400', '400', '431', '400', '400', '400'])
    assert.equal(origin.count(), 0)
  }),
  aCase('E-61', 'keeps its tunnel when the grant is revoked', async ({ sh, origin }) => {
    const revoked = new AbortController()
    const line = clientLine(`127.0.0.1:${origin.port}`, 'hello', 'hold')
    const running = sh(line, { signal: revoked.signal })
    while (origin.text() !== 'hello') await wait(5)
    const [far] = origin.sockets
    const begun = performance.now()
    const closed = new Promise((resolve) => far?.once('close', resolve))
    revoked.abort()
    await closed
    assert.ok(performance.now() - begun < 100)
    assert.equal((await running).killedBy, 'abort')
  }),
  aCase('E-62', 'greets another name than the granted one', async ({ sh, origin, workspace }) => {
    const greet = async (host: string): Promise<string> => {
      const hello = namedHello(host).toString('hex')
      const text = CLIENT.replace(
        'socket.write(text)',
        `socket.write(Buffer.from('${hello}', 'hex'))`,
      )
      writeFileSync(join(workspace, 'greeting.cjs'), text)
      return (await sh(`node greeting.cjs 127.0.0.1:${origin.port}`)).stdout
    }
    assert.equal(await greet('b.example'), 'closed\n')
    assert.equal(await greet('xn--granted-.127.0.0.1'), 'closed\n')
    assert.equal(origin.text(), '')
    assert.equal((await greet('127.0.0.1'))[0], '<')
  }),
  aCase('E-63-grant', 'has a grant and asks a name server', async ({ sh }) => {
    const text = `const s = require('dgram').createSocket('udp4'); s.on('error', (e) => console.log(e.code)); s.send('x', 53, '8.8.8.8', (e) => { console.log(e ? e.code : 'sent'); process.exit(0) })`
    const run = await sh(`getent hosts example.com; node -e "${text}"`)
    assert.match(run.stdout, /^E(?:PERM|NETUNREACH)\n/)
  }),
  aCase('E-66-grant', 'is given another proxy, exceptions and loader variables', async ({ sh }) => {
    const env = { HTTPS_PROXY: 'http://10.0.0.1:1', no_proxy: '*', LD_PRELOAD: '/x', BASH_ENV: 'x' }
    const run = await sh('env | grep -E "10.0.0.1|=.?[*]|LD_|BASH_ENV"; echo $HTTPS_PROXY', { env })
    assert.equal(run.stdout, 'http://127.0.0.1:3128\n')
  }),
  aCase('E-64-grant', 'has a grant and listens', async ({ sh }) => {
    const text = `require('net').createServer().once('error',e=>console.log(e.code)).listen(8080,'0.0.0.0',()=>console.log('listens'));setTimeout(()=>process.exit(0),200)`
    const run = await sh('', { command: undefined, argv: [process.execPath, '-e', text] })
    assert.equal(run.stdout, 'EPERM\n')
  }),
  {
    ...aCase('E-47-grant', 'has a grant and makes sockets of other families', async (ground) => {
      const { sh, workspace } = ground
      copyFileSync(PROBE, join(workspace, 'probe'))
      chmodSync(join(workspace, 'probe'), 0o755)
      const run = await sh('./probe')
      for (const name of ['unix', 'unix_raw_flags', 'netlink', 'packet', 'vsock', 'alg']) {
        assert.match(run.stdout, new RegExp(`^socket_${name} EAFNOSUPPORT$`, 'm'))
      }
      for (const name of ['pair_dgram', 'bind', 'listen', 'accept']) {
        assert.match(run.stdout, new RegExp(`^${name} EPERM$`, 'm'))
      }
      // The twin: these two are what a grant opens.
      assert.match(run.stdout, /^socket_inet ok$/m)
      assert.match(run.stdout, /^socket_inet6 ok$/m)
    }),
    skip: () => (PROBE === '' ? 'no C compiler, so the probe of system calls is not built' : null),
  },
  aCase(
    'grant-of-another',
    'uses the grant of a call beside it',
    async ({ workspace, origin, sh }) => {
      const other = await anOrigin('127.0.0.1')
      try {
        const line = (to: Origin): string => clientLine(`127.0.0.1:${to.port}`)
        const beside = await granting(workspace, other)
        const [one, two] = await Promise.all([sh(line(other)), beside(line(origin))])
        assert.equal(one.stdout + two.stdout, 'HTTP/1.1 403 Forbidden\n'.repeat(2))
        assert.equal(origin.count() + other.count(), 0)
      } finally {
        await other.close()
      }
    },
  ),
  aCase(
    'grant-of-before',
    'leaves something for the next call of the same grant',
    async ({ sh }) => {
      const run = await sh('readlink /proc/self/ns/net; echo x > /tmp/left; (sleep 1000 &)')
      const next = await sh('readlink /proc/self/ns/net; ls /tmp/left; ls -d /proc/[0-9]* | wc -l')
      assert.match(run.stdout, /^net:\[\d+\]\n$/)
      assert.ok(!next.stdout.includes(run.stdout.trim()))
      assert.match(next.stdout, /\n[1-6]\n$/)
    },
  ),
  {
    id: 'E-71-grant',
    title: 'has a grant and outlives a host that was killed',
    async run({ workspace, home }) {
      const mark = uniqueSleep()
      const host = spawn(
        process.execPath,
        [process.argv[1] ?? '', 'hold', workspace, mark, 'grant'],
        {
          stdio: 'ignore',
          env: { ...process.env, HOME: home },
        },
      )
      for (let tries = 0; tries < 200 && survivors(mark).length === 0; tries++) await wait(20)
      assert.ok(survivors(mark).length > 0, 'the twin runs while its host lives')
      host.kill('SIGKILL')
      await wait(200)
      assert.deepEqual(survivors(mark), [])
    },
  },
]

/** Compiled by the suite, for both users. */
const PROBE = process.env['SIXGATE_PROBE'] ?? ''

/** What a grant itself changes has rows of its own, and what has no command in it needs none. */
const CHANGED = ['E-47', 'E-49', 'E-55', 'E-56', 'E-63', 'E-64', 'E-66', 'E-71']

/** The same attempts by a command that has a grant. */
export function withGrant(cases: readonly EscapeCase[]): readonly EscapeCase[] {
  const grant = { host: 'a.example', port: 443 }
  return cases
    .filter(({ id }) => !CHANGED.includes(id))
    .map((one) => ({
      ...one,
      id: `${one.id}-with-grant`,
      title: `has a grant and ${one.title}`,
      run: (ground) =>
        one.run({
          ...ground,
          sh: (command, more) => ground.sh(command, { grant, ...more }),
          under: async (profile) => {
            const sh = await ground.under(profile)
            return (command, more) => sh(command, { grant, ...more })
          },
        }),
    }))
}

/** Its twin comes first: the granted origin is reached. */
function aCase(id: string, title: string, attempt: GrantedRun): EscapeCase {
  return {
    id,
    title,
    async run(ground) {
      const origin = await anOrigin('127.0.0.1')
      try {
        writeFileSync(join(ground.workspace, 'client.cjs'), CLIENT)
        const sh = await granting(ground.workspace, origin)
        const twin = await sh(clientLine(`127.0.0.1:${origin.port}`))
        assert.equal(twin.stdout, '<hello>\n')
        origin.forget()
        await attempt({ ...ground, sh, origin })
      } finally {
        await origin.close()
      }
    },
  }
}

async function granting(
  workspace: string,
  { port }: { readonly port: number },
): Promise<Ground['sh']> {
  const driver = createNativeSandbox({ privateHosts: ['127.0.0.1'] })
  const handle = await openSandbox({ workspace, driver })
  return (command, more = {}) =>
    handle.exec({ command, grant: { host: '127.0.0.1', port }, ...more })
}

interface Origin {
  readonly port: number
  readonly sockets: readonly Socket[]
  readonly count: () => number
  readonly text: () => string
  readonly forget: () => void
  readonly close: () => Promise<void>
}

/** Answers `<…>` and remembers everything. */
async function anOrigin(address: string): Promise<Origin> {
  const sockets: Socket[] = []
  let text = ''
  const server: Server = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => undefined)
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      socket.write(`<${chunk.toString('latin1')}>`)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, address, resolve))
  const place = server.address()
  return {
    port: typeof place === 'object' && place !== null ? place.port : 0,
    sockets,
    count: () => sockets.length,
    text: () => text,
    forget() {
      sockets.splice(0)
      text = ''
    },
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
      }),
  }
}
