/** The terminal profiles (pipeline.md §7): thirty cells, one test each, and what else a profile says. */

import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { PolicyInput } from '../../src/contract/policy.js'
import type { CallRequest } from '../../src/contract/session.js'
import type { Tool } from '../../src/contract/tool.js'
import { ConfigError } from '../../src/core/errors.js'
import type { Need } from '../../src/core/need.js'
import { definePolicy } from '../../src/policy/define.js'
import { unite } from '../../src/policy/unite.js'
import { fakeSandbox } from '../../src/testing/fake-sandbox.js'
import { bash } from '../../src/tools/builtin/bash.js'
import { read } from '../../src/tools/builtin/read.js'
import { write } from '../../src/tools/builtin/write.js'
import { defineTool } from '../../src/tools/define-tool.js'
import { aHost, aResponder, YES, type Host } from '../builders/session.js'

const hosts: Host[] = []
afterEach(async () => {
  for (const host of hosts.splice(0)) {
    await host.sixgate[Symbol.asyncDispose]()
    await host.verify()
    host.ground.clear()
  }
})

const CONFIRMED: Tool<unknown> = own('pay', () => [
  { kind: 'capability', name: 'external.effect' },
  { kind: 'escalation', name: 'tool_confirmation', detail: 'pays' },
])

/** Its annotations are those of a server's tool that writes somewhere. */
const ANNOTATED: Tool<unknown> = own(
  'mcp__mail__send',
  () => [{ kind: 'capability', name: 'external.effect' }],
  { readOnlyHint: false, openWorldHint: true },
)

function own(
  name: string,
  needs: () => readonly Need[],
  annotations?: Readonly<Record<string, boolean>>,
): Tool<unknown> {
  return defineTool({ name, inputSchema: z.unknown(), needs, annotations, execute: () => 'done' })
}

const CALLS = {
  'plain bash': { tool: 'bash', args: { command: 'ls' } },
  'explicit host bash': {
    tool: 'bash',
    args: { command: 'ls', sandbox_permissions: 'require_escalated', justification: 'because' },
  },
  'protected metadata': { tool: 'write', args: { file_path: 'AGENTS.md', content: '' } },
  'tool-owned confirmation': { tool: 'pay', args: {} },
  'annotated external effect': { tool: 'mcp__mail__send', args: {} },
} satisfies Record<string, CallRequest>
type CallClass = keyof typeof CALLS

type End = 'sbx' | 'ask1' | 'deny'
type Cells = Record<CallClass, End>
type Terminal = 'terminal.default' | 'terminal.plan' | 'terminal.auto'

const ALL = (end: End): Cells => ({
  'plain bash': end,
  'explicit host bash': end,
  'protected metadata': end,
  'tool-owned confirmation': end,
  'annotated external effect': end,
})

const MATRIX: Record<Terminal, Record<'ready' | 'unavailable', Cells>> = {
  'terminal.default': {
    ready: { ...ALL('ask1'), 'plain bash': 'sbx' },
    unavailable: ALL('ask1'),
  },
  'terminal.plan': { ready: ALL('deny'), unavailable: ALL('deny') },
  'terminal.auto': {
    ready: { ...ALL('deny'), 'plain bash': 'sbx' },
    unavailable: ALL('deny'),
  },
}

const CELLS = (Object.keys(MATRIX) as Terminal[]).flatMap((profile) =>
  (['ready', 'unavailable'] as const).flatMap((status) =>
    (Object.keys(CALLS) as CallClass[]).map(
      (name) => [profile, status, name, MATRIX[profile][status][name]] as const,
    ),
  ),
)

/** Whoever is asked says yes, so that what is denied is denied without a question. */
async function end(
  policy: PolicyInput,
  status: 'ready' | 'unavailable',
  call: CallRequest,
): Promise<{ readonly end: End; readonly asked: number }> {
  const responder = aResponder(() => YES)
  const tools = [bash, read, write, CONFIRMED, ANNOTATED]
  const host = aHost({ policy, tools, responder, sandbox: fakeSandbox({ status }) })
  hosts.push(host)
  const session = await host.session()
  const outcome = await session.evaluate({ ...call, callId: 'c1' })
  const asked = responder.asked.length
  if (outcome.status === 'denied') return { end: 'deny', asked }
  const head = (await session.chain('c1'))[0]
  const isConfined = head?.matched_rule?.startsWith('builtin:driver.') === true
  return { end: asked > 0 ? 'ask1' : isConfined ? 'sbx' : 'deny', asked }
}

describe('the thirty cells', () => {
  it('are thirty', () => {
    expect(CELLS).toHaveLength(30)
  })

  it.each(CELLS)('[S1-47] %s with a sandbox that is %s: %s is %s', async (...cell) => {
    const [profile, status, name, expected] = cell

    const found = await end({ profile }, status, CALLS[name])

    expect(found).toEqual({ end: expected, asked: expected === 'ask1' ? 1 : 0 })
  })

  it('[S1-50] one confirmation is for one call: the next one asks again', async () => {
    const responder = aResponder(() => YES)
    const host = aHost({
      policy: { profile: 'terminal.default' },
      tools: [CONFIRMED],
      responder,
    })
    hosts.push(host)
    const session = await host.session()

    await session.run({ tool: 'pay', args: {} })
    await session.run({ tool: 'pay', args: {} })

    expect(responder.asked).toHaveLength(2)
  })

  it('[S1-48] plan neither runs commands nor writes, and asks nobody about it', async () => {
    for (const call of [
      CALLS['plain bash'],
      { tool: 'write', args: { file_path: 'b.txt', content: '' } },
      { tool: 'read', args: { file_path: '/etc/shadow' } },
    ]) {
      expect(await end({ profile: 'terminal.plan' }, 'ready', call)).toEqual({
        end: 'deny',
        asked: 0,
      })
    }
  })

  it('[S1-49] auto never asks, whatever its rules say', async () => {
    const policy = { profile: 'terminal.auto', rules: ['ask *'] } as const
    const call = { tool: 'read', args: { file_path: 'a.txt' } }

    expect(await end(policy, 'ready', call)).toEqual({ end: 'deny', asked: 0 })
  })
})

describe('a profile', () => {
  it.each([
    ['terminal.default', 'full', 'grant', 'accept_all', 'prompt', 'workspace_write', 'ask_host'],
    ['terminal.plan', 'plan', 'off', 'accept_all', 'never', 'workspace_write', 'deny'],
    ['terminal.auto', 'rw', 'off', 'accept_all', 'never', 'workspace_write', 'deny'],
    ['unrestricted', 'full', 'on', 'accept_all', 'prompt', 'workspace_write', 'deny'],
  ] as const)('%s is its keys written out', (...row) => {
    const [profile, workMode, network, toolApproval, approvalResponse, mode, onUnavailable] = row
    const sandbox = { mode, onUnavailable }
    const written = definePolicy({ workMode, network, toolApproval, approvalResponse, sandbox })

    expect(unite([definePolicy({ profile })])).toEqual(unite([written]))
  })

  it('gives way to every other key of the document, whichever way the set is stated', () => {
    const axes = unite([
      definePolicy({
        profile: 'terminal.default',
        capabilities: ['fs.read'],
        network: 'off',
        toolApproval: 'always_ask',
      }),
    ])

    expect(axes.capabilities).toEqual(['fs.read'])
    expect(axes.network.mode).toBe('off')
    expect(axes.toolApproval).toMatchObject([{ policy: 'always_ask' }])
    expect(axes.approvalResponse.policy).toBe('prompt')
  })

  it.each(['terminal', 'terminal.Default', 'yolo', '__proto__', 'toString', 7, null])(
    'that does not exist is refused with the names that do: %j',
    (profile) => {
      const define = (): unknown => definePolicy({ profile } as unknown as PolicyInput)

      expect(define).toThrow(ConfigError)
      expect(define).toThrow(
        expect.objectContaining({
          code: 'invalid_value',
          path: ['profile'],
          allowed: ['terminal.default', 'terminal.plan', 'terminal.auto', 'unrestricted'],
        }) as Error,
      )
    },
  )

  it('is for policies alone: a child cannot be given one', async () => {
    const host = aHost({ policy: { profile: 'unrestricted' } })
    hosts.push(host)
    const session = await host.session()
    const constraints = { profile: 'unrestricted' } as object

    await expect(session.spawn(constraints)).rejects.toMatchObject({ code: 'invalid_constraint' })
  })

  it('[S1-85] unrestricted still records every call', async () => {
    const host = aHost({ policy: { profile: 'unrestricted' } })
    hosts.push(host)
    const session = await host.session()

    await session.run({ tool: 'read', args: { file_path: 'a.txt' }, callId: 'c1' })

    expect((await session.chain('c1')).length).toBeGreaterThan(3)
    const kinds = (await host.records(session)).map(({ kind }) => kind)
    expect(kinds).toEqual(expect.arrayContaining(['intent', 'terminal', 'step_result']))
  })
})
