/** Nothing running keeps a wider boundary than the policy in force (pipeline.md §6). */

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { PolicyInput } from '../../src/contract/policy.js'
import type { Result } from '../../src/contract/outcome.js'
import { definePolicy } from '../../src/policy/define.js'
import { createNativeSandbox } from '../../src/sandbox/select.js'
import { aGate, aGround, aResponder, aTool, OPEN, YES, type Host } from '../builders/session.js'
import { ofKind, useHosts } from './hosts.js'

const { inMemory } = useHosts()

/** Starts a command that leaves a mark each tenth of a second, moves the policy, and gives what became of it. */
async function moved(
  from: PolicyInput,
  to: PolicyInput,
  args: Readonly<Record<string, unknown>> = {},
): Promise<{ readonly result: Result<unknown>; readonly host: Host }> {
  const ground = aGround()
  mkdirSync(join(ground.outside, 'w'))
  const writable = (policy: PolicyInput): PolicyInput =>
    JSON.parse(JSON.stringify(policy).replaceAll('OUT', ground.outside)) as PolicyInput
  const host = inMemory(
    {
      policy: writable(from),
      sandbox: createNativeSandbox(),
      responder: aResponder(() => YES),
    },
    ground,
  )
  const live = await host.session()
  const running = live.run({
    callId: 'c1',
    tool: 'bash',
    args: {
      command: 'touch begun; for i in 1 2 3 4 5 6; do sleep 0.1; done; touch finished',
      ...args,
    },
  })
  await until(() => ground.text(join(ground.workspace, 'begun')) !== null)
  await host.sixgate.replacePolicy(live, definePolicy(writable(to)))
  const result = await running
  return { result, host }
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 10))
}

const SANDBOX = { mode: 'workspace_write', writable: ['OUT/w'], readable: ['OUT'] } as const

describe('a command that runs', () => {
  it.each<[string, PolicyInput]>([
    ['a read-only file system', { ...OPEN, sandbox: { ...SANDBOX, mode: 'read_only' } }],
    ['one writable folder less', { ...OPEN, sandbox: { ...SANDBOX, writable: [] } }],
    ['one readable folder less', { ...OPEN, sandbox: { ...SANDBOX, readable: [] } }],
    ['no right to write', { ...OPEN, workMode: 'ro', sandbox: SANDBOX }],
    ['fewer variables', { ...OPEN, sandbox: { ...SANDBOX, environment: { pass: [] } } }],
    ['less output', { ...OPEN, sandbox: { ...SANDBOX, limits: { outputBytes: 1_000 } } }],
    ['a rule against it', { ...OPEN, sandbox: SANDBOX, rules: ['deny bash'] }],
    ['a question about it', { ...OPEN, sandbox: SANDBOX, rules: ['ask bash'] }],
  ])('is stopped by %s', async (_, to) => {
    const environment = { pass: ['SIXGATE_TEST_VARIABLE'] }

    const { result, host } = await moved({ ...OPEN, sandbox: { ...SANDBOX, environment } }, to)

    expect(result).toMatchObject({ status: 'revoked', started: true, effects: 'unknown' })
    await new Promise((resolve) => setTimeout(resolve, 700))
    expect(host.ground.text(join(host.ground.workspace, 'finished'))).toBeNull()
  })

  it.each<[string, PolicyInput]>([
    ['the same boundary', { ...OPEN, sandbox: SANDBOX, rules: ['deny read(never)'] }],
    ['a wider boundary', { ...OPEN, sandbox: { ...SANDBOX, writable: ['OUT'] } }],
    [
      'a writable folder around the old one',
      { ...OPEN, sandbox: { ...SANDBOX, writable: ['OUT'] } },
    ],
    ['more time', { ...OPEN, sandbox: { ...SANDBOX, limits: { timeoutMs: 200_000 } } }],
  ])('goes on under %s', async (_, to) => {
    const { result, host } = await moved({ ...OPEN, sandbox: SANDBOX }, to)

    expect(result.status).toBe('ok')
    expect(host.ground.text(join(host.ground.workspace, 'finished'))).toBe('')
  })

  it('has the time that a shorter limit leaves', async () => {
    const limits = { timeoutMs: 300 }

    const { result, host } = await moved(
      { ...OPEN, sandbox: SANDBOX },
      { ...OPEN, sandbox: { ...SANDBOX, limits } },
    )

    expect(result).toMatchObject({ status: 'timeout', started: true, effects: 'unknown' })
    expect(host.ground.text(join(host.ground.workspace, 'finished'))).toBeNull()
  })

  it('outside every sandbox ends when the policy takes a right that such a call needs', async () => {
    const escape = { sandbox_permissions: 'require_escalated', justification: 'why' }

    const { result } = await moved(
      { ...OPEN, sandbox: SANDBOX },
      { ...OPEN, sandbox: SANDBOX, network: 'off' },
      escape,
    )

    expect(result).toMatchObject({ status: 'revoked', started: true })
  })
})

describe('a tool in the process', () => {
  it('reads nothing below its folder that a new rule keeps from it', async () => {
    const [begun, go] = [aGate(), aGate()]
    const tool = aTool(
      async (_, { files }) => {
        begun.open()
        await go.promise
        return new TextDecoder().decode(await files.read('./secret/key'))
      },
      { needs: () => [{ kind: 'path', access: 'read', path: '.' }] },
    )
    const host = inMemory({ tools: [tool] })
    mkdirSync(join(host.ground.workspace, 'secret'))
    writeFileSync(join(host.ground.workspace, 'secret/key'), 'THE KEY')
    const live = await host.session()
    const running = live.run({ callId: 'c1', tool: 'probe', args: {} })
    await begun.promise

    await host.sixgate.replacePolicy(
      live,
      definePolicy({ ...OPEN, rules: ['deny read(secret/key)'] }),
    )
    go.open()
    const result = await running

    expect(JSON.stringify(result)).not.toContain('THE KEY')
    expect(['error', 'revoked']).toContain(result.status)
    expect(ofKind(await host.records(live), 'intent')).toHaveLength(1)
  })

  it('writes nothing after a policy took the folder away', async () => {
    const [begun, go] = [aGate(), aGate()]
    const tool = aTool(
      async (_, { files }) => {
        begun.open()
        await go.promise
        await files.write('late.txt', 'late')
      },
      { needs: () => [{ kind: 'path', access: 'write', path: 'late.txt' }] },
    )
    const host = inMemory({ tools: [tool] })
    const live = await host.session()
    const running = live.run({ callId: 'c1', tool: 'probe', args: {} })
    await begun.promise

    await host.sixgate.replacePolicy(
      live,
      definePolicy({ ...OPEN, sandbox: { mode: 'read_only' } }),
    )
    go.open()

    expect(await running).toMatchObject({ status: 'revoked', started: true, effects: 'unknown' })
    await live.close()
    expect(host.ground.text(join(host.ground.workspace, 'late.txt'))).toBeNull()
    expect(ofKind(await host.records(live), 'late_result')).toMatchObject([{ status: 'error' }])
  })
})
