/** The exact command that the Linux driver builds; every change of it must be seen (sandbox.md §4). */

import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { ConfinedCommand, SandboxProfile } from '../../src/contract/sandbox.js'
import { systemMachine, type Machine } from '../../src/platform/machine.js'
import { bubblewrap } from '../../src/sandbox/bubblewrap/driver.js'
import type { GuardedRequest } from '../../src/sandbox/protection/guard.js'
import type { Surroundings } from '../../src/sandbox/bubblewrap/surroundings.js'

const MACHINE: Machine = { ...systemMachine(), platform: 'linux', realPath: (path) => path }

const SURROUNDINGS: Surroundings = {
  architecture: 'x64',
  system: ['/usr', '/etc', '/opt'],
  links: [
    { path: '/bin', target: '/usr/bin' },
    { path: '/lib64', target: '/usr/lib64' },
  ],
  tools: ['/home/me/.cargo/bin'],
  secrets: [
    { path: '/etc/shadow', kind: 'file' },
    { path: '/etc/ssl/private', kind: 'directory' },
  ],
  kernel: [
    { path: '/proc/sysrq-trigger', kind: 'file' },
    { path: '/proc/irq', kind: 'directory' },
  ],
  kindOf: (path) => (path.endsWith('.db') ? 'file' : 'directory'),
}

function aRequest(parts: Partial<SandboxProfile['fileSystem']>): GuardedRequest {
  return {
    profile: {
      fileSystem: {
        mode: 'workspace_write',
        workspace: '/home/me/project',
        writable: ['/data/cache', '/home/me/project/build'],
        readable: ['/srv/shared'],
        hidden: ['/home/me/project/state.db', '/data/cache/keys', '/home/me/.ssh'],
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
    cwd: '/home/me/project',
    environment: { PATH: '/usr/bin', LANG: 'C.UTF-8' },
    guard: {
      pinned: ['/home/me/project/sub'],
      fixed: ['/home/me/project/.git', '/home/me/project/sub/.git'],
      closed: ['/home/me/project/.vscode'],
      masks: [{ path: '/home/me/project/.env', kind: 'file' }],
    },
  }
}

/** One option with its values a line. */
function text(request: GuardedRequest): string {
  const command = bubblewrap({ machine: MACHINE, surroundings: SURROUNDINGS }).confine(request)
  const [options, status, filter] = command.pipes
  const words = options?.direction === 'write' ? new TextDecoder().decode(options.bytes) : ''
  const lines = words
    .split('\0')
    .slice(0, -1)
    .map((word) => (word.startsWith('--') ? `\n${word}` : ` ${word}`))
    .join('')
  const { file, args, environment, cwd } = command
  const files = 'files' in command ? command.files : []
  return `${JSON.stringify({ file, args, environment, cwd, status, filter: digest(filter), files }, null, 2)}\n${lines}\n`
}

/** The filter has a suite of its own; here only a change of it must be seen. */
function digest(pipe: ConfinedCommand['pipes'][number] | undefined): unknown {
  if (pipe?.direction !== 'write') return null
  const { descriptor, bytes } = pipe
  const hash = createHash('sha256').update(bytes).digest('hex')
  return { descriptor, instructions: bytes.length / 8, sha256: hash }
}

describe('the command of bubblewrap', () => {
  it.each(['workspace_write', 'read_only', 'open'] as const)('under %s', async (mode) => {
    await expect(text(aRequest({ mode }))).toMatchFileSnapshot(`bubblewrap-${mode}.txt`)
  })

  it('never carries an option on the command line', () => {
    const { args } = bubblewrap({ machine: MACHINE, surroundings: SURROUNDINGS }).confine(
      aRequest({}),
    )

    expect(args).toEqual(['--args', '3', '--', '/bin/bash', '-c', '--', 'npm test'])
  })

  it.each(['a\0--bind\0/\0/', '\0'])(
    'refuses a path with NUL, which would be an option',
    (path) => {
      const driver = bubblewrap({ machine: MACHINE, surroundings: SURROUNDINGS })

      expect(() => driver.confine(aRequest({ readable: [`/${path}`] }))).toThrowError(
        expect.objectContaining({ code: 'setup_failed' }),
      )
    },
  )

  it.each(['/usr', '/usr/bin'])('refuses to work in %s, which holds the launcher', (workspace) => {
    const driver = bubblewrap({ machine: MACHINE, surroundings: SURROUNDINGS })

    expect(() => driver.confine(aRequest({ workspace }))).toThrowError(
      expect.objectContaining({ code: 'untrusted_launcher' }),
    )
  })

  it('refuses options that a pipe cannot hold at once', () => {
    const driver = bubblewrap({ machine: MACHINE, surroundings: SURROUNDINGS })
    const closed = Array.from({ length: 900 }, (_, at) => `/home/me/project/${'x'.repeat(150)}${at}`)
    const request = aRequest({})
    const guard = { pinned: [], fixed: [], closed, masks: [] }
    const guarded: GuardedRequest = { ...request, guard }

    expect(() => driver.confine(guarded)).toThrowError(
      expect.objectContaining({ code: 'setup_failed' }),
    )
  })

  it('refuses a workspace that nobody searched', () => {
    const driver = bubblewrap({ machine: MACHINE, surroundings: SURROUNDINGS })

    const request: GuardedRequest = { ...aRequest({}), guard: undefined }

    expect(() => driver.confine(request)).toThrowError(
      expect.objectContaining({ code: 'setup_failed' }),
    )
  })

  it.each([0, 1024, Number.NaN])('refuses the disk limit %s', (diskBytes) => {
    const driver = bubblewrap({ machine: MACHINE, surroundings: SURROUNDINGS })
    const request = aRequest({})
    const limits = { ...request.profile.limits, diskBytes }

    expect(() =>
      driver.confine({ ...request, profile: { ...request.profile, limits } }),
    ).toThrowError(expect.objectContaining({ code: 'invalid_limit' }))
  })
})
