/** Origins (pipeline.md §4): what the host itself starts is trusted, and nothing that comes out of it is. */

import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Outcome, Result } from '../../src/contract/outcome.js'
import type { CallRequest, Direct, Session } from '../../src/contract/session.js'
import type { Tool, ToolContext } from '../../src/contract/tool.js'
import { reaches } from '../../src/core/need.js'
import { definePolicy } from '../../src/policy/define.js'
import { fakeSandbox } from '../../src/testing/fake-sandbox.js'
import { read } from '../../src/tools/builtin/read.js'
import { webFetch } from '../../src/tools/builtin/web-fetch.js'
import { write } from '../../src/tools/builtin/write.js'
import { defineTool } from '../../src/tools/define-tool.js'
import type { StepResultRecord } from '../../src/trace/records.js'
import {
  aFileHost,
  aHost,
  aResponder,
  aTool,
  OPEN,
  settled,
  YES,
  type Host,
  type HostParts,
} from '../builders/session.js'

const hosts: Host[] = []
const servers: Server[] = []
afterEach(async () => {
  for (const host of hosts.splice(0)) {
    await host.sixgate[Symbol.asyncDispose]()
    await host.verify()
    host.ground.clear()
  }
  for (const server of servers.splice(0)) server.close()
})

/** Nothing is granted and every tool is denied: what runs here runs by its origin. */
const CLOSED = { workMode: 'plan', rules: ['deny *'], approvalResponse: 'never' } as const

function open(parts: HostParts = {}): Host {
  const host = aHost({ policy: CLOSED, sandbox: fakeSandbox({ status: 'ready' }), ...parts })
  hosts.push(host)
  return host
}

async function direct(host: Host): Promise<{ session: Session; own: Direct }> {
  const session = await host.session()
  return { session, own: host.sixgate.direct(session) }
}

const READ = { tool: 'read', args: { file_path: 'a.txt' } } as const

describe('[S1-54] a call of the model', () => {
  it('goes through the whole matrix', async () => {
    const host = open()
    const session = await host.session()

    expect(await session.run(READ)).toMatchObject({ layer: 'user_rule', reason: 'rule' })
  })

  it('cannot say that it is the host: an origin is no field', async () => {
    const host = open()
    const session = await host.session()
    const forged = { ...READ, origin: 'host', by: 'host', trusted: true }

    expect(await session.run(forged as CallRequest)).toMatchObject({ layer: 'user_rule' })
  })
})

describe('[S1-56] a call of the host', () => {
  it('passes neither rules nor approval: one origin node, then the sandbox', async () => {
    const host = open()
    const { session, own } = await direct(host)

    const result = await own.run({ ...READ, callId: 'c1' })

    expect(result.status).toBe('ok')
    expect((await session.chain('c1')).toReversed()).toMatchObject([
      { layer: 'guard', decision: 'allow', matched_rule: 'origin:host', parent_id: null },
      { layer: 'sandbox', decision: 'no_match', matched_rule: null },
    ])
  })

  it('[S1-57] is still stopped by a hook, the floor, the control plane and its own signal', async () => {
    const host = aFileHost({ policy: CLOSED, sandbox: fakeSandbox({ status: 'ready' }) })
    hosts.push(host)
    const { own } = await direct(host)
    const hook = host.sixgate.hooks.add({
      id: 'no',
      match: { tool: 'write' },
      handler: () => ({ action: 'block', reason: 'x' }),
    })

    const reasons = [
      await own.run({ tool: 'write', args: { file_path: 'b', content: '' } }),
      await own.run({ tool: 'bash', args: { command: 'rm -rf /' } }),
      await own.run({ tool: 'read', args: { file_path: `${host.ground.ledger}/x` } }),
      await own.run({ ...READ, signal: AbortSignal.abort() }),
    ]
    hook[Symbol.dispose]()

    expect(reasons.map((one) => 'reason' in one && one.reason)).toEqual([
      'hook',
      'floor.recursive_delete',
      'control_plane',
      'cancelled',
    ])
  })

  it('is never asked about: what a hook would ask is denied, and nobody is contacted', async () => {
    const responder = aResponder(() => YES)
    const host = open({ policy: OPEN, responder })
    const { own } = await direct(host)
    host.sixgate.hooks.add({ id: 'look', handler: () => ({ action: 'ask', reason: 'x' }) })

    expect(await own.run(READ)).toMatchObject({ matchedRule: 'guard:look', reason: 'hook' })
    expect(responder.asked).toEqual([])
  })

  it('is bounded by the sandbox like any other', async () => {
    const host = open({ policy: { ...OPEN, sandbox: { mode: 'read_only' } } })
    const { own } = await direct(host)

    expect(await own.run({ tool: 'write', args: { file_path: 'b', content: '' } })).toMatchObject({
      layer: 'sandbox',
      reason: 'outside_profile',
    })
  })

  const ESCAPE = { sandbox_permissions: 'require_escalated', justification: 'because' }
  const GRANT = {
    sandbox_permissions: 'request_network_grant',
    network_grant: { host: 'example.com' },
  }

  it.each([
    ['ready', 'host execution', ESCAPE, 'sandbox_refused'],
    ['ready', 'a grant', GRANT, 'sandbox_refused'],
    ['unavailable', 'host execution', ESCAPE, 'sandbox_unavailable'],
    ['unavailable', 'nothing', {}, 'sandbox_unavailable'],
  ] as const)('with a sandbox that is %s never leaves it by asking for %s', async (...row) => {
    const [status, , extra, reason] = row
    const host = open({
      policy: { profile: 'terminal.default' },
      sandbox: fakeSandbox({ status }),
      responder: aResponder(() => YES),
    })
    const { own } = await direct(host)

    expect(await own.run({ tool: 'bash', args: { command: 'ls', ...extra } })).toMatchObject({
      layer: 'sandbox',
      reason,
    })
  })

  it('of a tool that is none, or with arguments that are none, is denied by layer 1', async () => {
    const host = open()
    const { session, own } = await direct(host)

    const unknown = await own.run({ tool: 'none', args: {}, callId: 'c1' })
    const invalid = await own.run({ tool: 'read', args: {} })

    expect(unknown).toMatchObject({ layer: 'work_mode', reason: 'unknown_tool' })
    expect(invalid).toMatchObject({ layer: 'work_mode', reason: 'invalid_args' })
    expect(await session.chain('c1')).toMatchObject([{ layer: 'work_mode', parent_id: null }])
  })

  it('is another call than the same one of the model: one id is one origin', async () => {
    const host = open({ policy: OPEN })
    const { session, own } = await direct(host)

    await session.evaluate({ ...READ, callId: 'c1' })

    expect(await own.run({ ...READ, callId: 'c1' })).toMatchObject({ reason: 'call_id_reused' })
  })

  it('is refused for a session of another object', async () => {
    const one = open()
    const other = open()
    const session = await other.session()

    expect(() => one.sixgate.direct(session)).toThrow(
      expect.objectContaining({ code: 'invalid_option' }) as Error,
    )
  })

  it('of a closed session runs nothing', async () => {
    const host = open()
    const { session, own } = await direct(host)
    await session.close()

    expect(await own.run(READ)).toMatchObject({ reason: 'session_closed' })
  })
})

/** A tool whose executor does what the test says. */
function batch(act: (context: ToolContext) => Promise<unknown>): Tool<unknown> {
  return aTool((_, context) => act(context), { name: 'batch' })
}

describe('calls within a call', () => {
  it('[S1-55] of a tool that the model called are judged again, each for itself', async () => {
    const ends: unknown[] = []
    const tools = [
      read,
      batch(async ({ session }) => {
        ends.push(await session.run(READ))
        ends.push(await session.run({ tool: 'read', args: { file_path: '/etc/hostname' } }))
      }),
    ]
    const host = open({ policy: { ...OPEN, rules: ['deny read(/etc/**)'] }, tools })
    const session = await host.session()

    await session.run({ tool: 'batch', args: {} })

    expect(ends).toMatchObject([{ status: 'ok' }, { status: 'denied', reason: 'rule' }])
  })

  it('[S1-56] of a tool that the host called are judged like a model’s', async () => {
    const ends: unknown[] = []
    const tools = [read, batch(async ({ session }) => void ends.push(await session.run(READ)))]
    const host = open({ tools })
    const { own } = await direct(host)

    expect((await own.run({ tool: 'batch', args: {} })).status).toBe('ok')
    expect(ends).toMatchObject([{ status: 'denied', layer: 'user_rule' }])
  })

  it('[S1-57] that the host fixed when it started are its own, and on record as such', async () => {
    const tools = [read, batch(({ session }) => session.run({ ...READ, callId: 'inner' }))]
    const host = open({ tools })
    const { session, own } = await direct(host)

    const result = await own.run({ tool: 'batch', args: {} }, { children: [READ] })

    expect(result).toMatchObject({ status: 'ok', value: { status: 'ok' } })
    expect((await session.chain('inner')).at(-1)).toMatchObject({
      layer: 'guard',
      matched_rule: 'origin:host_nested',
    })
  })

  it.each<readonly [string, CallRequest]>([
    ['other arguments', { tool: 'read', args: { file_path: 'b.txt' } }],
    ['more arguments', { tool: 'read', args: { file_path: 'a.txt', limit: 1 } }],
    ['another tool', { tool: 'write', args: { file_path: 'a.txt', content: '' } }],
    ['a folder of its own', { ...READ, cwd: '.' }],
  ])('with %s than the host fixed are judged', async (_, call) => {
    const ends: Outcome[] = []
    const tools = [
      read,
      write,
      batch(async ({ session }) => void ends.push(await session.evaluate(call))),
    ]
    const host = open({ tools })
    const { own } = await direct(host)

    await own.run({ tool: 'batch', args: {} }, { children: [READ] })

    expect(ends).toMatchObject([{ status: 'denied', layer: expect.not.stringMatching('guard') }])
  })

  it('that the host fixed once are its own once', async () => {
    const ends: Result<unknown>[] = []
    const tools = [
      read,
      batch(async ({ session }) => {
        ends.push(await session.run(READ))
        ends.push(await session.run(READ))
      }),
    ]
    const host = open({ tools })
    const { own } = await direct(host)

    await own.run({ tool: 'batch', args: {} }, { children: [READ] })

    expect(ends.map(({ status }) => status)).toEqual(['ok', 'denied'])
  })

  it('[S1-58] of a child session are a model’s, whoever called the tool that made it', async () => {
    const ends: unknown[] = []
    const tools = [
      read,
      batch(async ({ session }) => {
        const child = await session.spawn()
        ends.push(await child.run(READ))
      }),
    ]
    const policy = { ...OPEN, rules: ['deny read'] }
    const host = open({ policy, tools })
    const { own } = await direct(host)

    await own.run({ tool: 'batch', args: {} }, { children: [READ] })

    expect(ends).toMatchObject([{ status: 'denied', layer: 'user_rule' }])
  })

  it('end with their call: a session that outlives it is dead', async () => {
    let kept: ToolContext | undefined
    const tools = [read, batch((context) => Promise.resolve(void (kept = context)))]
    const host = open({ tools })
    const { own } = await direct(host)
    await own.run({ tool: 'batch', args: {} }, { children: [READ] })
    const ended = { code: 'call_ended' }

    await expect(kept?.session.run(READ)).rejects.toMatchObject(ended)
    await expect(kept?.hosts.authorize('https://example.com')).rejects.toMatchObject(ended)
    expect(() => kept?.report({ effects: null })).toThrow(expect.objectContaining(ended) as Error)
  })

  it('that make themselves again are refused, also by a way round', async () => {
    const ends: unknown[] = []
    const other = (name: string): Tool<unknown> =>
      aTool(
        async (_, { session }) =>
          void ends.push(await session.run({ tool: name === 'a' ? 'b' : 'a', args: {} })),
        { name },
      )
    const host = open({ policy: OPEN, tools: [other('a'), other('b')] })
    const session = await host.session()

    await session.run({ tool: 'a', args: {} })

    expect(ends).toMatchObject([
      { status: 'denied', matchedRule: 'builtin:budget.recursion', reason: 'budget.recursion' },
      { status: 'ok' },
    ])
  })

  it('go no deeper than sixteen levels, also for the host', async () => {
    let deepest = 0
    let end: unknown
    const dig = aTool(
      async (args, { session }) => {
        const depth = args as number
        deepest = Math.max(deepest, depth)
        const result = await session.run({ tool: 'dig', args: depth + 1 })
        if (result.status === 'denied') end = result
      },
      { name: 'dig' },
    )
    const host = open({ policy: OPEN, tools: [dig] })
    const { own } = await direct(host)

    await own.run({ tool: 'dig', args: 0 })

    expect(deepest).toBe(16)
    expect(end).toMatchObject({ reason: 'budget.nesting' })
  })
})

describe('what an executor reports', () => {
  const used = (tokensIn: number): Tool<unknown> =>
    aTool((_, { report }) => {
      report({ usage: { tokensIn, costMicros: 5 } })
      report({ usage: { tokensIn: 1, tokensOut: 2 }, effects: { wrote: ['a'] } })
    })

  it('adds up, and stands in the record of its step', async () => {
    const host = open({ policy: OPEN, tools: [used(3)] })
    const session = await host.session()

    await session.run({ tool: 'probe', args: {} })

    const step = (await host.records(session)).find(
      (one): one is typeof one & StepResultRecord => one.kind === 'step_result',
    )
    expect(step).toMatchObject({
      usage: { tokens_in: 4, tokens_out: 2, cost_micros: 5 },
      reported: { alg: 'sha256', media: 'application/json' },
    })
  })

  it.each([-1, 0.5, Number.NaN, Number.MAX_SAFE_INTEGER, '3' as unknown as number])(
    'is refused when it is no count: %s',
    async (tokensIn) => {
      const host = open({ policy: OPEN, tools: [used(tokensIn)] })
      const session = await host.session()

      expect(await session.run({ tool: 'probe', args: {} })).toMatchObject({
        status: 'error',
        error: { code: 'invalid_input' },
      })
    },
  )
})

describe('a host that was not judged', () => {
  const roam = (url: string, ends: Outcome[]): Tool<{ readonly url: string }> =>
    defineTool({
      name: 'roam',
      inputSchema: z.object({ url: z.string() }),
      needs: (args) => reaches(args.url),
      execute: async (_, { hosts: reachable }) => void ends.push(await reachable.authorize(url)),
    })

  it('is a call of its own under the same tool, with its own chain and step', async () => {
    const ends: Outcome[] = []
    const tools = [roam('https://b.test/x', ends)]
    const rules = ['allow roam(a.test)', 'allow roam(b.test)']
    const host = open({ policy: { workMode: 'rw', network: 'on', rules }, tools })
    const session = await host.session()

    await session.run({ tool: 'roam', args: { url: 'https://a.test' } })

    const [end] = ends
    expect(end?.status).toBe('admitted')
    const chain = await session.chain(end?.callId ?? '')
    expect(chain.map((node) => node.matched_rule)).toContain('allow roam(b.test)')
    const steps = (await host.records(session)).filter(({ kind }) => kind === 'intent')
    expect(steps).toHaveLength(2)
  })

  it.each([
    ['no rule allows it', 'https://c.test', 'no_responder'],
    ['a rule denies it', 'https://evil.test', 'rule'],
    ['it is no address', 'nonsense', 'no_responder'],
  ])('is refused where %s', async (_, url, reason) => {
    const ends: Outcome[] = []
    const rules = ['allow roam(a.test)', 'deny web_fetch(evil.test)']
    const policy = { workMode: 'rw', network: 'on', rules } as const
    const host = open({ policy, tools: [roam(url, ends)] })
    const session = await host.session()

    await session.run({ tool: 'roam', args: { url: 'https://a.test' } })

    expect(ends).toMatchObject([{ status: 'denied', reason }])
  })

  it('hands out no right that could be used again', async () => {
    const ends: Outcome[] = []
    const policy = { workMode: 'rw', network: 'on', rules: ['allow roam'] } as const
    const host = open({ policy, tools: [roam('https://b.test', ends)] })
    const session = await host.session()
    await session.run({ tool: 'roam', args: { url: 'https://a.test' } })
    const [end] = ends
    if (end?.status !== 'admitted') throw new Error(end?.status)

    await expect(session.dispatch(end.admission)).rejects.toMatchObject({ name: 'AdmissionError' })
  })

  it('[B-158] a redirect of web_fetch to another host is judged before it is followed', async () => {
    const asked: string[] = []
    const base = await serve((path) => {
      asked.push(path)
      return path === '/start' ? `http://localhost:${port(base)}/elsewhere` : null
    })
    const rules = ['allow web_fetch(127.0.0.1)']
    const policy = { workMode: 'rw', network: 'on', rules } as const
    const host = open({ policy, tools: [webFetch] })
    const session = await host.session()

    const refused = await session.run({ tool: 'web_fetch', args: { url: `${base}/start` } })

    expect(refused).toMatchObject({ status: 'error', error: { code: 'cross_host_redirect' } })
    expect(asked).toEqual(['/start'])

    await host.sixgate.replacePolicy(session, allow([...rules, 'allow web_fetch(localhost)']))
    const followed = await session.run({ tool: 'web_fetch', args: { url: `${base}/start` } })

    expect(followed).toMatchObject({ status: 'ok', value: { text: 'end' } })
  })

  it('a redirect within the host is followed, unless a rule knows the new path', async () => {
    const base = await serve((path) => (path === '/start' ? '/next' : null))
    const fetch = async (rules: readonly string[]): Promise<unknown> => {
      const policy = { workMode: 'rw', network: 'on', rules } as const
      const host = open({ policy, tools: [webFetch] })
      const session = await host.session()
      return session.run({ tool: 'web_fetch', args: { url: `${base}/start` } })
    }

    expect(await fetch(['allow web_fetch'])).toMatchObject({ status: 'ok' })
    expect(await fetch(['allow web_fetch', 'deny web_fetch(127.0.0.1/next)'])).toMatchObject({
      error: { code: 'cross_host_redirect' },
    })
  })
})

describe('[B-106] aborting a turn', () => {
  it('cancels the question that waits and every one that was not asked yet', async () => {
    const responder = aResponder(() => new Promise(() => undefined))
    const host = open({ policy: { ...OPEN, rules: ['ask bash', 'ask read'] }, responder })
    const session = await host.session()
    const first = session.run({ tool: 'bash', args: { command: 'ls' }, turn: 't1' })
    await responder.firstAsk

    host.sixgate.abortTurn(session, 't1')
    const second = session.run({ ...READ, turn: 't1' })

    expect(await first).toMatchObject({ status: 'denied', reason: 'cancelled' })
    expect(await second).toMatchObject({ status: 'denied', reason: 'cancelled' })
    expect(responder.asked).toHaveLength(1)
  })

  it('cancels what was left as a ticket, and the answer comes too late', async () => {
    const host = open({ policy: { ...OPEN, rules: ['ask read'] }, responder: 'suspend' })
    const session = await host.session()
    const call = { ...READ, callId: 'c1', turn: 't1' }
    const outcome = await session.evaluate(call)
    if (outcome.status !== 'suspended') throw new Error(outcome.status)

    host.sixgate.abortTurn(session, 't1')
    await settled()

    const by = { kind: 'human', id: 'ada' } as const
    const late = await host.sixgate.resolve(outcome.ticket, call, YES, by)
    expect(late).toMatchObject({ status: 'denied', reason: 'cancelled' })
  })

  it('leaves other turns, and calls of no turn, alone', async () => {
    const host = open({ policy: OPEN })
    const session = await host.session()

    host.sixgate.abortTurn(session, 't1')

    expect((await session.run({ ...READ, turn: 't2' })).status).toBe('ok')
    expect((await session.run(READ)).status).toBe('ok')
  })

  it('takes away an admission that was not used', async () => {
    const host = open({ policy: OPEN })
    const session = await host.session()
    const outcome = await session.evaluate({ ...READ, turn: 't1' })
    if (outcome.status !== 'admitted') throw new Error(outcome.status)

    host.sixgate.abortTurn(session, 't1')

    expect(await session.dispatch(outcome.admission)).toMatchObject({ reason: 'cancelled' })
  })

  it.each(['', 'x'.repeat(129), 'a\nb', 7])(
    'a turn is a printable name: %j is none',
    async (turn) => {
      const host = open({ policy: OPEN })
      const session = await host.session()

      const result = await session.run({ ...READ, turn: turn as string })
      expect(result).toMatchObject({ reason: 'invalid_args' })
    },
  )
})

function allow(rules: readonly string[]): ReturnType<typeof definePolicy> {
  return definePolicy({ workMode: 'rw', network: 'on', rules })
}

/** Redirects where the function says so; everything else is the end. */
async function serve(redirects: (path: string) => string | null): Promise<string> {
  const server = createServer((request, response) => {
    const location = redirects(request.url ?? '')
    if (location === null) response.writeHead(200, { 'content-type': 'text/plain' }).end('end')
    else response.writeHead(302, { location }).end()
  })
  servers.push(server)
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function port(base: string): string {
  return new URL(base).port
}
