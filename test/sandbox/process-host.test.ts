/** Commands outside of every sandbox: only where none works, the host opted in and named what is lacking (H-25). */

import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { PolicyInput } from '../../src/contract/policy.js'
import type { SandboxDriver } from '../../src/contract/sandbox.js'
import { GUARANTEES, type Guarantee } from '../../src/core/guarantee.js'
import { definePolicy } from '../../src/policy/define.js'
import { createNativeSandbox, openSandbox } from '../../src/sandbox/entry.js'
import { processHostFallback } from '../../src/sandbox/process-host/opt-in.js'
import { startVariable } from '../../src/platform/start-environment.js'
import { createTestSixgate } from '../../src/testing/create-test-sixgate.js'
import { fakeSandbox } from '../../src/testing/fake-sandbox.js'
import { memoryStore } from '../../src/store/memory.js'
import { bash } from '../../src/tools/builtin/bash.js'

/** Everything that Linux demands and a process group does not keep. */
const LACKING: readonly Guarantee[] = [
  'write_confinement',
  'read_masking',
  'egress_block',
  'listen_block',
  'unix_socket_block',
  'metadata_protection',
  'descendant_kill',
  'env_scrub',
  'syscall_filter',
]

let base = ''
let workspace = ''
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'sixgate-process-host-')))
  workspace = join(base, 'ws')
  mkdirSync(workspace)
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

/** A machine without a launcher, and a host that says this about it. */
function broken(processHost: { allow?: boolean; waive: readonly Guarantee[] }): SandboxDriver {
  return createNativeSandbox({ launcher: '/nonexistent/bwrap', processHost })
}

describe('a command without a sandbox', () => {
  it('[S1-30] runs on the host that opted in, in its bounds, and says where it ran', async () => {
    const driver = broken({ allow: true, waive: LACKING })
    const handle = await openSandbox({ driver, workspace })
    const run = await handle.exec({
      command: 'echo $BASH_VERSION; (setsid sleep 0.4 &) ; yes',
      timeoutMs: 9000,
    })

    expect(handle.report).toMatchObject({ status: 'ready', cause: /outside of every sandbox/ })
    expect(handle.report.guarantees['limits.output']).toEqual({ status: 'enforced' })
    for (const name of LACKING) {
      expect(handle.report.guarantees[name]).toMatchObject({ status: 'unenforceable' })
    }
    expect(run).toMatchObject({ driver: 'process-host', started: true, killedBy: 'output_limit' })
    expect(run.stdout).toMatch(/^\d+\./)
    expect(run.stdout.length).toBe(1_048_576)
  })

  it('[S1-30] ends its process group on time', async () => {
    const handle = await openSandbox({ driver: broken({ allow: true, waive: LACKING }), workspace })
    const run = await handle.exec({ command: 'sleep 8642 & sleep 8642', timeoutMs: 300 })

    expect(run.killedBy).toBe('timeout')
    const alive = readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && isSleeping(pid))
    expect(alive).toEqual([])
  })

  it('[S1-30] is confined all the same where the sandbox works', async (context) => {
    const handle = await openSandbox({
      driver: createNativeSandbox({ processHost: { allow: true, waive: [...GUARANTEES] } }),
      workspace,
    })
    if ((await createNativeSandbox().probe()).status !== 'ready') return context.skip('no sandbox')

    expect(await handle.exec({ command: `touch ${base}/x` })).toMatchObject({
      driver: 'bubblewrap',
    })
    expect(existsSync(join(base, 'x'))).toBe(false)
  })

  it.each([
    ['says no', { allow: false, waive: LACKING }],
    ['says nothing', { waive: LACKING }],
  ])('[S1-20] is an error when the host %s', async (_, processHost) => {
    const handle = await openSandbox({ driver: broken(processHost), workspace })

    await expect(handle.exec({ command: 'touch ran' })).rejects.toMatchObject({
      code: 'unavailable',
      remedy: /apt-get install/,
    })
    expect(existsSync(join(workspace, 'ran'))).toBe(false)
  })

  it.each(LACKING)('[H-25] is an error when the host does not name %s', async (left) => {
    const waive = LACKING.filter((name) => name !== left)
    const handle = await openSandbox({ driver: broken({ allow: true, waive }), workspace })

    await expect(handle.exec({ command: 'touch ran' })).rejects.toMatchObject({
      code: 'unavailable',
      message: `the driver does not enforce ${left}`,
    })
    expect(existsSync(join(workspace, 'ran'))).toBe(false)
  })

  it('[H-25] is an error under a profile that writes nothing', async () => {
    const driver = broken({ allow: true, waive: [...GUARANTEES] })
    const handle = await openSandbox({ driver, workspace, profile: { mode: 'read_only' } })

    await expect(handle.exec({ command: 'touch ran' })).rejects.toMatchObject({
      code: 'unavailable',
    })
    expect(existsSync(join(workspace, 'ran'))).toBe(false)
  })

  it('starts in no folder outside of the workspace', async () => {
    const handle = await openSandbox({ driver: broken({ allow: true, waive: LACKING }), workspace })

    await expect(handle.exec({ command: 'touch ran', cwd: base })).rejects.toMatchObject({
      code: 'workspace_refused',
    })
  })

  it('lists the control files of repositories that appeared', async () => {
    const handle = await openSandbox({ driver: broken({ allow: true, waive: LACKING }), workspace })
    const run = await handle.exec({ command: 'git init -q made' })

    expect((run as { newControlFiles?: readonly string[] }).newControlFiles).toContain(
      join(workspace, 'made/.git/config'),
    )
  })

  it('[S1-32] has no handle where the workspace is a file or absent', async () => {
    const driver = broken({ allow: true, waive: LACKING })
    writeFileSync(join(base, 'file'), '')

    for (const name of ['file', 'absent']) {
      await expect(openSandbox({ driver, workspace: join(base, name) })).rejects.toMatchObject({
        code: 'workspace_refused',
      })
    }
  })

  it('[S1-13] goes to the driver that the host handed in, whatever else the host allows', async () => {
    const driver = fakeSandbox({ status: 'unavailable' })
    const handle = await openSandbox({ driver, workspace })

    await expect(handle.exec({ command: 'touch ran' })).rejects.toMatchObject({
      code: 'unavailable',
    })
    expect(existsSync(join(workspace, 'ran'))).toBe(false)
  })
})

describe('the variable SIXGATE_ALLOW_PROCESS_HOST', () => {
  const withWaive = (text: string | null): unknown =>
    processHostFallback({ waive: LACKING }, text, 'linux')

  it.each(['1', 'true', 'yes', 'on', ' TRUE\n', 'Yes', '\tOn '])(
    '[S1-31] opts in by %j',
    (text) => {
      expect(withWaive(text)).toMatchObject({ driver: { name: 'process-host' }, waive: LACKING })
    },
  )

  it.each([null, '', '0', 'false', 'no', 'off', 'y', '2', 'true!', 'enable'])(
    '[S1-31] does not opt in by %j',
    (text) => {
      expect(withWaive(text)).toBeUndefined()
    },
  )

  it('[H-25] waives nothing by itself', () => {
    expect(processHostFallback(undefined, '1', 'linux')).toMatchObject({ waive: [] })
  })

  it('gives way to an option that says no', () => {
    expect(processHostFallback({ allow: false, waive: LACKING }, '1', 'linux')).toBeUndefined()
  })

  it('refuses a name that is no guarantee', () => {
    const waive = ['everything'] as unknown as readonly Guarantee[]

    expect(() => processHostFallback({ waive }, null, 'linux')).toThrowError(
      expect.objectContaining({ name: 'ConfigError', code: 'invalid_option' }),
    )
  })

  it('[S1-31] counts only if the process was started with it', async () => {
    const out = join(base, 'program.mjs')
    const text = `
      import { createNativeSandbox } from './src/sandbox/entry.ts'
      process.title = 'a title that is long enough to lie over what stood there before, many times over'
      process.env.SIXGATE_ALLOW_PROCESS_HOST = process.env.LATER ?? process.env.SIXGATE_ALLOW_PROCESS_HOST
      console.log(createNativeSandbox().fallback?.driver.name ?? 'none')`
    await build({
      stdin: { contents: text, resolveDir: process.cwd(), loader: 'ts' },
      outfile: out,
      bundle: true,
      platform: 'node',
      format: 'esm',
      logLevel: 'error',
    })
    const said = (env: Record<string, string>): string =>
      execFileSync(process.execPath, [out], { env, encoding: 'utf8' }).trim()

    expect(said({ SIXGATE_ALLOW_PROCESS_HOST: ' On ' })).toBe('process-host')
    expect(said({ LATER: '1' })).toBe('none')
    expect(said({ SIXGATE_ALLOW_PROCESS_HOST: 'on', LATER: '0' })).toBe('process-host')
    expect(startVariable('PATH', join(base, 'absent'))).toBeNull()
  })
})

describe('a session on a machine without a sandbox', () => {
  async function end(
    driver: SandboxDriver,
    policy: PolicyInput,
    command = 'touch ran',
  ): Promise<readonly unknown[]> {
    const store = memoryStore()
    await using sixgate = createTestSixgate({
      policy: definePolicy({ rules: ['allow bash'], ...policy }),
      workspace,
      tools: [bash],
      sandbox: driver,
      store,
    })
    const session = await sixgate.session()
    const outcome = await session.evaluate({ tool: 'bash', args: { command } })
    if (outcome.status !== 'admitted')
      return [outcome.status, 'reason' in outcome && outcome.reason]
    const result = await session.dispatch(outcome.admission)
    const chain = await session.chain(outcome.callId)
    return [result.status, chain.find(({ layer }) => layer === 'sandbox')?.matched_rule]
  }

  it('admits under a rule that names the host, when every missing guarantee is waived', async () => {
    const driver = broken({ allow: true, waive: LACKING })

    expect(await end(driver, { workMode: 'full' })).toEqual(['ok', 'builtin:driver.process-host'])
    expect(existsSync(join(workspace, 'ran'))).toBe(true)
  })

  it.each([
    ['a policy without `fs.write`', { workMode: 'ro' as const }, LACKING],
    [
      'a read-only sandbox',
      { workMode: 'full' as const, sandbox: { mode: 'read_only' as const } },
      LACKING,
    ],
    ['one guarantee that is not named', { workMode: 'full' as const }, LACKING.slice(1)],
    [
      'a limit that is not named',
      { workMode: 'full' as const, sandbox: { limits: { processes: 9 } } },
      LACKING,
    ],
  ])('[H-25] denies under %s', async (_, policy, waive) => {
    expect(await end(broken({ allow: true, waive }), policy, 'pwd')).toEqual([
      'denied',
      'sandbox_unavailable',
    ])
    expect(existsSync(join(workspace, 'ran'))).toBe(false)
  })

  it('[S1-21] denies without an opt-in', async () => {
    expect(await end(broken({ waive: LACKING }), { workMode: 'full' })).toEqual([
      'denied',
      'sandbox_unavailable',
    ])
  })
})

function isSleeping(pid: string): boolean {
  try {
    return execFileSync('cat', [`/proc/${pid}/cmdline`], {
      encoding: 'latin1',
      stdio: 'pipe',
    }).includes('8642')
  } catch {
    return false
  }
}
