import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import type { PolicyInput } from '../contract/policy.js'
import type { Sixgate } from '../contract/session.js'
import { definePolicy } from '../policy/define.js'
import { bash } from '../tools/builtin/bash.js'
import { read } from '../tools/builtin/read.js'
import { write } from '../tools/builtin/write.js'
import { autoAccept } from './auto-accept.js'
import { createTestSixgate, type TestOverrides } from './create-test-sixgate.js'
import { fakeClock } from './fake-clock.js'
import { fakeSandbox } from './fake-sandbox.js'
import { seededIds } from './seeded-ids.js'

const OPTIONS = { workspace: '/ws', tools: [bash, read, write] }

function sixgate(policy: PolicyInput, overrides: TestOverrides = {}): Sixgate {
  return createTestSixgate(
    { ...OPTIONS, policy: definePolicy(policy) },
    { links: {}, home: '/home/u', ...overrides },
  )
}

describe('createTestSixgate', () => {
  test('judges paths in the virtual file system, links followed', async () => {
    const one = sixgate(
      { rules: ['allow read(/ws/**)', 'deny read(/ws/secret)'] },
      { links: { '/ws/link': '/ws/secret' } },
    )
    await using session = await one.session()

    const direct = await session.check({ tool: 'read', args: { file_path: 'a' } })
    const linked = await session.check({ tool: 'read', args: { file_path: 'link' } })

    expect([direct.decision, linked.decision]).toEqual(['allow', 'deny'])
  })

  test('decides alike wherever the programs of this machine lie', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'programs-'))
    writeFileSync(join(folder, 'mytool'), '#!/bin/sh\n', { mode: 0o755 })
    vi.stubEnv('PATH', `${folder}:${process.env['PATH'] ?? ''}`)
    const one = sixgate(
      { workMode: 'full', rules: ['allow bash(mytool:*)'] },
      { temporary: [realpathSync(tmpdir())], sandbox: 'ready' },
    )
    await using session = await one.session()

    const { decision } = await session.check({ tool: 'bash', args: { command: 'mytool a' } })
    rmSync(folder, { recursive: true })
    vi.unstubAllEnvs()

    expect(decision).toBe('allow')
  })

  test('refuses what createSixgate refuses', () => {
    const options = { ...OPTIONS, policy: definePolicy({}) }

    expect(() =>
      createTestSixgate({ ...options, workspace: '/home/u' }, { home: '/home/u' }),
    ).toThrow(expect.objectContaining({ code: 'workspace_refused' }))
    expect(() =>
      createTestSixgate({ ...options, workspace: '/ws' }, { links: {}, home: '/ws/u' }),
    ).toThrow(expect.objectContaining({ code: 'workspace_refused' }))
  })

  test.each([
    ['ready', 'allow', 'builtin:driver.fake'],
    ['unavailable', 'deny', 'builtin:sandbox_unavailable'],
    [undefined, 'deny', 'builtin:sandbox_unavailable'],
  ] as const)('pretends a sandbox that is %s', async (sandbox, decision, matchedRule) => {
    const one = sixgate({ rules: ['allow bash(ls)'] }, { sandbox })
    await using session = await one.session()

    const check = await session.check({ tool: 'bash', args: { command: 'ls' } })

    expect(check.decision).toBe(decision)
    expect(check.visits.at(-1)).toMatchObject({ layer: 'sandbox', matchedRule })
  })

  test('never runs a command on its own', async () => {
    const one = sixgate({ rules: ['allow bash(ls)'] }, { sandbox: 'ready' })
    await using session = await one.session()

    const result = await session.run({ tool: 'bash', args: { command: 'ls' } })

    expect(result).toMatchObject({ status: 'error', error: { code: 'setup_failed' } })
  })

  test('gives the same chain twice with a clock and ids of a test', async () => {
    const chain = async (): Promise<unknown> => {
      const one = sixgate({}, { clock: fakeClock(), ids: seededIds(7) })
      await using session = await one.session()
      await session.evaluate({ callId: 'c', tool: 'read', args: { file_path: 'a' } })
      return await session.chain('c')
    }

    expect(await chain()).toEqual(await chain())
  })
})

describe('fakeSandbox', () => {
  test('answers for every guarantee, the missing ones with cause and remedy', async () => {
    const { guarantees } = await fakeSandbox({
      status: 'ready',
      missing: ['limits.memory'],
    }).probe()

    expect(guarantees['limits.memory']).toMatchObject({ status: 'unenforceable' })
    expect(guarantees.write_confinement).toEqual({ status: 'enforced' })
  })

  test('runs what a test hands in', () => {
    const ran = { file: '/bin/true', args: [], environment: {}, cwd: '/', pipes: [] }
    const driver = fakeSandbox({ status: 'ready', confine: () => ran })

    expect(driver.confine({} as never)).toBe(ran)
  })
})

describe('autoAccept', () => {
  test('approves as a script, which no escalation takes for a person', async () => {
    const responder = autoAccept()

    expect(responder.kind).toBe('script')
    expect(autoAccept({ kind: 'human' }).kind).toBe('human')
    expect(await responder.ask({} as never, new AbortController().signal)).toEqual({
      answer: 'approve',
    })
    expect(responder.requests).toHaveLength(1)
  })
})
