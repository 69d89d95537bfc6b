/** The network of a grant without a session: namespaces, entrance, pool, handle (sandbox.md §4, §7). */

import {
  mkdtempSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { SandboxHandle } from '../../src/contract/sandbox.js'
import { systemClock } from '../../src/platform/clock.js'
import { systemMachine } from '../../src/platform/machine.js'
import { openNetworkNamespace } from '../../src/platform/process/network-namespace.js'
import { bubblewrap } from '../../src/sandbox/bubblewrap/driver.js'
import { openSandbox } from '../../src/sandbox/handle.js'
import { createSandboxRunner } from '../../src/sandbox/runner.js'
import { createNativeSandbox } from '../../src/sandbox/select.js'
import type { EnteredRequest, Entrance } from '../../src/sandbox/grant/entrance.js'
import { networksOf } from '../../src/sandbox/grant/networks.js'
import { pool } from '../../src/sandbox/grant/pool.js'
import { NO_GUARD } from '../../src/sandbox/protection/guard.js'
import { profileOf } from '../../src/sandbox/profile.js'
import { fakeClock } from '../../src/testing/fake-clock.js'
import { fakeSandbox } from '../../src/testing/fake-sandbox.js'
import { settled } from '../builders/session.js'
import { CLIENT, clientLine } from './inside.js'
import { anOrigin, type Origin } from './mediated.js'

const workspace = realpathSync(mkdtempSync(join(tmpdir(), 'sixgate-lane-')))
const driver = createNativeSandbox({ privateHosts: ['127.0.0.1', 'LOCALHOST.'] })
const origins: Origin[] = []
let sandbox: SandboxHandle
let reason: string | null = null

beforeAll(async () => {
  writeFileSync(join(workspace, 'client.cjs'), CLIENT)
  sandbox = await openSandbox({ workspace, driver })
  const row = sandbox.report.guarantees.network_grant
  reason = row.status === 'enforced' ? null : row.cause
  if (reason !== null) console.warn(`networks of grants are skipped: ${reason}`)
})
afterEach(async () => {
  for (const one of origins.splice(0)) await one.close()
})
afterAll(() => rmSync(workspace, { recursive: true }))

async function origin(): Promise<Origin> {
  const one = await anOrigin()
  origins.push(one)
  return one
}

describe('a handle', () => {
  it.for([
    ['127.0.0.1', '127.0.0.1'],
    ['localhost', 'localhost'],
    ['0x7f.1', '127.0.0.1'],
  ] as const)('lets one command reach %s', async ([host, canonical], context) => {
    if (reason !== null) return context.skip(reason)
    const { port } = await origin()

    const command = clientLine(`${canonical}:${port}`)
    const run = await sandbox.exec({ command, grant: { host, port } })
    const without = await sandbox.exec({ command: 'echo $HTTPS_PROXY' })

    expect(run.stdout).toBe('<hello>\n')
    expect(run.grant).toMatchObject({ host: canonical, port, policyDigest: null, sentBytes: 5 })
    expect(without).toMatchObject({ stdout: '\n' })
    expect(without).not.toHaveProperty('grant')
  })

  it.each([
    ...[{ host: '' }, { host: '*' }, { host: 'a/b' }, { host: 'a b' }, { host: 7 }, { host: '.' }],
    ...[
      { host: 'a', port: 0 },
      { host: 'a', port: 1.5 },
      { host: 'a', port: 65_536 },
    ],
    ...[{ host: 'a', port: '80' }, { host: 'a', port: null }, {}],
  ])('takes %j for no grant', async (grant) => {
    const command = 'touch ran'

    await expect(sandbox.exec({ command, grant: grant as never })).rejects.toMatchObject({
      code: 'not_judged',
    })
  })

  it('has no grants with a driver that has no networks', async () => {
    const handle = await openSandbox({ workspace, driver: fakeSandbox({ status: 'ready' }) })

    const run = handle.exec({ command: 'true', grant: { host: 'a.example' } })

    await expect(run).rejects.toMatchObject({ code: 'unavailable' })
  })

  it('demands the guarantee for a grant, and for nothing else', async () => {
    const missing = ['network_grant'] as const
    const confine = (): never => {
      throw new TypeError('confined')
    }
    const own = fakeSandbox({ status: 'ready', missing, confine })
    const handle = await openSandbox({ workspace, driver: own })

    const granted = handle.exec({ command: 'true', grant: { host: 'a.example' } })

    await expect(granted).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('network_grant') as string,
    })
    await expect(handle.exec({ command: 'true' })).rejects.toThrow('confined')
  })
})

describe('a runner', () => {
  it('opens no other origin than the one of the profile', async () => {
    const runner = createSandboxRunner(driver)
    const profile = runner.resolve(aProfile())
    const asked = { command: 'true', grant: { host: 'a.example' } }

    for (const network of ['none', { grant: { host: 'b.example', port: null } }] as const) {
      const run = runner.exec({ ...profile, network }, asked, { unconfined: false })
      await expect(run).rejects.toMatchObject({ code: 'not_judged' })
    }
  })

  it('starts no command whose grant is stale by then', async (context) => {
    if (reason !== null) return context.skip(reason)
    const runner = createSandboxRunner(driver)
    const grant = { host: '127.0.0.1', port: 1 }
    const profile = { ...runner.resolve(aProfile()), network: { grant } }
    const asked = { command: 'touch stale' }

    const refused = runner.exec(profile, asked, { unconfined: false, mayStart: () => false })
    await expect(refused).rejects.toMatchObject({ code: 'call_ended' })
    const allowed = await runner.exec(profile, { command: 'ls stale' }, { unconfined: false })

    expect(allowed.exitCode).toBe(2)
  })

  it('aborts before it starts, and closes what was opened for it', async (context) => {
    if (reason !== null) return context.skip(reason)
    const run = await sandbox.exec({
      command: 'touch aborted',
      grant: { host: 'a.example' },
      signal: AbortSignal.abort(),
    })

    expect(run).toMatchObject({ started: false, killedBy: 'abort' })
  })
})

describe('the options of bubblewrap', () => {
  const entrance: Entrance = {
    program: '/usr/bin/nsenter',
    user: '/proc/7/fd/20',
    network: '/proc/7/fd/21',
    proxy: 'http://127.0.0.1:3128',
  }
  const grant = { host: 'a.example', port: 443 }
  const request: EnteredRequest = {
    profile: aProfile(),
    argv: ['/bin/true'],
    cwd: workspace,
    environment: {},
    guard: NO_GUARD,
  }

  it('never shares the network of the host', () => {
    const linux = bubblewrap({ machine: { ...systemMachine(), realPath: (path) => path } })
    const granted = { ...request, profile: { ...request.profile, network: { grant } } }
    const wordsOf = (one: EnteredRequest): readonly string[] => {
      const [options] = linux.confine(one).pipes
      return options?.direction === 'write'
        ? new TextDecoder().decode(options.bytes).split('\0')
        : []
    }

    expect(wordsOf(request)).toContain('--unshare-net')
    expect(() => wordsOf(granted)).toThrow('do not come together')
    expect(() => wordsOf({ ...request, entrance })).toThrow('do not come together')
    expect(wordsOf({ ...granted, entrance })).not.toContain('--unshare-net')
    const entered: EnteredRequest = { ...granted, entrance }
    expect(linux.confine(entered)).toMatchObject({
      file: '/usr/bin/nsenter',
      args: [
        '--user=/proc/7/fd/20',
        '--preserve-credentials',
        '--net=/proc/7/fd/21',
        '--',
        '/usr/bin/bwrap',
        ...['--args', '3', '--', '/bin/true'],
      ],
      environment: {},
    })
    expect(linux.confine(request).file).toBe('/usr/bin/bwrap')
  })

  it('enters by no program that a command can write', () => {
    const linux = bubblewrap({ machine: systemMachine() })
    const profile = { ...request.profile, network: { grant } }
    const inside: EnteredRequest = {
      ...request,
      profile,
      entrance: { ...entrance, program: join(workspace, 'nsenter') },
    }

    expect(() => linux.confine(inside)).toThrow(
      expect.objectContaining({ code: 'untrusted_launcher' }),
    )
  })
})

describe('a network namespace', () => {
  const options = ['--unshare-user', '--unshare-net', '--die-with-parent', '--ro-bind', '/', '/']
  const given = { launcher: '/usr/bin/bwrap', port: 3128, clock: systemClock() }

  it('is fresh, stays while it is held, and has nobody in it', async (context) => {
    if (reason !== null) return context.skip(reason)
    const space = await openNetworkNamespace({ ...given, options })
    const other = await openNetworkNamespace({ ...given, options })

    const found = [space.network, other.network, '/proc/self/ns/net'].map((path) =>
      readlinkSync(path),
    )
    expect(new Set(found).size).toBe(3)
    expect(space.listener.address()).toMatchObject({ address: '127.0.0.1', port: 3128 })

    space.close()
    other.close()
    expect(() => readlinkSync(space.network)).toThrow('ENOENT')
  })

  it.for([
    ['no network of its own', options.filter((option) => option !== '--unshare-net')],
    ['no user of its own', ['--ro-bind', '/', '/', '--unshare-net']],
    ['neither', ['--ro-bind', '/', '/']],
  ] as const)('refuses namespaces that are not fresh: %s', async ([, fewer], context) => {
    if (reason !== null) return context.skip(reason)
    // Without privileges bubblewrap makes a user namespace whatever it is told.
    if (process.getuid?.() !== 0) return context.skip('only root makes none')

    await expect(openNetworkNamespace({ ...given, port: 0, options: fewer })).rejects.toMatchObject(
      { code: 'setup_failed' },
    )
  })

  it.each([
    ['a launcher that is missing', '/nonexistent/bwrap'],
    ['a launcher that says nothing', '/bin/true'],
    ['a launcher that fails', '/bin/false'],
  ])('is not had by %s', async (_, launcher) => {
    await expect(openNetworkNamespace({ ...given, launcher, options })).rejects.toMatchObject({
      code: 'setup_failed',
    })
  })

  it('is not had by a launcher that never answers', async () => {
    const clock = fakeClock()
    const never = openNetworkNamespace({
      ...given,
      clock,
      launcher: '/bin/sh',
      options: ['-c', 'sleep 60'],
    })
    const told = expect(never).rejects.toMatchObject({ code: 'setup_failed' })
    await settled()
    clock.advance(15_000)

    await told
  })
})

describe('the pool', () => {
  interface One {
    readonly id: number
    readonly close: () => void
  }

  function counted(clock = fakeClock(), fails: readonly number[] = []) {
    let made = 0
    const closed: number[] = []
    const kept = pool<One>(async () => {
      made += 1
      const id = made
      if (fails.includes(id)) throw new RangeError(`number ${id}`)
      return { id, close: () => closed.push(id) }
    }, clock)
    return { ...kept, clock, closed, made: () => made }
  }

  it('hands nothing out twice, and has one ready after the first', async () => {
    const kept = counted()

    const first = await kept.take()
    kept.clock.advance(50)
    const made = kept.made()
    const second = await kept.take()

    expect([first.id, made, second.id, kept.made()]).toEqual([1, 2, 2, 2])
  })

  it('hands out as many at once as are asked for', async () => {
    const kept = counted()
    await kept.prewarm()
    await kept.prewarm()

    const all = await Promise.all([kept.take(), kept.take(), kept.take()])

    expect(all.map(({ id }) => id).sort()).toEqual([1, 2, 3])
  })

  it('closes what nobody takes', async () => {
    const kept = counted()
    await kept.prewarm()

    kept.clock.advance(60_000)
    await settled()

    expect(kept.closed).toEqual([1])
    expect((await kept.take()).id).toBe(2)
  })

  it('does not close what was taken', async () => {
    const kept = counted()
    await kept.prewarm()
    const taken = await kept.take()

    kept.clock.advance(49)
    kept.clock.advance(60_000)
    await settled()

    expect(kept.closed).not.toContain(taken.id)
  })

  it('tries again after a failure, and tells whoever takes', async () => {
    const kept = counted(fakeClock(), [1, 3])

    await expect(kept.prewarm()).rejects.toThrow('number 1')
    expect((await kept.take()).id).toBe(2)
    kept.clock.advance(50)
    await settled()
    expect((await kept.take()).id).toBe(4)
  })
})

it('a probe makes nothing ahead, and a grant does', async (context) => {
  if (reason !== null) return context.skip(reason)
  const fresh = createNativeSandbox()
  const count = (): number => readdirSync('/proc/self/fd').length
  await fresh.probe()
  await wait(400)
  const before = count()

  await fresh.probe()
  await wait(400)
  const probed = count()
  const handle = await openSandbox({ workspace, driver: fresh })
  await handle.exec({ command: 'true', grant: { host: '192.0.2.1' } })
  for (let tries = 0; tries < 100 && count() <= before; tries += 1) await wait(50)

  expect(probed).toBeLessThanOrEqual(before)
  expect(count()).toBeGreaterThan(before)
})

it('the next grant need not wait once one is ready', async (context) => {
  if (reason !== null) return context.skip(reason)
  const networks = networksOf(driver)
  await networks?.prewarm()

  const begun = performance.now()
  const lane = await networks?.open({ host: '127.0.0.1', port: 1 })
  lane?.close()

  expect(performance.now() - begun).toBeLessThan(20)
})

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

function aProfile(): EnteredRequest['profile'] {
  return profileOf({
    axis: {
      mode: 'workspace_write',
      writable: [],
      readable: [],
      environment: { pass: [] },
      limits: {
        timeoutMs: 10_000,
        outputBytes: 65_536,
        diskBytes: 16_777_216,
        processes: null,
        memoryBytes: null,
      },
      onUnavailable: 'deny',
    },
    roots: { workspace, home: '/root', temporary: ['/tmp'], platform: 'linux' },
    canWrite: true,
    hidden: [],
  })
}
