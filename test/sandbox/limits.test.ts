/** Limits of processes in force for real, where a control group can be had (sandbox.md §4, E-75). */

import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmdirSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { groupsBelow } from '../../src/platform/control-group/control-group.js'
import { systemMachine } from '../../src/platform/machine.js'
import { bubblewrap } from '../../src/sandbox/bubblewrap/driver.js'
import { createNativeSandbox, openSandbox, type SandboxHandle } from '../../src/sandbox/entry.js'
import { byControlGroups } from '../../src/sandbox/limits/enforcement.js'

const workspace = realpathSync(mkdtempSync(join(tmpdir(), 'sixgate-limits-')))

/**
 * A group that this process may divide. The files of the first version's hierarchy of processes have the
 * same names as those of the second, so that the kernel's answer is real where only that one exists.
 */
const folder = ['/sys/fs/cgroup/pids', '/sys/fs/cgroup']
  .map((mount) => `${mount}/sixgate-test-${process.pid}`)
  .find(canLimit)
const reason =
  folder === undefined ? 'no control group can be made here' : await reasonWithoutSandbox()
if (reason !== null) console.warn(`limits of processes are not tried: ${reason}`)

function canLimit(path: string): boolean {
  try {
    mkdirSync(path)
    if (existsSync(`${path}/pids.max`)) return true
    rmdirSync(path)
    return false
  } catch {
    return false
  }
}

async function reasonWithoutSandbox(): Promise<string | null> {
  const report = await createNativeSandbox().probe()
  return report.status === 'ready' ? null : (report.cause ?? 'no sandbox')
}

afterAll(async () => {
  rmSync(workspace, { recursive: true, force: true })
  for (let tries = 0; folder !== undefined && existsSync(folder) && tries < 50; tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 20))
    try {
      rmdirSync(folder)
    } catch {
      // A group that is about to end is still in it.
    }
  }
})

describe.skipIf(reason !== null)('ten processes at most', () => {
  let sandbox: SandboxHandle
  beforeAll(async () => {
    const limits = byControlGroups(groupsBelow(folder ?? '', new Set(['pids'] as const)))
    const driver = bubblewrap({ machine: systemMachine(), limits })
    sandbox = await openSandbox({ driver, workspace, profile: { limits: { processes: 10 } } })
  })

  it('is what the report calls enforced, and memory is not', () => {
    expect(sandbox.report.guarantees['limits.processes']).toEqual({ status: 'enforced' })
    expect(sandbox.report.guarantees['limits.memory']).toMatchObject({ status: 'unenforceable' })
  })

  it('[E-75] stops a command that multiplies, while the host still starts programs', async () => {
    const run = await sandbox.exec({
      command: 'for i in $(seq 40); do sleep 5 & done; wait',
      timeoutMs: 2000,
    })

    expect(run.stderr).toMatch(/fork|Resource temporarily unavailable/)
    expect(execFileSync('/bin/echo', ['twin'], { encoding: 'utf8' })).toBe('twin\n')
  })

  it('lets a command have its ten', async () => {
    const run = await sandbox.exec({
      command: 'for i in $(seq 8); do sleep 0.1 & done; wait; echo ok',
    })

    expect(run).toMatchObject({ exitCode: 0, stdout: 'ok\n', stderr: '' })
  })

  it('leaves no group behind', async () => {
    await sandbox.exec({ command: 'sleep 30 & true' })
    await new Promise((resolve) => setTimeout(resolve, 300))

    expect(readdirSync(folder ?? '/').filter((name) => name.startsWith('sixgate-run-'))).toEqual([])
  })

  it('refuses memory as well, which this group cannot limit', async () => {
    const limits = byControlGroups(groupsBelow(folder ?? '', new Set(['pids'] as const)))
    const driver = bubblewrap({ machine: systemMachine(), limits })
    const both = await openSandbox({
      driver,
      workspace,
      profile: { limits: { processes: 10, memoryBytes: 1 << 28 } },
    })

    await expect(both.exec({ command: 'touch ran' })).rejects.toMatchObject({
      code: 'unenforceable_limit',
    })
    expect(existsSync(join(workspace, 'ran'))).toBe(false)
  })
})
