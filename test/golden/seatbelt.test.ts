/** The exact command that the macOS driver builds; every change of it must be seen (sandbox.md §5). */

import { describe, expect, it } from 'vitest'
import type { SandboxProfile } from '../../src/contract/sandbox.js'
import { systemMachine, type Machine } from '../../src/platform/machine.js'
import { seatbelt } from '../../src/sandbox/seatbelt/driver.js'
import type { Surroundings } from '../../src/sandbox/seatbelt/surroundings.js'
import type { SeatbeltRequest } from '../../src/sandbox/seatbelt/view.js'

const ROOTS_OWN = { kind: 'file', owner: 0, mode: 0o755, modifiedMs: 1, changedMs: 1 } as const

const MACHINE: Machine = {
  ...systemMachine(),
  platform: 'darwin',
  realPath: (path) => path,
  facts: () => ({ ...ROOTS_OWN, id: '1:2', links: 1 }),
}

const SURROUNDINGS: Surroundings = {
  home: '/Users/me',
  tools: ['/System', '/System/Volumes/Preboot/Cryptexes', '/usr', '/bin', '/opt', '/private/etc'],
  closed: ['/dev', '/private/tmp', '/private/var/folders', '/System/Volumes', '/opt/homebrew/var'],
  temporary: ['/dev', '/private/tmp', '/private/var/folders'],
  secrets: ['/private/etc/master.passwd'],
}

function aRequest(parts: Partial<SandboxProfile['fileSystem']> = {}): SeatbeltRequest {
  return {
    profile: {
      fileSystem: {
        mode: 'workspace_write',
        workspace: '/Users/me/project',
        writable: ['/Users/me/cache', '/Users/me/project/build', '/private/tmp'],
        readable: ['/Volumes/shared'],
        hidden: ['/Users/me/project/State', '/Users/me/.ssh'],
        ...parts,
      },
      network: 'none',
      environment: { pass: [] },
      limits: {
        timeoutMs: 120_000,
        outputBytes: 1_048_576,
        diskBytes: 1_073_741_824,
        processes: null,
        memoryBytes: null,
      },
    },
    argv: ['/bin/bash', '-c', '--', 'npm test'],
    cwd: '/Users/me/project',
    environment: { PATH: '/usr/bin', LANG: 'C.UTF-8' },
    guard: {
      pinned: ['/Users/me/project/sub'],
      fixed: ['/Users/me/project/.git', '/Users/me/project/sub/.git'],
      closed: ['/Users/me/project/.vscode'],
      masks: [{ path: '/Users/me/project/.env', kind: 'file' }],
    },
    scratch: '/private/var/folders/zz/T/sixgate-1',
  }
}

const driver = seatbelt({ machine: MACHINE, surroundings: SURROUNDINGS })

/** The profile as it is, and a parameter a line. */
function text(request: SeatbeltRequest): string {
  const { file, args, environment, cwd, pipes } = driver.confine(request)
  const end = args.indexOf('--')
  const [option, profile = '', ...given] = args.slice(0, end)
  const parameters = given.filter((word) => word !== '-D')
  const rest = { file, option, words: args.slice(end), environment, cwd, pipes }
  return `${JSON.stringify(rest, null, 2)}\n\n${profile}\n${parameters.join('\n')}\n`
}

describe('the command of sandbox-exec', () => {
  it.each(['workspace_write', 'read_only', 'open'] as const)('under %s', async (mode) => {
    await expect(text(aRequest({ mode }))).toMatchFileSnapshot(`seatbelt-${mode}.txt`)
  })

  it('names every path by parameter, so that none can end a text and begin a rule', () => {
    const workspace = '/Users/me/"))(allow default)('
    const { args } = driver.confine({ ...aRequest({ workspace }), cwd: workspace })
    const profile = args[1] ?? ''

    expect(profile).not.toContain('/Users')
    expect(profile).not.toContain('(allow default)')
    expect(args.some((word) => /^P\d+=/.test(word) && word.endsWith(`=${workspace}`))).toBe(true)
  })

  it.each(['/a\0(allow default)', '/\0'])('refuses NUL wherever it stands: %j', (path) => {
    const refusal = expect.objectContaining({ code: 'setup_failed' })

    expect(() => driver.confine(aRequest({ readable: [path] }))).toThrowError(refusal)
    expect(() => driver.confine({ ...aRequest(), argv: [path] })).toThrowError(refusal)
    expect(() => driver.confine({ ...aRequest(), environment: { A: path } })).toThrowError(refusal)
  })

  it.each(['/usr', '/usr/bin'])('refuses to work in %s, which holds the launcher', (workspace) => {
    expect(() => driver.confine(aRequest({ workspace }))).toThrowError(
      expect.objectContaining({ code: 'untrusted_launcher' }),
    )
  })

  it.each([
    ...['/Users', '/Users/me', '/private', '/private/tmp', '/tmp', '/var/folders', '/Volumes'],
    ...['/Library', '/opt/homebrew', '/dev/x', '/System/Volumes/Data/Users/me', '/Users/me/.ssh'],
  ])('refuses %s as a workspace', (workspace) => {
    expect(() => driver.confine(aRequest({ workspace }))).toThrowError(
      expect.objectContaining({ code: 'workspace_refused' }),
    )
  })

  it('refuses a profile that the command line cannot hold', () => {
    const closed = Array.from({ length: 900 }, (_, at) => `/Users/me/project/${'x'.repeat(400)}${at}`)
    const request: SeatbeltRequest = {
      ...aRequest(),
      guard: { pinned: [], fixed: [], closed, masks: [] },
    }

    expect(() => driver.confine(request)).toThrowError(
      expect.objectContaining({ code: 'setup_failed' }),
    )
  })

  it('refuses a workspace that nobody searched', () => {
    const request: SeatbeltRequest = { ...aRequest(), guard: undefined }

    expect(() => driver.confine(request)).toThrowError(
      expect.objectContaining({ code: 'setup_failed' }),
    )
  })

  it('gives the environment to nobody who reads command lines', () => {
    const command = driver.confine({ ...aRequest(), environment: { GIVEN: 'v4lue' } })

    expect(command.args.join(' ')).not.toContain('v4lue')
    expect(command.environment).toMatchObject({ GIVEN: 'v4lue' })
  })
})
