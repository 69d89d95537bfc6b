import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { SandboxDriver, SandboxProfile } from '../contract/sandbox.js'
import { systemMachine } from '../platform/machine.js'
import { processHost } from './process-host/driver.js'
import { createSandboxRunner } from './runner.js'
import { createNativeSandbox } from './select.js'

const workspace = realpathSync(mkdtempSync(join(tmpdir(), 'sixgate-runner-')))
afterAll(() => rmSync(workspace, { recursive: true, force: true }))

const PROFILE: SandboxProfile = {
  fileSystem: { mode: 'workspace_write', workspace, writable: [], readable: [], hidden: [] },
  network: 'none',
  environment: { pass: [] },
  limits: {
    timeoutMs: 5000,
    outputBytes: 4096,
    diskBytes: 1 << 24,
    processes: null,
    memoryBytes: null,
  },
}
const INSIDE = { unconfined: false } as const
const OUTSIDE = { unconfined: true } as const

describe('a runner without a boundary', () => {
  it('[S1-20] refuses every sandboxed call when there is no driver', async () => {
    const runner = createSandboxRunner(null)

    expect(await runner.facts()).toMatchObject({ status: 'unavailable' })
    await expect(runner.exec(PROFILE, { command: 'true' }, INSIDE)).rejects.toMatchObject({
      code: 'unavailable',
    })
  })

  it('[S1-22] refuses when the probe throws', async () => {
    const driver: SandboxDriver = {
      ...processHost(),
      probe: () => Promise.reject(new TypeError('broken')),
    }
    const runner = createSandboxRunner(driver)

    expect(await runner.facts()).toMatchObject({ status: 'unavailable' })
    await expect(runner.exec(PROFILE, { command: 'true' }, INSIDE)).rejects.toMatchObject({
      code: 'unavailable',
    })
  })

  it('does not take the host for a sandbox', async () => {
    const runner = createSandboxRunner(processHost())

    await expect(runner.exec(PROFILE, { command: 'true' }, INSIDE)).rejects.toMatchObject({
      code: 'unavailable',
    })
  })

  it('[S1-16] has no driver on another system', async () => {
    const platform = 'other'
    const driver = createNativeSandbox({ machine: { ...systemMachine(), platform } })

    expect(await driver.probe()).toMatchObject({ status: 'unavailable' })
    expect(() =>
      driver.confine({ profile: PROFILE, argv: ['true'], cwd: '/', environment: {} }),
    ).toThrowError(expect.objectContaining({ code: 'unsupported_platform' }))
  })

  it('probes once', async () => {
    let probes = 0
    const host = processHost()
    const runner = createSandboxRunner({ ...host, probe: () => (probes++, host.probe()) })
    await Promise.all([runner.facts(), runner.facts(), runner.report()])

    expect(probes).toBe(1)
  })
})

describe('an unconfined call', () => {
  const runner = createSandboxRunner(null, {
    machine: {
      ...systemMachine(),
      environment: { PATH: `${workspace}:/usr/bin:/bin`, HOME: '/home/me', CANARY: 'x' },
    },
  })

  it('runs on the host and says so', async () => {
    const result = await runner.exec(PROFILE, { command: 'pwd' }, OUTSIDE)

    expect(result).toMatchObject({ driver: 'none', started: true, stdout: `${workspace}\n` })
  })

  it('keeps the allowlist, the real home and a PATH without the workspace', async () => {
    const { stdout } = await runner.exec(PROFILE, { command: 'env' }, OUTSIDE)

    expect(stdout).toMatch(/^HOME=\/home\/me$/m)
    expect(stdout).toMatch(/^PATH=\/usr\/bin(?::\/bin)?$/m)
    expect(stdout).not.toContain('CANARY')
  })

  it('keeps the bounds of time and output', async () => {
    const slow = await runner.exec(PROFILE, { command: 'sleep 9', timeoutMs: 100 }, OUTSIDE)
    const loud = await runner.exec(PROFILE, { command: 'yes' }, OUTSIDE)

    expect(slow.killedBy).toBe('timeout')
    expect(loud).toMatchObject({ killedBy: 'output_limit', truncated: true })
    expect(loud.stdout.length).toBe(4096)
  })
})

describe('a request', () => {
  const runner = createSandboxRunner(null)

  it.each([
    ['both forms of a command', { command: 'a', argv: ['b'] }],
    ['no command', {}],
    ['an empty argument list', { argv: [] }],
  ])('is refused with %s', async (_, request) => {
    await expect(runner.exec(PROFILE, request, OUTSIDE)).rejects.toMatchObject({
      code: 'setup_failed',
    })
  })

  it.each([0, -1, Number.NaN])('is refused with the time limit %s', async (timeoutMs) => {
    await expect(
      runner.exec(PROFILE, { command: 'true', timeoutMs }, OUTSIDE),
    ).rejects.toMatchObject({ code: 'invalid_limit' })
  })
})
