/** What every sandbox driver must keep, whatever the operating system (sandbox.md §1, §2). */

import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ExecResult, ProbeReport, SandboxDriver } from '../../src/contract/sandbox.js'
import { GUARANTEES } from '../../src/core/guarantee.js'
import { runConfined } from '../../src/platform/process/spawn.js'
import { NO_GUARD, type GuardedRequest } from '../../src/sandbox/protection/guard.js'

/** Joins a driver to the suite. `make` gives a fresh driver each time. */
export function sandboxDriverContract(name: string, make: () => SandboxDriver): void {
  describe(`the driver ${name}`, () => {
    const base = realpathSync(mkdtempSync(join(tmpdir(), 'sixgate-contract-')))
    const workspace = join(base, 'ws')
    let report: ProbeReport
    beforeAll(async () => {
      mkdirSync(workspace)
      report = await make().probe()
    })
    afterAll(() => rmSync(base, { recursive: true, force: true }))

    /** True where the driver promises nothing here: the case then shows that it says so. */
    const promisesNot = (guarantee: keyof ProbeReport['guarantees']): boolean =>
      report.status !== 'ready' || report.guarantees[guarantee].status !== 'enforced'
    const admits = (guarantee: keyof ProbeReport['guarantees']): void =>
      expect(report.guarantees[guarantee]).toMatchObject({ status: 'unenforceable' })
    const run = (
      text: string,
      more: { readonly timeoutMs?: number } = {},
    ): Promise<Omit<ExecResult, 'driver'>> => {
      const driver = make()
      return runConfined(driver.confine(aRequest(workspace, { argv: ['/bin/sh', '-c', text] })), {
        timeoutMs: 10_000,
        outputBytes: 1_048_576,
        launcherStatus: driver.status,
        ...more,
      })
    }

    it('answers for every guarantee, with cause and remedy where it fails', () => {
      expect(Object.keys(report.guarantees).sort()).toEqual([...GUARANTEES].sort())
      for (const row of Object.values(report.guarantees)) {
        if (row.status === 'enforced') continue
        expect(row.cause).not.toBe('')
        expect(row.remedy).not.toBe('')
      }
      if (report.status === 'unavailable') {
        expect(report.cause).not.toBeNull()
        expect(Object.values(report.guarantees).some((row) => row.status === 'enforced')).toBe(
          false,
        )
      }
    })

    it('gives the same answer twice', async () => {
      const driver = make()

      expect(await driver.probe()).toEqual(await driver.probe())
    })

    it('builds text: the same request gives the same command, and nothing is touched', () => {
      if (report.status !== 'ready')
        return expect(() => make().confine(aRequest(workspace))).toThrow()
      const driver = make()
      const request = aRequest(workspace)

      expect(driver.confine(request)).toEqual(driver.confine(request))
      expect(existsSync(join(workspace, 'touched'))).toBe(false)
    })

    it('never puts an environment value on a command line that others can read', () => {
      if (report.status !== 'ready') return expect(report.status).toBe('unavailable')
      const command = make().confine(aRequest(workspace, { environment: { GIVEN: 'v4lue' } }))

      expect(command.args.join(' ')).not.toContain('v4lue')
    })

    it.each([['a\0b'], []].map((argv) => ({ argv })))('refuses the words $argv', ({ argv }) => {
      expect(() => make().confine(aRequest(workspace, { argv }))).toThrowError(
        expect.objectContaining({ name: 'SandboxError' }),
      )
    })

    it('runs a command, gives its output and its exit code', async () => {
      if (report.status !== 'ready') return expect(report.remedy).not.toBeNull()

      expect(await run('echo out; echo err >&2; exit 3')).toMatchObject({
        started: true,
        exitCode: 3,
        stdout: 'out\n',
        stderr: 'err\n',
      })
    })

    it('says not started for a program that does not exist, never a success', async () => {
      if (report.status !== 'ready') return expect(report.remedy).not.toBeNull()
      const driver = make()
      const command = driver.confine(aRequest(workspace, { argv: ['/nonexistent/program'] }))
      const result = await runConfined(command, {
        timeoutMs: 10_000,
        outputBytes: 4096,
        launcherStatus: driver.status,
      }).catch(() => ({ started: false, exitCode: null }))

      expect(result).toMatchObject({ started: false, exitCode: null })
    })

    it('keeps writes inside the writable roots', async () => {
      const text = `echo x > ${workspace}/in; echo x > ${base}/beside`
      if (promisesNot('write_confinement')) return admits('write_confinement')
      await run(text)

      expect(readFileSync(join(workspace, 'in'), 'utf8')).toBe('x\n')
      expect(existsSync(join(base, 'beside'))).toBe(false)
    })

    it('keeps the environment of the host out', async () => {
      process.env['CONTRACT_CANARY'] = 's3cr3t'
      if (promisesNot('env_scrub')) return admits('env_scrub')
      const { stdout } = await run('env; echo GIVEN=$GIVEN')
      delete process.env['CONTRACT_CANARY']

      expect(stdout).not.toContain('s3cr3t')
      expect(stdout).toContain('GIVEN=twin')
    })

    it('ends on time with all of its descendants', async () => {
      const mark = join(workspace, 'late')
      if (promisesNot('descendant_kill')) return admits('descendant_kill')
      const result = await run(`(setsid sh -c 'sleep 0.6; touch ${mark}' &); sleep 5`, {
        timeoutMs: 200,
      })
      await new Promise((resolve) => setTimeout(resolve, 700))

      expect(result).toMatchObject({ started: true, killedBy: 'timeout', exitCode: null })
      expect(existsSync(mark)).toBe(false)
    })
  })
}

function aRequest(workspace: string, parts: Partial<GuardedRequest> = {}): GuardedRequest {
  return {
    profile: {
      fileSystem: { mode: 'workspace_write', workspace, writable: [], readable: [], hidden: [] },
      network: 'none',
      environment: { pass: [] },
      limits: {
        timeoutMs: 10_000,
        outputBytes: 1_048_576,
        diskBytes: 1 << 24,
        processes: null,
        memoryBytes: null,
      },
    },
    argv: ['/bin/sh', '-c', 'touch touched'],
    cwd: workspace,
    environment: { PATH: '/usr/bin:/bin', GIVEN: 'twin' },
    guard: NO_GUARD,
    ...parts,
  }
}
