/** Network grants of a session's calls, through the whole pipeline and the real sandbox (sandbox.md §7). */

import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Responder } from '../../src/contract/approval.js'
import type { PolicyInput } from '../../src/contract/policy.js'
import type { ExecResult, SandboxExec } from '../../src/contract/sandbox.js'
import type { Result } from '../../src/contract/outcome.js'
import type { Session } from '../../src/contract/session.js'
import type { Tool } from '../../src/contract/tool.js'
import { systemMachine } from '../../src/platform/machine.js'
import { createNativeSandbox } from '../../src/sandbox/select.js'
import { defineTool } from '../../src/tools/define-tool.js'
import { runs } from '../../src/tools/runs.js'
import { bash } from '../../src/tools/builtin/bash.js'
import { aGate, aGround, aResponder, NO, YES, type Host } from '../builders/session.js'
import { ofKind, useHosts } from '../conformance/hosts.js'
import { CLIENT, clientLine } from './inside.js'
import { anOrigin, type Origin } from './mediated.js'

const { inMemory } = useHosts()
const origins: Origin[] = []
afterEach(async () => {
  for (const one of origins.splice(0)) await one.close()
})

let reason: string | null = null
beforeAll(async () => {
  const { guarantees } = await createNativeSandbox().probe()
  const row = guarantees.network_grant
  reason = row.status === 'enforced' ? null : row.cause
  if (reason !== null) console.warn(`sessions with network grants are skipped: ${reason}`)
})

const POLICY: PolicyInput = {
  workMode: 'full',
  network: 'grant',
  toolApproval: 'accept_all',
  sandbox: { mode: 'workspace_write' },
}

async function origin(): Promise<Origin> {
  const one = await anOrigin()
  origins.push(one)
  return one
}

interface Parts {
  readonly policy?: PolicyInput
  readonly responder?: Responder | undefined
  readonly privateHosts?: readonly string[]
  readonly tools?: readonly Tool[]
}

function host(parts: Parts = {}): Host {
  const ground = aGround()
  writeFileSync(join(ground.workspace, 'client.cjs'), CLIENT)
  const { privateHosts = ['127.0.0.1'], tools = [bash], policy = POLICY } = parts
  const sandbox = createNativeSandbox({ privateHosts })
  const responder = 'responder' in parts ? parts.responder : aResponder(() => YES)
  return inMemory({ policy, sandbox, tools, responder }, ground)
}

function granted(there: { readonly port: number }, command?: string): object {
  return {
    command: command ?? clientLine(`127.0.0.1:${there.port}`),
    sandbox_permissions: 'request_network_grant',
    network_grant: { host: '127.0.0.1', port: there.port },
  }
}

/** A tool of a host that hands back everything that the sandbox says. */
function probing(
  there: Pick<Origin, 'port'>,
  more: {
    readonly before?: () => Promise<void>
    readonly exec?: Partial<SandboxExec>
    readonly asks?: boolean
  } = {},
): Tool {
  const command = clientLine(`127.0.0.1:${there.port}`)
  return defineTool({
    name: 'probe',
    inputSchema: z.unknown(),
    runsIn: 'sandbox',
    needs: () => [
      ...runs(command),
      ...(more.asks === false
        ? []
        : [
            {
              kind: 'escalation' as const,
              name: 'network_grant' as const,
              detail: `127.0.0.1:${there.port}`,
            },
          ]),
    ],
    async execute(_, context) {
      await more.before?.()
      return context.sandbox.exec({ command, ...more.exec })
    },
  })
}

async function ran(session: Session, args: unknown, tool = 'bash'): Promise<Result<unknown>> {
  return session.run({ tool, args })
}

function stdoutOf(result: Result<unknown>): string {
  return result.status === 'ok' ? (result.value as { readonly stdout: string }).stdout : ''
}

describe('a granted origin', () => {
  it('[S1-15] [S1-33] is the only network there is: without a grant a command has none', async (context) => {
    if (reason !== null) return context.skip(reason)
    const there = await origin()
    const session = await host({ policy: { ...POLICY, network: 'on' } }).session()

    const direct = `exec 3<>/dev/tcp/127.0.0.1/${there.port}`
    const result = await ran(session, { command: `(${direct}) 2>&1; env | grep -i proxy; true` })

    expect(stdoutOf(result)).toMatch(/refused|not permitted|not supported/)
    expect(stdoutOf(result)).not.toMatch(/PROXY/)
    expect(there.sockets).toHaveLength(0)
  })

  it('[S1-38] is reached by the call that a person let there, and nothing else is', async (context) => {
    if (reason !== null) return context.skip(reason)
    const [there, elsewhere] = [await origin(), await origin()]
    const session = await host().session()

    const direct = `(exec 3<>/dev/tcp/127.0.0.1/${there.port}) 2>/dev/null || echo closed`
    const line = [
      clientLine(`127.0.0.1:${there.port}`),
      clientLine(`127.0.0.1:${elsewhere.port}`),
      clientLine(`localhost:${there.port}`),
      direct,
    ].join('; ')
    const result = await ran(session, granted(there, line))
    const after = await ran(session, { command: `(${clientLine('x:1')}) 2>&1 | tail -1` })

    expect(stdoutOf(result)).toBe(
      '<hello>\nHTTP/1.1 403 Forbidden\nHTTP/1.1 403 Forbidden\nclosed\n',
    )
    expect(there.text()).toBe('hello')
    expect(elsewhere.sockets).toHaveLength(0)
    expect(stdoutOf(after)).not.toContain('HTTP')
  })

  it('[S1-38] of one call is not that of another at the same time', async (context) => {
    if (reason !== null) return context.skip(reason)
    const [one, other] = [await origin(), await origin()]
    const session = await host().session()
    const both = (there: Origin): string =>
      [one, other].map(({ port }) => clientLine(`127.0.0.1:${port}`, `${there.port}`)).join('; ')

    const [first, second] = await Promise.all([
      ran(session, granted(one, both(one))),
      ran(session, granted(other, both(other))),
    ])

    expect(stdoutOf(first)).toBe(`<${one.port}>\nHTTP/1.1 403 Forbidden\n`)
    expect(stdoutOf(second)).toBe(`HTTP/1.1 403 Forbidden\n<${other.port}>\n`)
    expect([one.text(), other.text()]).toEqual([`${one.port}`, `${other.port}`])
  })

  it('[S1-40] is in the result, with the policy that it was granted under', async (context) => {
    if (reason !== null) return context.skip(reason)
    const there = await origin()
    const session = await host({ tools: [probing(there)] }).session()

    const result = await ran(session, {}, 'probe')

    expect(result.status === 'ok' && (result.value as ExecResult).grant).toEqual({
      ...{ host: '127.0.0.1', port: there.port, policyDigest: session.revision },
      ...{ sentBytes: 5, receivedBytes: 7, connections: 1, refused: 0 },
    })
  })

  it('is private, and refused, unless the program named its host', async (context) => {
    if (reason !== null) return context.skip(reason)
    const there = await origin()
    const session = await host({ privateHosts: ['localhost', '10.0.0.1'] }).session()

    const result = await ran(session, granted(there))

    expect(stdoutOf(result)).toBe('HTTP/1.1 403 Forbidden\n')
    expect(there.sockets).toHaveLength(0)
  })

  it('is told to programs by every name, without an exception', async (context) => {
    if (reason !== null) return context.skip(reason)
    const there = await origin()
    const session = await host().session()

    const command = 'NO_PROXY=x; env | grep -iE "proxy=|node_use" | sort'
    const args = { ...granted(there, command), env: { NO_PROXY: '*' } }
    const lines = stdoutOf(await ran(session, args))
      .trimEnd()
      .split('\n')

    const proxy = 'http://127.0.0.1:3128'
    expect(lines.sort()).toEqual(
      [
        ...['ALL_PROXY', 'HTTPS_PROXY', 'HTTP_PROXY', 'all_proxy', 'https_proxy', 'http_proxy'].map(
          (name) => `${name}=${proxy}`,
        ),
        ...['NODE_USE_ENV_PROXY=1', 'NO_PROXY=x', 'no_proxy='],
      ].sort(),
    )
  })

  it('[E-64] lets nothing listen and no other socket be made', async (context) => {
    if (reason !== null) return context.skip(reason)
    const there = await origin()
    const session = await host().session()
    const script = [
      "const net = require('node:net'), dgram = require('node:dgram')",
      'const say = (name) => (error) => console.log(name, error.code)',
      "net.createServer().on('error', say('tcp')).listen(0)",
      "net.createServer().on('error', say('unix')).listen('\\0x')",
      "dgram.createSocket('udp4').on('error', say('udp')).bind(0)",
    ]

    const result = await ran(session, granted(there, `node -e "${script.join('; ')}"`))

    expect(stdoutOf(result).trimEnd().split('\n').sort()).toEqual([
      'tcp EPERM',
      'udp EPERM',
      expect.stringMatching(/^unix E(?:AFNOSUPPORT|PERM)$/),
    ])
  })
})

describe('who may grant', () => {
  it.each<[string, Parts]>([
    ['nobody is there', { responder: undefined }],
    ['the person says no', { responder: aResponder(() => NO) }],
    ['a model answers', { responder: aResponder(() => YES, 'model') }],
    ['the policy never asks', { policy: { ...POLICY, approvalResponse: 'never' } }],
    ['the network is off', { policy: { ...POLICY, network: 'off' } }],
    [
      'the host is denied',
      { policy: { ...POLICY, network: { mode: 'grant', deny: ['127.0.0.1'] } } },
    ],
    [
      'another host is allowed',
      { policy: { ...POLICY, network: { mode: 'grant', allow: ['a.example'] } } },
    ],
  ])('[S1-37] when %s a grant is denied and nothing starts', async (_, parts) => {
    const there = await origin()
    const one = host(parts)
    const session = await one.session()

    const result = await ran(session, granted(there, 'touch ran'))

    expect(result.status).toBe('denied')
    expect(one.ground.text(join(one.ground.workspace, 'ran'))).toBeNull()
    expect(there.sockets).toHaveLength(0)
  })

  it.each([
    [{ network_grant: { host: '127.0.0.1', port: 80 } }],
    [{ sandbox_permissions: 'request_network_grant' }],
    [{ sandbox_permissions: 'request_network_grant', network_grant: { host: '*.example' } }],
    [{ sandbox_permissions: 'request_network_grant', network_grant: { host: 'a', port: 0 } }],
  ])('[S1-34] [S1-35] [S1-36] %j is no request for one', async (more) => {
    const session = await host().session()

    const result = await ran(session, { command: 'true', ...more })

    expect(result).toMatchObject({ status: 'denied', reason: 'invalid_escalation' })
  })

  it('[S1-35] a grant of one name is not one of another name of the same machine', async (context) => {
    if (reason !== null) return context.skip(reason)
    const there = await origin()
    const session = await host({ privateHosts: ['localhost', '127.0.0.1'] }).session()
    const args = {
      ...granted(there, clientLine(`127.0.0.1:${there.port}`)),
      network_grant: { host: 'localhost', port: there.port },
    }

    expect(stdoutOf(await ran(session, args))).toBe('HTTP/1.1 403 Forbidden\n')
    expect(there.sockets).toHaveLength(0)
  })

  it.each<[string, Partial<SandboxExec>, boolean]>([
    ['another port than its grant', { grant: { host: '127.0.0.1', port: 1 } }, true],
    ['any port', { grant: { host: '127.0.0.1' } }, true],
    ['another host', { grant: { host: 'localhost' } }, true],
    ['no host at all', { grant: { host: '*' } }, true],
    ['an origin, though none was granted', { grant: { host: '127.0.0.1' } }, false],
  ])('an executor that names %s opens nothing', async (_, exec, asks) => {
    const there = await origin()
    const session = await host({ tools: [probing(there, { exec, asks })] }).session()

    const result = await ran(session, {}, 'probe')

    expect(result).toMatchObject({ status: 'error', error: { code: 'not_judged' } })
    expect(there.sockets).toHaveLength(0)
  })

  it('a machine without the means denies every grant and says what helps', async () => {
    const machine = systemMachine()
    const sandbox = createNativeSandbox({
      machine: {
        ...machine,
        facts: (path) => (path === '/usr/bin/nsenter' ? null : machine.facts(path)),
      },
    })
    const there = await origin()
    const responder = aResponder(() => YES)
    const session = await inMemory({ policy: POLICY, sandbox, responder }).session()

    const result = await ran(session, granted(there))
    const plain = await ran(session, { command: 'true' })
    const { status, guarantees } = await sandbox.probe()

    expect(result).toMatchObject({ status: 'denied', reason: 'sandbox_unavailable' })
    expect(responder.asked).toHaveLength(0)
    if (status !== 'ready') return
    expect(plain.status).toBe('ok')
    expect(guarantees.network_grant).toMatchObject({
      status: 'unenforceable',
      cause: expect.stringContaining('nsenter') as string,
      remedy: expect.stringContaining('util-linux') as string,
    })
  })
})

it('[H-23] means that fail after the probe refuse the command, and nothing runs anywhere', async (context) => {
  if (reason !== null) return context.skip(reason)
  const machine = systemMachine()
  let isThere = true
  const sandbox = createNativeSandbox({
    machine: {
      ...machine,
      facts: (path) => (!isThere && path === '/usr/bin/nsenter' ? null : machine.facts(path)),
    },
  })
  const there = await origin()
  const policy = { ...POLICY, sandbox: { mode: 'workspace_write', onUnavailable: 'ask_host' } }
  const responder = aResponder(() => YES)
  const one = inMemory({ policy: policy as PolicyInput, sandbox, responder })
  const session = await one.session()
  await ran(session, { command: 'true' })

  isThere = false
  const result = await ran(session, granted(there, 'touch ran'))

  expect(result).toMatchObject({ status: 'error', error: { code: 'setup_failed' } })
  expect(one.ground.text(join(one.ground.workspace, 'ran'))).toBeNull()
})

describe('a policy that moves', () => {
  it('[S1-39] makes a grant stale that has not opened yet: refused, on record, and nothing changes', async (context) => {
    if (reason !== null) return context.skip(reason)
    const there = await origin()
    const [reached, moved] = [aGate(), aGate()]
    const before = async (): Promise<void> => {
      reached.open()
      await moved.promise
    }
    const one = host({ tools: [probing(there, { before })] })
    const session = await one.session()

    const running = session.run({ callId: 'c1', tool: 'probe', args: {} })
    await reached.promise
    // It still admits the call and gives it the same boundary: the digest alone is another one.
    const revision = await session.tighten({ rules: ['deny read(/x/**)'] })
    moved.open()
    const result = await running

    expect(result).toMatchObject({ status: 'revoked', started: true })
    expect(there.sockets).toHaveLength(0)
    expect(session.revision).toBe(revision)
    const steps = ofKind(await one.records(session), 'step_result')
    expect(steps).toMatchObject([{ call_id: 'c1', status: 'revoked' }])
  })

  it('[S1-39] gives a call that is not started yet the grant of the policy in force, or none', async (context) => {
    if (reason !== null) return context.skip(reason)
    const there = await origin()
    const session = await host({ tools: [probing(there)] }).session()
    const still = await session.evaluate({ tool: 'probe', args: {} })
    const gone = await session.evaluate({ tool: 'probe', args: {} })
    if (still.status !== 'admitted' || gone.status !== 'admitted') throw new Error('not admitted')

    const revision = await session.tighten({ rules: ['deny read(/x/**)'] })
    const first = await session.dispatch<ExecResult>(still.admission)
    await session.tighten({ network: { mode: 'off' } })
    const second = await session.dispatch(gone.admission)

    expect(first.status === 'ok' && first.value.grant?.policyDigest).toBe(revision)
    expect(second).toMatchObject({ status: 'denied', reason: 'network_off' })
  })

  it.for<[string, object]>([
    ['closes the network', { network: { mode: 'off' } }],
    ['denies the host', { network: { mode: 'grant', deny: ['127.0.0.1'] } }],
    ['allows another host only', { network: { mode: 'grant', allow: ['a.example'] } }],
  ])('[E-61] that %s ends a running grant within 100 ms', async ([, narrowing], context) => {
    if (reason !== null) return context.skip(reason)
    const there = await origin()
    const session = await host().session()
    const line = clientLine(`127.0.0.1:${there.port}`, 'hello', 'hold')

    const running = ran(session, granted(there, line))
    while (there.text() === '') await new Promise((resolve) => setTimeout(resolve, 5))
    const far = new Promise((resolve) => there.sockets[0]?.once('close', resolve))
    const begun = performance.now()
    const tightened = session.tighten(narrowing)
    await far
    const took = performance.now() - begun
    await tightened

    expect(await running).toMatchObject({ status: 'revoked' })
    expect(took).toBeLessThan(100)
  })

  it('that leaves the host open leaves a running grant open', async (context) => {
    if (reason !== null) return context.skip(reason)
    const there = await origin()
    const session = await host().session()
    const line = clientLine(`127.0.0.1:${there.port}`, 'hello', 'hold')

    const running = ran(session, granted(there, `timeout 1 ${line}; true`))
    while (there.text() === '') await new Promise((resolve) => setTimeout(resolve, 5))
    await session.tighten({ network: { mode: 'grant', allow: ['127.0.0.1'] } })
    there.sockets[0]?.write('still there')

    expect(stdoutOf(await running)).toContain('still there')
  })
})

it('the recorded boundary of a call with a grant is another one than without', async (context) => {
  if (reason !== null) return context.skip(reason)
  const there = await origin()
  const one = host()
  const session = await one.session()

  await ran(session, granted(there))
  await ran(session, { command: 'true' })
  await ran(session, granted(there))

  const profiles = ofKind(await one.records(session), 'intent').map((each) => each.sandbox?.profile)
  expect(profiles[0]).toBe(profiles[2])
  expect(profiles[0]).not.toBe(profiles[1])
})

it('a grant that ended leaves no connection and no descriptor open', async (context) => {
  if (reason !== null) return context.skip(reason)
  const there = await origin()
  const session = await host().session()
  const count = (): number => readdirSync('/proc/self/fd').length
  await ran(session, granted(there))
  await new Promise((resolve) => setTimeout(resolve, 400))
  const before = count()

  for (let times = 0; times < 5; times += 1) await ran(session, granted(there))
  await new Promise((resolve) => setTimeout(resolve, 400))

  expect(count()).toBeLessThanOrEqual(before + 2)
  expect(there.sockets.filter(({ destroyed }) => !destroyed)).toEqual([])
})
