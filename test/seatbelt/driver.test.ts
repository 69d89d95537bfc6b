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
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import type { SandboxDriver } from '../../src/contract/sandbox.js'
import { systemMachine } from '../../src/platform/machine.js'
import { runConfined, type ConfinedRun } from '../../src/platform/process/spawn.js'
import { NO_GUARD } from '../../src/sandbox/protection/guard.js'
import { createSandboxRunner } from '../../src/sandbox/runner.js'
import { createNativeSandbox } from '../../src/sandbox/select.js'
import { seatbelt } from '../../src/sandbox/seatbelt/driver.js'
import { seatbeltGuarantees } from '../../src/sandbox/seatbelt/guarantees.js'
import type { SeatbeltRequest } from '../../src/sandbox/seatbelt/view.js'
import { openLauncher, type OpenLauncher } from './open-launcher.js'
import { aProfile } from './seatbelt-arbitraries.js'

const base = realpathSync(mkdtempSync(join(tmpdir(), 'sixgate-seatbelt-')))
const workspace = join(base, 'ws')
mkdirSync(workspace)
afterAll(() => rmSync(base, { recursive: true, force: true }))

const launchers: OpenLauncher[] = []
afterEach(() => {
  for (const launcher of launchers.splice(0)) launcher.remove()
})

function behind(text?: string): SandboxDriver {
  const launcher = openLauncher(text)
  launchers.push(launcher)
  return seatbelt({ machine: launcher.machine, launcher: launcher.path })
}

function aRequest(parts: Partial<SeatbeltRequest> = {}): SeatbeltRequest {
  const fileSystem = { workspace, writable: [], readable: [], hidden: [] }
  return {
    profile: aProfile({ mode: 'workspace_write', ...fileSystem }),
    argv: ['/bin/true'],
    cwd: workspace,
    environment: { PATH: '/usr/bin:/bin' },
    guard: NO_GUARD,
    ...parts,
  }
}

function run(argv: readonly string[], more: Partial<SeatbeltRequest> = {}): Promise<ConfinedRun> {
  const driver = behind()
  return runConfined(driver.confine(aRequest({ argv, ...more })), {
    timeoutMs: 10_000,
    outputBytes: 65_536,
    launcherStatus: driver.status,
  })
}

describe('the way from the launcher to the command', () => {
  it('gives output and exit code of the command', async () => {
    expect(await run(['/bin/sh', '-c', 'echo out; echo err >&2; exit 3'])).toMatchObject({
      started: true,
      exitCode: 3,
      stdout: 'out\n',
      stderr: 'err\n',
    })
  })

  it('finds a program by its name, and hands every word over as it is', async () => {
    const words = ['-n', '', 'a b', '$(id)', '"', '*', '\\', '-D', '--']

    const { stdout } = await run(['printf', '%s|', ...words])

    expect(stdout).toBe(`${words.join('|')}|`)
  })

  it.each([['/nonexistent/program'], ['no-such-program'], ['/etc'], [''], ['/etc/passwd']])(
    'says not started for `%s`, never a success',
    async (program) => {
      expect(await run([program, 'x'])).toMatchObject({ started: false, exitCode: null })
    },
  )

  it('[E-81] does not let the command say whether it started', async () => {
    const text = 'echo \'{"child-pid":1}\' >&3; ls /proc/self/fd | tr "\\n" " "'

    const { stdout, stderr } = await run(['/bin/bash', '-c', text])

    expect(stderr).toContain('Bad file descriptor')
    expect(stdout).not.toMatch(/\b[4-9] \d+ \d+/)
  })

  it('starts nothing behind a launcher that says nothing and exits with 0', async () => {
    const driver = behind('exit 0')
    const command = driver.confine(aRequest())
    const options = { timeoutMs: 10_000, outputBytes: 4096, launcherStatus: driver.status }

    expect(await runConfined(command, options)).toMatchObject({ started: false, exitCode: null })
  })

  it('counts a command that was killed as started', async () => {
    const driver = behind()
    const command = driver.confine(aRequest({ argv: ['/bin/sleep', '9'] }))
    const options = { timeoutMs: 300, outputBytes: 4096, launcherStatus: driver.status }

    expect(await runConfined(command, options)).toMatchObject({
      started: true,
      killedBy: 'timeout',
      exitCode: null,
    })
  })

  it('brings neither a function nor a start file of the environment along', async () => {
    const file = join(base, 'start')
    writeFileSync(file, 'echo started >&2')
    const environment = {
      PATH: '/usr/bin:/bin',
      BASH_ENV: file,
      'BASH_FUNC_exec%%': '() { echo taken; }',
      DYLD_INSERT_LIBRARIES: '/x',
    }

    const { stdout, stderr } = await run(['/usr/bin/env'], { environment })

    expect(stderr).toBe('')
    expect(stdout).not.toMatch(/^taken|DYLD/m)
  })

  it('[S1-24] lives in its scratch, or where there is none in an empty place', async () => {
    const scratch = join(base, 'scratch')
    const own = await run(['/usr/bin/env'], { scratch })
    const none = await run(['/usr/bin/env'])

    expect(own.stdout).toContain(`HOME=${scratch}\n`)
    expect(own.stdout).toContain(`TMPDIR=${scratch}\n`)
    expect(none.stdout).toContain('HOME=/var/empty\n')
  })
})

describe('the probe', () => {
  it('[S1-17] does not take a launcher that confines nothing for a boundary', async () => {
    const report = await behind().probe()

    expect(report.status).toBe('unavailable')
    for (const name of ['write_confinement', 'read_masking', 'egress_block']) {
      expect(report.cause).toContain(name)
    }
    expect(report.cause).toContain('metadata_protection')
    expect(report.cause).not.toContain('scratch')
  })

  it('leaves nothing behind', async () => {
    const before = readdirSync(tmpdir()).filter((name) => name.startsWith('sixgate-probe-'))

    await behind().probe()

    const after = readdirSync(tmpdir()).filter((name) => name.startsWith('sixgate-probe-'))
    expect(after.filter((name) => !before.includes(name))).toEqual([])
  })

  it.each([
    [
      'sandbox-exec: sandbox_apply: Operation not permitted',
      71,
      'inside a Seatbelt sandbox already',
    ],
    ['sandbox-exec: unbound variable: file-clone', 65, 'does not know a word of the profile'],
    [
      "sandbox-exec: execvp() of '/bin/bash' failed: No such file or directory",
      71,
      '/bin/bash is missing',
    ],
    ["sandbox-exec: execvp() of '/bin/bash' failed: Operation not permitted", 71, 'does not let'],
    ['sandbox-exec: something new', 1, 'could not set the sandbox up: something new'],
    ['', 1, 'gave no reason'],
  ])('[S1-18] says what `%s` means', async (says, code, cause) => {
    const report = await behind(`printf '%s\\n' ${JSON.stringify(says)} >&2; exit ${code}`).probe()

    expect(report).toMatchObject({ status: 'unavailable' })
    expect(report.cause).toContain(cause)
    expect(report.remedy).not.toBe('')
  })

  it('is asked once while the launcher stays the same', async () => {
    const driver = behind('exit 1')

    expect(driver.probe()).toBe(driver.probe())
    await driver.probe()
  })
})

describe('a Mac without its launcher', () => {
  const missing = (): SandboxDriver =>
    createNativeSandbox({
      machine: { ...systemMachine(), platform: 'darwin' },
      launcher: '/nonexistent/sandbox-exec',
    })

  it('[S1-16] has the driver of macOS all the same', () => {
    expect(missing()).toMatchObject({ name: 'seatbelt', platform: 'darwin' })
  })

  it('[S1-18] is unavailable, and confines nothing', async () => {
    const report = await missing().probe()

    expect(report).toMatchObject({ status: 'unavailable', cause: 'sandbox-exec is missing' })
    expect(() => missing().confine(aRequest())).toThrowError(
      expect.objectContaining({ code: 'missing_launcher' }),
    )
  })

  it.each([
    [{ kind: 'directory' as const }, 'untrusted_launcher'],
    [{ owner: 501 }, 'untrusted_launcher'],
    [{ mode: 0o777 }, 'untrusted_launcher'],
    [{ mode: 0o644 }, 'missing_launcher'],
  ])('[S1-18] refuses a launcher with %o', (facts, code) => {
    const launcher = openLauncher()
    launchers.push(launcher)
    const machine = {
      ...launcher.machine,
      facts: (path: string) => {
        const real = launcher.machine.facts(path)
        return real === null || path !== launcher.path ? real : { ...real, ...facts }
      },
    }
    const driver = seatbelt({ machine, launcher: launcher.path })

    expect(() => driver.confine(aRequest())).toThrowError(expect.objectContaining({ code }))
  })
})

describe('a session on a Mac', () => {
  /** The runner believes this driver; nothing is confined. */
  function believed(): SandboxDriver {
    const guarantees = seatbeltGuarantees()
    return {
      ...behind(),
      probe: () => Promise.resolve({ status: 'ready', guarantees, cause: null, remedy: null }),
    }
  }

  it('is admitted although a daemon could live on, and gets a scratch that goes with the call', async () => {
    const runner = createSandboxRunner(believed())
    const profile = runner.resolve(aRequest().profile)

    const result = await runner.exec(
      profile,
      { command: 'echo x > "$TMPDIR/file"; echo "$TMPDIR"' },
      { unconfined: false },
    )

    const scratch = result.stdout.trim()
    expect(result).toMatchObject({ driver: 'seatbelt', started: true, exitCode: 0 })
    expect(scratch).toContain('sixgate-')
    expect(existsSync(scratch)).toBe(false)
  })

  it('names the program that does not exist', async () => {
    const runner = createSandboxRunner(believed())
    const profile = runner.resolve(aRequest().profile)

    await expect(
      runner.exec(profile, { argv: ['no-such-program'] }, { unconfined: false }),
    ).rejects.toMatchObject({ code: 'setup_failed', message: /no-such-program/ })
  })

  it('[S1-22] does not start a command when no scratch can be made', async () => {
    const machine = { ...systemMachine(), privateFolder: () => null }
    const runner = createSandboxRunner(believed(), { machine })
    const profile = runner.resolve(aRequest().profile)
    const mark = join(workspace, 'mark')

    await expect(
      runner.exec(profile, { argv: ['touch', mark] }, { unconfined: false }),
    ).rejects.toMatchObject({ code: 'setup_failed' })
    expect(existsSync(mark)).toBe(false)
  })

  it.each(['processes', 'memoryBytes'] as const)(
    'refuses a limit of %s before anything starts',
    async (name) => {
      const runner = createSandboxRunner(believed())
      const given = runner.resolve(aRequest().profile)
      const profile = { ...given, limits: { ...given.limits, [name]: 1 } }

      await expect(
        runner.exec(profile, { argv: ['true'] }, { unconfined: false }),
      ).rejects.toMatchObject({ code: 'unenforceable_limit' })
    },
  )
})
