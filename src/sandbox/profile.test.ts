import { describe, expect, it } from 'vitest'
import type { SandboxAxis } from '../policy/effective-policy.js'
import { profileOf, type ProfileInput } from './profile.js'
import { missingGuarantees, requiredGuarantees } from './required-guarantees.js'
import { guaranteesExcept } from './report.js'

function anAxis(parts: Partial<SandboxAxis> = {}): SandboxAxis {
  return {
    mode: 'workspace_write',
    writable: [],
    readable: [],
    environment: { pass: [] },
    limits: {
      timeoutMs: 1000,
      outputBytes: 1000,
      diskBytes: 1 << 24,
      processes: null,
      memoryBytes: null,
    },
    onUnavailable: 'deny',
    ...parts,
  }
}

function anInput(axis: SandboxAxis, parts: Partial<ProfileInput> = {}): ProfileInput {
  const roots = {
    workspace: '/ws',
    home: '/home/me',
    temporary: ['/tmp'],
    platform: 'linux',
  } as const
  return { axis, roots, canWrite: true, hidden: [], ...parts }
}

describe('profileOf', () => {
  it.each(['workspace_write', 'open'] as const)(
    'forces %s to read-only for a policy without fs.write',
    (mode) => {
      const profile = profileOf(anInput(anAxis({ mode }), { canWrite: false }))

      expect(profile.fileSystem.mode).toBe('read_only')
    },
  )

  it('never opens the network, whatever the policy says', () => {
    expect(profileOf(anInput(anAxis())).network).toBe('none')
  })

  it('places roots by home and workspace', () => {
    const writable = ['~/cache', 'out/../build', '/data', '@tmp']

    expect(profileOf(anInput(anAxis({ writable }))).fileSystem.writable).toEqual([
      '/home/me/cache',
      '/ws/build',
      '/data',
      '/tmp',
    ])
  })

  it.each(['@outside', '~other/x'])('refuses the root %s', (path) => {
    expect(() => profileOf(anInput(anAxis({ readable: [path] })))).toThrowError(
      expect.objectContaining({ code: 'setup_failed' }),
    )
  })

  it('carries what is hidden', () => {
    const profile = profileOf(anInput(anAxis(), { hidden: ['/state'] }))

    expect(profile.fileSystem.hidden).toEqual(['/state'])
  })
})

describe('requiredGuarantees', () => {
  it('demands processes and memory only when the policy names them', () => {
    const limits = { ...anAxis().limits, processes: 10 }

    expect(requiredGuarantees(anAxis(), 'linux')).not.toContain('limits.processes')
    expect(requiredGuarantees({ limits }, 'linux')).toContain('limits.processes')
    expect(requiredGuarantees({ limits }, 'linux')).not.toContain('limits.memory')
  })

  it('demands on every platform what no command may run without', () => {
    for (const platform of ['linux', 'darwin', 'win32'] as const) {
      expect(requiredGuarantees(anAxis(), platform)).toEqual(
        expect.arrayContaining(['write_confinement', 'read_masking', 'egress_block', 'env_scrub']),
      )
    }
  })

  it('counts a row that a report lacks as missing', () => {
    const full = Object.entries(guaranteesExcept(() => null))
    const report = Object.fromEntries(full.filter(([name]) => name !== 'egress_block'))

    expect(missingGuarantees(['egress_block'], report as never)).toEqual(['egress_block'])
  })
})
