import { describe, expect, it } from 'vitest'
import type { SandboxProfile } from '../../contract/sandbox.js'
import type { Surroundings } from './surroundings.js'
import { NO_GUARD } from '../protection/guard.js'
import { planView as plan } from './view.js'

type FileSystem = SandboxProfile['fileSystem']

const planView = (profile: SandboxProfile, machine: Surroundings): ReturnType<typeof plan> =>
  plan(profile, machine, NO_GUARD)

function aProfile(parts: Partial<FileSystem>): SandboxProfile {
  return {
    fileSystem: {
      mode: 'workspace_write',
      workspace: '/data/ws',
      writable: [],
      readable: [],
      hidden: [],
      ...parts,
    },
    network: 'none',
    environment: { pass: [] },
    limits: {
      timeoutMs: 1,
      outputBytes: 1,
      diskBytes: 1 << 24,
      processes: null,
      memoryBytes: null,
    },
  }
}

function aMachine(parts: Partial<Surroundings> = {}): Surroundings {
  return {
    architecture: 'x64',
    system: ['/usr', '/etc'],
    links: [],
    tools: [],
    secrets: [],
    kernel: [],
    kindOf: () => 'directory',
    ...parts,
  }
}

function shown(parts: Partial<FileSystem>, machine = aMachine()): readonly string[] {
  return planView(aProfile(parts), machine).shown.map((one) =>
    'kind' in one ? `mask ${one.path}` : `${one.access} ${one.path}`,
  )
}

describe('what is shown', () => {
  it('never mounts from inside a writable root', () => {
    expect(
      shown({ writable: ['/data/ws/out', '/data/ws'], readable: ['/data/ws/in', '/data/wsx'] }),
    ).toEqual(['write /data/ws', 'read /data/wsx'])
  })

  it('opens a writable root inside a readable one', () => {
    expect(shown({ readable: ['/data'] })).toEqual(['read /data', 'write /data/ws'])
  })

  it('lets a folder that is named twice be as writable as the wider naming', () => {
    expect(shown({ writable: ['/x'], readable: ['/x'] })).toEqual(['write /x', 'write /data/ws'])
  })

  it('makes nothing writable under read_only', () => {
    expect(shown({ mode: 'read_only', writable: ['/x'] })).toEqual(['read /x', 'read /data/ws'])
  })

  it('keeps the fresh places fresh', () => {
    const fresh = ['/', '/tmp', '/run', '/dev/shm', '/proc/1', '/sys']

    expect(shown({ writable: fresh, readable: fresh })).toEqual(['write /data/ws'])
  })

  it.each(['/', '/tmp', '/dev/x'])('refuses the workspace %s', (workspace) => {
    expect(() => planView(aProfile({ workspace }), aMachine())).toThrowError(
      expect.objectContaining({ code: 'workspace_refused' }),
    )
  })
})

describe('what is hidden', () => {
  it('wins over roots, tools and the inside of the workspace', () => {
    const machine = aMachine({ tools: ['/home/me/secret/bin'] })
    const parts = {
      hidden: ['/home/me/secret', '/data/ws/state'],
      readable: ['/home/me/secret/x'],
    }

    expect(shown(parts, machine)).toEqual(['write /data/ws'])
    expect(planView(aProfile(parts), machine).masks).toEqual([
      { path: '/data/ws/state', kind: 'directory' },
    ])
  })

  it('covers a hidden folder that holds the workspace before the workspace is shown in it', () => {
    expect(shown({ hidden: ['/data'], readable: ['/data'] })).toContain('mask /data')
    expect(shown({ hidden: ['/data'], readable: ['/data'] }).at(-1)).toBe('write /data/ws')
  })

  it('needs no mount for what is out of sight anyway', () => {
    expect(planView(aProfile({ hidden: ['/home/me/.ssh'] }), aMachine()).masks).toEqual([])
  })

  it.each(['absent', 'other'] as const)(
    'refuses the run when a hidden path in a writable root is %s',
    (kind) => {
      const machine = aMachine({ kindOf: () => kind })

      expect(() => planView(aProfile({ hidden: ['/data/ws/state'] }), machine)).toThrowError(
        expect.objectContaining({ code: 'setup_failed' }),
      )
    },
  )

  it('has nothing to cover where an absent path cannot be made', () => {
    const machine = aMachine({ kindOf: () => 'absent' })

    expect(planView(aProfile({ hidden: ['/usr/x'] }), machine).masks).toEqual([])
  })

  it('refuses a workspace that is hidden itself', () => {
    expect(() => planView(aProfile({ hidden: ['/data/ws'] }), aMachine())).toThrowError(
      expect.objectContaining({ code: 'workspace_refused' }),
    )
  })

  it('covers the secrets of the system in every mode, each once', () => {
    const secrets = [
      { path: '/etc/private', kind: 'directory' },
      { path: '/etc/private/key', kind: 'file' },
    ] as const
    for (const mode of ['read_only', 'workspace_write', 'open'] as const) {
      expect(planView(aProfile({ mode }), aMachine({ secrets })).masks).toEqual([secrets[0]])
    }
  })
})
