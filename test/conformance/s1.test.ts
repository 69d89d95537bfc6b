/** Rows of the security model (S1) that no other file proves whole: the host's authority, two scopes, confirmation. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Answer } from '../../src/contract/approval.js'
import type { Delegation } from '../../src/contract/delegation.js'
import type { PolicyInput } from '../../src/contract/policy.js'
import type { ConfineRequest, SandboxDriver } from '../../src/contract/sandbox.js'
import type { CallRequest, Session } from '../../src/contract/session.js'
import type { Tool, ToolContext } from '../../src/contract/tool.js'
import * as entry from '../../src/index.js'
import { definePolicy } from '../../src/policy/define.js'
import { fakeClock } from '../../src/testing/fake-clock.js'
import { fakeSandbox } from '../../src/testing/fake-sandbox.js'
import { bash as bashTool } from '../../src/tools/builtin/bash.js'
import { defineTool } from '../../src/tools/define-tool.js'
import { runs } from '../../src/tools/runs.js'
import { z } from 'zod'
import { aGate, aResponder, aTool, OPEN, settled, YES, type Host } from '../builders/session.js'
import { aChild } from '../builders/tree.js'
import { ofKind, useHosts } from './hosts.js'

const { inMemory } = useHosts()

const FULL: PolicyInput = { workMode: 'full', network: 'on' }
const PROBE: CallRequest = { callId: 'c1', tool: 'probe', args: {} }
const ME = { kind: 'human', id: 'ada' } as const
const bash = (args: object): CallRequest => ({ tool: 'bash', args: { command: 'ls', ...args } })

describe('[S1-01] the direct interface of the host', () => {
  it('passes the rules that a model meets, and its record says whose call it was', async () => {
    const { sixgate, ...host } = inMemory({
      policy: { ...FULL, rules: ['deny probe'] },
      tools: [aTool(() => 'ran')],
    })
    const session = await host.session()

    expect(await session.run({ ...PROBE, callId: 'c0' })).toMatchObject({ reason: 'rule' })
    expect(await sixgate.direct(session).run(PROBE)).toMatchObject({ status: 'ok', value: 'ran' })
    const [root] = (await session.chain('c1')).toReversed()
    expect(root).toMatchObject({ layer: 'guard', matched_rule: 'origin:host' })
  })

  it('is in nobody’s hands but the host’s: neither a session nor an executor has it', async () => {
    const handed: object[] = []
    const host = inMemory({
      policy: OPEN,
      tools: [aTool((_, context) => void handed.push(context, context.session))],
    })
    const session = await host.session()
    await session.run(PROBE)

    for (const one of [session, ...handed]) expect('direct' in one).toBe(false)
    const forged = { id: session.id, revision: session.revision } as Session
    expect(() => host.sixgate.direct(forged)).toThrow(
      expect.objectContaining({ name: 'ConfigError' }) as Error,
    )
  })
})

/** What the rules and the approval policy of a session make of a call, before anybody would be asked. */
async function standing(session: Session): Promise<string> {
  const { visits } = await session.check(PROBE)
  const said = visits.filter(({ layer }) => layer === 'user_rule' || layer === 'tool_approval')
  return said.findLast(({ decision }) => decision !== 'no_match')?.decision ?? 'none'
}

describe.each(['spawn', 'fork'] as const)('a child by %s', (way) => {
  const PARENT = { deny: ['deny probe'], ask: ['ask probe'], allow: ['allow probe'], none: [] }
  const CHILD: Record<string, Delegation> = {
    deny: { rules: ['deny probe'] },
    ask: { rules: ['ask probe'] },
    allow: { toolApproval: { policy: 'whitelist_accept', whitelist: ['probe'] } },
    none: {},
  }
  const STRICTEST = ['deny', 'ask', 'allow'] as const
  const pairs = (Object.keys(PARENT) as (keyof typeof PARENT)[]).flatMap((parent) =>
    Object.keys(CHILD).map((child) => {
      const expected = STRICTEST.find((one) => parent === one || child === one) ?? 'ask'
      return [parent, child, expected] as const
    }),
  )

  it.each(pairs)(
    '[S1-02] whose parent says %s and whose own constraints say %s: %s',
    async (parent, child, expected) => {
      const host = inMemory({
        policy: { ...FULL, rules: PARENT[parent] },
        tools: [aTool(() => 'ran')],
        responder: aResponder(() => YES),
      })
      const one = await aChild(way, await host.session(), CHILD[child])

      expect(await standing(one)).toBe(expected)
      // Nobody is asked on behalf of a child: what is not allowed ends denied.
      const ends = await one.evaluate(PROBE)
      expect(ends.status).toBe(expected === 'allow' ? 'admitted' : 'denied')
    },
  )

  it('[S1-03] [S1-04] runs inside its parent’s driver and no wider, whatever it names', async () => {
    const seen: ConfineRequest[] = []
    const host = inMemory({ policy: { ...OPEN, rules: ['allow bash'] }, sandbox: noting(seen) })
    const parent = await host.session()
    const other = noting([])
    const wider: Delegation = { sandbox: { mode: 'open', writable: ['/srv'] } }
    const child = await aChild(way, parent, {
      ...wider,
      toolApproval: { policy: 'whitelist_accept', whitelist: ['bash(ls)'] },
    })

    await parent.run(bash({}))
    await child.run(bash({}))

    expect(seen).toHaveLength(2)
    expect(seen[1]?.profile.fileSystem).toEqual(seen[0]?.profile.fileSystem)
    for (const given of [{ sandbox: other }, { driver: other }, { sandbox: { driver: other } }]) {
      await expect(aChild(way, parent, given as Delegation)).rejects.toMatchObject({
        code: 'invalid_constraint',
      })
    }
  })
})

/** A driver that notes what it should confine and runs nothing. */
function noting(seen: ConfineRequest[]): SandboxDriver {
  return fakeSandbox({
    status: 'ready',
    confine: (request) => {
      seen.push(request)
      return { file: '/bin/true', args: [], environment: {}, cwd: request.cwd, pipes: [] }
    },
  })
}

describe('confirmation', () => {
  const SERVER = defineTool({
    name: 'mcp__mail__send',
    inputSchema: z.unknown(),
    needs: () => [{ kind: 'capability', name: 'external.effect' }],
    annotations: { readOnlyHint: false, openWorldHint: true },
    execute: () => 'sent',
  })
  const OWN = aTool(() => 'ran', {
    needs: () => [{ kind: 'escalation', name: 'tool_confirmation', detail: 'pays' }],
  })
  const escalated = { sandbox_permissions: 'require_escalated', justification: 'because' }
  const granted = {
    sandbox_permissions: 'request_network_grant',
    network_grant: { host: 'a.test' },
  }
  const SOURCES: readonly (readonly [string, CallRequest, string])[] = [
    ['a rule that asks', { tool: 'read', args: { file_path: 'a.txt' } }, 'ask read'],
    ['require_escalated', bash(escalated), 'builtin:escalation.host_execution'],
    ['request_network_grant', bash(granted), 'builtin:escalation.network_grant'],
    ['what the tool declares', PROBE, 'builtin:escalation.tool_confirmation'],
    ['an annotation', { tool: 'mcp__mail__send', args: {} }, 'builtin:escalation.external_effect'],
  ]
  const rules = ['ask read', 'allow bash', 'allow probe', 'allow mcp__mail']
  const policy: PolicyInput = { ...FULL, network: 'grant', rules, toolApproval: 'accept_all' }
  const parts = { tools: [bashTool, readTool(), OWN, SERVER] as readonly Tool[] }

  function readTool(): Tool {
    return aTool(() => 'text', { name: 'read', needs: () => [] })
  }

  /** Network that nobody knows is no host of a grant, so the server's tool runs under `on`. */
  const forCall = ({ tool }: CallRequest): PolicyInput =>
    tool === 'bash' ? policy : { ...policy, network: 'on' }

  it.each(SOURCES)('[S1-88] comes from %s, once, although it is allowed', async (_, call, rule) => {
    const responder = aResponder(() => YES)
    const host = open({ responder, policy: forCall(call) })

    await (await host.session()).evaluate(call)

    expect(responder.asked.map(({ decidingRule }) => decidingRule)).toEqual([rule])
  })

  it('[S1-88] comes from nowhere else: what is allowed and declares nothing asks nobody', async () => {
    const responder = aResponder(() => YES)
    const session = await open({ responder }).session()

    expect((await session.evaluate(bash({}))).status).toBe('admitted')
    expect(responder.asked).toEqual([])
  })

  it.each(SOURCES)(
    '[S1-08] by %s is denied without a provider, before any request is made',
    async (_, call) => {
      const host = open({ policy: forCall(call) })
      const requests: unknown[] = []
      host.sixgate.on('ask', (request) => void requests.push(request))
      const session = await host.session()

      expect(await session.run(call)).toMatchObject({
        status: 'denied',
        layer: 'approval_response',
        matchedRule: 'builtin:no_responder',
      })
      expect(requests).toEqual([])
      expect(ofKind(await host.records(session), 'approval')).toEqual([])
    },
  )

  it.each([
    ['terminal.auto', 'network_off'],
    ['terminal.plan', 'missing_capability'],
  ] as const)('[S1-37] of a network grant is not to be had under %s', async (profile, reason) => {
    const responder = aResponder(() => YES)
    const session = await open({ responder, policy: { profile } }).session()

    expect(await session.run(bash(granted))).toMatchObject({ status: 'denied', reason })
    expect(responder.asked).toEqual([])
  })

  it('[S1-37] of a network grant cannot come from a policy that asks nobody', async () => {
    const responder = aResponder(() => YES)
    const silent: PolicyInput = { ...policy, approvalResponse: 'never' }
    const session = await open({ responder, policy: silent }).session()

    expect(await session.run(bash(granted))).toMatchObject({ status: 'denied', reason: 'never' })
    expect(responder.asked).toEqual([])
  })

  const BAD_HOSTS = ['', ' ', '*', '*.a.test', 'a?.test', 'a.test/x', 'a\\b', 'a b', 7, null]
  const BAD_PORTS = [0, -1, 65_536, 1.5, '443', null]
  const permissions = 'request_network_grant'
  it.each([
    ...BAD_HOSTS.map((host) => ['S1-35', { ...granted, network_grant: { host } }] as const),
    ...BAD_PORTS.map(
      (port) => ['S1-34', { ...granted, network_grant: { host: 'a.test', port } }] as const,
    ),
    ['S1-34', { sandbox_permissions: permissions }] as const,
    ['S1-34', { network_grant: { host: 'a.test' } }] as const,
    ['S1-34', { ...granted, sandbox_permissions: 'use_default' }] as const,
    ['S1-42', { sandbox_permissions: 'danger_full_access' }] as const,
    ['S1-42', { sandbox_permissions: ['require_escalated'], justification: 'x' }] as const,
    ['S1-41', { sandbox_permissions: 'require_escalated' }] as const,
    ['S1-41', { ...escalated, justification: ' \n' }] as const,
  ])('[%s] is not asked for by the malformed %j', async (_, args) => {
    const responder = aResponder(() => YES)
    const session = await open({ responder }).session()

    expect(await session.run(bash(args))).toMatchObject({
      status: 'denied',
      layer: 'work_mode',
      matchedRule: 'builtin:invalid_escalation',
    })
    expect(responder.asked).toEqual([])
  })

  it('[S1-35] takes two names of one machine for two hosts', async () => {
    const network = { mode: 'grant', allow: ['localhost'] } as const
    const session = await open({ policy: { ...policy, network }, responder: 'suspend' }).session()
    const ask = (host: string): CallRequest => bash({ ...granted, network_grant: { host } })

    expect(await session.evaluate(ask('localhost'))).toMatchObject({ status: 'suspended' })
    expect(await session.evaluate(ask('127.0.0.1'))).toMatchObject({ reason: 'network_host' })
  })

  function open(more: Parameters<typeof inMemory>[0]): Host {
    const sandbox = fakeSandbox({ status: 'ready' })
    return inMemory({ policy, sandbox, ...parts, ...more })
  }
})

describe('[S1-62] a question that nobody answers in time', () => {
  const policy: PolicyInput = {
    ...FULL,
    toolApproval: 'always_ask',
    approvalResponse: { policy: 'prompt', timeoutMs: 1_000 },
  }

  it('ends denied, and a yes afterwards starts nothing', async () => {
    const [clock, gate] = [fakeClock(), aGate<Answer>()]
    let starts = 0
    const host = inMemory({
      policy,
      responder: aResponder(() => gate.promise),
      tools: [aTool(() => (starts += 1))],
      ports: { clock },
    })
    const session = await host.session()
    const running = session.run(PROBE)
    await settled()

    clock.advance(1_000)
    expect(await running).toMatchObject({ layer: 'approval_response', reason: 'expired' })
    gate.open(YES)
    await settled()

    expect(await session.run(PROBE)).toMatchObject({ reason: 'expired' })
    expect(starts).toBe(0)
  })

  it('ends denied as a ticket, whatever is answered then', async () => {
    const clock = fakeClock()
    const host = inMemory({
      policy,
      responder: 'suspend',
      tools: [aTool(() => 'ran')],
      ports: { clock },
    })
    const outcome = await (await host.session()).evaluate(PROBE)
    if (outcome.status !== 'suspended') throw new Error(outcome.status)
    clock.advance(1_000)

    expect(await host.sixgate.resolve(outcome.ticket, PROBE, YES, ME)).toMatchObject({
      status: 'denied',
      reason: 'expired',
    })
  })

  it.each([
    { onTimeout: 'approve' },
    { timeoutAction: 'auto_approve' },
    { timeoutMs: 0 },
    { policy: 'auto_approve' },
  ])('cannot be told to end otherwise: %j is no policy', (more) => {
    const approvalResponse = { policy: 'prompt', timeoutMs: 1_000, ...more } as never

    expect(() => definePolicy({ ...FULL, approvalResponse })).toThrow(
      expect.objectContaining({ name: 'ConfigError' }) as Error,
    )
  })
})

describe('[S1-33] the network of a command', () => {
  it.each(['off', 'grant', 'on'] as const)(
    'is none without a grant, also where the policy says `%s`',
    async (network) => {
      const seen: ConfineRequest[] = []
      const policy: PolicyInput = { ...FULL, network, rules: ['allow bash'] }
      const host = inMemory({ policy, sandbox: noting(seen) })

      await (await host.session()).run(bash({}))

      expect(seen.map(({ profile }) => profile.network)).toEqual(['none'])
    },
  )

  it.each([
    { sandbox: { network: 'on' } },
    { sandbox: { http: ['a.test'] } },
    { sandbox: { mode: 'workspace_write', proxy: true } },
    { network: { mode: 'open' } },
    { network: { mode: 'on', mediated: true } },
    { network: 'mediated' },
  ])('cannot be opened in general: %j is no policy', (given) => {
    expect(() => definePolicy(given as never)).toThrow(
      expect.objectContaining({ name: 'ConfigError' }) as Error,
    )
  })
})

describe('[S1-60] the parts that run tools', () => {
  it('are no public names: what runs a call is a session', () => {
    const names = Object.keys(entry).filter((name) => /regist|execut|dispatch|exec|run/i.test(name))

    expect(names).toEqual([])
  })

  it('do nothing by themselves: an executor without the context of a call starts nothing', async () => {
    const { ground } = inMemory()
    const file = join(ground.workspace, 'ran')
    const run = async (): Promise<unknown> =>
      bashTool.execute?.({ command: `touch ${file}` }, {} as ToolContext)

    await expect(run()).rejects.toThrow()
    expect(ground.text(file)).toBeNull()
  })

  it.each<[string, PolicyInput]>([
    ['a rule', { ...OPEN, rules: ['deny probe'] }],
    ['a mode', { workMode: 'plan' }],
    ['a question without anybody', { ...FULL, toolApproval: 'always_ask' }],
    ['a sandbox that is not there', { ...OPEN, rules: ['allow probe'] }],
  ])('are no way on after a denial by %s', async (_, policy) => {
    let starts = 0
    const probe = defineTool({
      name: 'probe',
      inputSchema: z.unknown(),
      runsIn: 'sandbox',
      needs: () => runs('ls'),
      execute: () => (starts += 1),
    })
    const session = await inMemory({ policy, tools: [probe] }).session()

    expect(await session.run(PROBE)).toMatchObject({ status: 'denied' })
    expect(starts).toBe(0)
  })
})

it('[S1-51] the threat model names every input that is not trusted', () => {
  const page = readFileSync('docs/threat-model.md', 'utf8')
  const section = page.slice(page.indexOf('## Adversaries'), page.indexOf('## Trust base'))

  for (const input of [
    'model output',
    'repository content',
    'command output',
    'fetched content',
    'skill text',
    'MCP results',
  ]) {
    expect(section).toContain(input)
  }
})
