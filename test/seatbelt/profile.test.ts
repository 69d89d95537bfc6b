/** What must never be possible, one attempt a line, each with a twin that must be (sandbox.md §3, §5). */

import { describe, expect, it } from 'vitest'
import type { SandboxProfile } from '../../src/contract/sandbox.js'
import { loopbackPortRule } from '../../src/sandbox/seatbelt/network.js'
import { profileText } from '../../src/sandbox/seatbelt/profile-text.js'
import { planView, type ViewInput } from '../../src/sandbox/seatbelt/view.js'
import { createEvaluator, READINGS, type Query } from './sbpl-evaluator.js'
import { aProfile, SCRATCH, SURROUNDINGS } from './seatbelt-arbitraries.js'

const WS = '/Users/me/project'

function anInput(parts: Partial<SandboxProfile['fileSystem']> = {}): ViewInput {
  return {
    profile: aProfile({
      mode: 'workspace_write',
      workspace: WS,
      writable: ['/Users/me/cache'],
      readable: ['/Volumes/shared'],
      hidden: ['/Users/me/.local/state/sixgate'],
      ...parts,
    }),
    guard: {
      pinned: [`${WS}/sub`],
      fixed: [`${WS}/.git`, `${WS}/sub/.git`],
      closed: [`${WS}/.vscode`],
      masks: [{ path: `${WS}/sub/.env`, kind: 'file' }],
    },
    surroundings: SURROUNDINGS,
    scratch: SCRATCH,
  }
}

/** The answers under both readings; they must agree. */
function permits(query: Query, input = anInput(), network: readonly string[] = []): boolean {
  const { text, parameters } = profileText(planView(input), network)
  const values = Object.fromEntries(parameters.map(({ name, value }) => [name, value] as const))
  const evaluator = createEvaluator(text, values)
  const [first = false, ...others] = READINGS.map((reading) => evaluator.permits(query, reading))
  for (const other of others)
    expect({ query, permitted: other }).toEqual({ query, permitted: first })
  return first
}

const read = (path: string, input?: ViewInput): boolean =>
  permits({ operation: 'file-read-data', path }, input)
const write = (path: string, input?: ViewInput): boolean =>
  permits({ operation: 'file-write-data', path }, input)
const create = (path: string, input?: ViewInput): boolean =>
  permits({ operation: 'file-write-create', path }, input)
const remove = (path: string, input?: ViewInput): boolean =>
  permits({ operation: 'file-write-unlink', path }, input)

describe('reading', () => {
  it.each([
    ...['/Users/me/.ssh/id_ed25519', '/Users/me/Documents/x', '/Users/you/x', '/var/root/x'],
    ...['/private/var/db/secret', '/private/tmp/x', '/tmp/x', '/private/var/folders/zz/T/other'],
    ...['/private/etc/master.passwd', '/etc/master.passwd', '/opt/homebrew/var/db/x'],
    ...['/System/Volumes/Data/Users/me/.ssh/id', '/System/Volumes/Data/private/etc/master.passwd'],
    ...[
      '/Library/Keychains/System.keychain',
      '/Volumes/other/x',
      '/dev/disk0',
      '/Users',
      '/Users/me',
    ],
    ...[
      `${WS}/sub/.env`,
      `/System/Volumes/Data${WS}/sub/.env`,
      '/Users/me/.local/state/sixgate/key',
    ],
  ])('[S1-27] [H-24] does not reach %s', (path) => {
    expect(read(path)).toBe(false)
  })

  it.each([
    ...[`${WS}/src/x`, `/System/Volumes/Data${WS}/src/x`, '/usr/lib/dyld', '/etc/ssl/cert.pem'],
    ...['/System/Library/x', '/System/Volumes/Preboot/Cryptexes/OS/x', '/opt/homebrew/bin/node'],
    ...['/Users/me/.cargo/bin/cargo', '/Volumes/shared/x', `${SCRATCH}/x`, '/dev/urandom', '/'],
    ...['/var/folders/zz/T/sixgate-1/x', `${WS}/.git/HEAD`],
  ])('reaches %s', (path) => {
    expect(read(path)).toBe(true)
  })

  it('looks at the folders on the way, and does not list them', () => {
    for (const path of ['/Users', '/Users/me', '/Volumes']) {
      expect(permits({ operation: 'file-read-metadata', path })).toBe(true)
      expect(read(path)).toBe(false)
    }
    expect(permits({ operation: 'file-read-metadata', path: '/Users/you' })).toBe(false)
  })

  it('looks at the entry of a secret, and does not open it', () => {
    for (const path of [`${WS}/sub/.env`, `/System/Volumes/Data${WS}/sub/.env`]) {
      expect(permits({ operation: 'file-read-metadata', path })).toBe(true)
      expect(permits({ operation: 'file-read-metadata', path: `${path}/x` })).toBe(false)
      expect(permits({ operation: 'file-read-xattr', path })).toBe(false)
      expect(read(path)).toBe(false)
    }
    const state = '/Users/me/.local/state/sixgate'
    expect(permits({ operation: 'file-read-metadata', path: state })).toBe(false)
  })

  it('runs no program that it cannot read', () => {
    expect(permits({ operation: 'process-exec', path: '/Users/me/bin/x' })).toBe(false)
    expect(permits({ operation: 'process-exec', path: '/usr/bin/git' })).toBe(true)
  })

  it('keeps a policy’s hidden folder hidden in every case spelling', () => {
    const input = anInput({ hidden: [`${WS}/State`] })

    for (const name of ['State', 'state', 'STATE']) {
      expect(read(`${WS}/${name}/key`, input)).toBe(false)
      expect(write(`${WS}/${name}/key`, input)).toBe(false)
    }
    expect(read(`${WS}/stated`, input)).toBe(true)
  })

  it('shows the workspace inside a hidden folder, and nothing else of it', () => {
    const input = anInput({ hidden: ['/Users/me'] })

    expect(read(`${WS}/x`, input)).toBe(true)
    expect(read('/Users/me/cache/x', input)).toBe(false)
    expect(read('/Users/me/.cargo/bin/cargo', input)).toBe(false)
  })
})

describe('writing', () => {
  it.each(['/Users/me/x', '/usr/local/bin/x', '/private/tmp/x', '/tmp/x', '/Volumes/shared/x'])(
    '[S1-24] does not reach %s',
    (path) => {
      expect(write(path)).toBe(false)
      expect(create(path)).toBe(false)
    },
  )

  it.each([`${WS}/x`, '/Users/me/cache/x', `${SCRATCH}/x`, `/System/Volumes/Data${WS}/x`])(
    '[S1-24] reaches %s',
    (path) => {
      expect([write(path), create(path), remove(path)]).toEqual([true, true, true])
    },
  )

  it.each(['.git', '.GIT', '.gIt/hooks/x', '.agents', '.Claude/x', '.VSCODE'])(
    '[S1-25] does not make or change %s at the top',
    (name) => {
      for (const attempt of [write, create, remove]) expect(attempt(`${WS}/${name}`)).toBe(false)
    },
  )

  it.each(['.mcp.json', '.MCP.json', '.Envrc', 'JENKINSFILE', 'policy.jsonc', '.gitmodules'])(
    '[S1-26] does not make or change the control file %s',
    (name) => {
      for (const attempt of [write, create, remove]) expect(attempt(`${WS}/${name}`)).toBe(false)
      expect(write(`${WS}/${name}.txt`)).toBe(true)
    },
  )

  it('keeps names apart that only begin alike, lie deeper or need a dot', () => {
    for (const name of ['.github2', 'agit', '.gitignore', 'src/.vscode', 'git', 'a/Jenkinsfile']) {
      expect(create(`${WS}/${name}`)).toBe(true)
    }
  })

  it('makes no repository at any depth of what can be written', () => {
    for (const path of [`${WS}/a/b/.Git/hooks/x`, '/Users/me/cache/x/.git']) {
      expect(create(path)).toBe(false)
    }
    expect(create(`${SCRATCH}/x/.git/config`)).toBe(true)
  })

  it('writes beside workflows and puts nothing in their place', () => {
    expect(create(`${WS}/.github/CODEOWNERS`)).toBe(true)
    expect(create(`${WS}/.github/workflows/x.yml`)).toBe(false)
    for (const name of ['.github', '.GitHub']) {
      expect(create(`${WS}/${name}`)).toBe(false)
      expect(remove(`${WS}/${name}`)).toBe(false)
    }
  })

  it.each([WS, '/Users/me/cache', SCRATCH, `${WS}/sub`, `/System/Volumes/Data${WS}/sub`])(
    'does not move %s away, nor put another in its place',
    (path) => {
      expect(remove(path)).toBe(false)
      expect(create(path)).toBe(false)
      expect(create(`${path}/x`)).toBe(true)
    },
  )

  it('does not move a secret to where it could be read', () => {
    expect(remove(`${WS}/sub/.env`)).toBe(false)
    expect(permits({ operation: 'file-link', path: `${WS}/sub/.env` })).toBe(false)
    expect(permits({ operation: 'file-clone', path: `${WS}/sub/.env` })).toBe(false)
  })

  it('leaves no program behind that runs as its owner', () => {
    expect(permits({ operation: 'file-write-setugid', path: `${WS}/x` })).toBe(false)
  })

  it('writes its scratch alone under read_only', () => {
    const input = anInput({ mode: 'read_only' })

    expect(write(`${WS}/x`, input)).toBe(false)
    expect(write(`${SCRATCH}/x`, input)).toBe(true)
    expect(read(`${WS}/x`, input)).toBe(true)
  })

  it('keeps control files, secrets, temporary folders and devices under open', () => {
    const input = anInput({ mode: 'open' })

    expect(write('/Users/me/x', input)).toBe(true)
    for (const path of [`${WS}/.git/x`, '/private/tmp/x', '/dev/disk0', '/private/var/run/x']) {
      expect(write(path, input)).toBe(false)
    }
    for (const path of [`${WS}/sub/.env`, '/Users/me/.local/state/sixgate/key', '/tmp/x']) {
      expect(read(path, input)).toBe(false)
    }
  })
})

describe('pipes and sockets of other programs', () => {
  it.each(['FIFO', 'SOCKET'] as const)('opens no %s outside of its own folders', (kind) => {
    const open = (path: string, input?: ViewInput): readonly boolean[] =>
      ['file-read-data', 'file-write-data'].map((operation) =>
        permits({ operation, path, kind }, input),
      )

    expect(open('/opt/homebrew/x')).toEqual([false, false])
    expect(open('/Users/me/x', anInput({ mode: 'open' }))).toEqual([false, false])
    expect(open(`${WS}/x`)).toEqual([true, true])
  })
})

describe('the network', () => {
  const connect = (host: string, port: number, rules: readonly string[] = []): boolean => {
    const remote = { protocol: 'tcp', host, port } as const
    const local = { protocol: 'tcp', host: '127.0.0.1', port: 50_000 } as const
    return permits({ operation: 'network-outbound', remote, local }, anInput(), rules)
  }

  it('[S1-15] [S1-23] is closed: no connection, no listening, no socket file', () => {
    expect(connect('1.1.1.1', 443)).toBe(false)
    expect(connect('127.0.0.1', 80)).toBe(false)
    const path = '/private/var/run/mDNSResponder'
    expect(permits({ operation: 'network-outbound', path })).toBe(false)
    expect(permits({ operation: 'network-outbound', path: `${WS}/socket` })).toBe(false)
    for (const operation of ['network-bind', 'network-inbound']) {
      const local = { protocol: 'tcp', host: '127.0.0.1', port: 8080 } as const
      expect(permits({ operation, local })).toBe(false)
      expect(permits({ operation, path: `${WS}/socket` })).toBe(false)
    }
  })

  it('opens one port and nothing else', () => {
    const rules = [loopbackPortRule(49_152)]

    expect(connect('127.0.0.1', 49_152, rules)).toBe(true)
    expect(connect('127.0.0.1', 49_153, rules)).toBe(false)
    expect(connect('1.1.1.1', 49_152, rules)).toBe(false)
    expect(connect('1.1.1.1', 53, rules)).toBe(false)
    const remote = { protocol: 'udp', host: '127.0.0.1', port: 49_152 } as const
    expect(permits({ operation: 'network-outbound', remote }, anInput(), rules)).toBe(false)
    const local = { protocol: 'tcp', host: '127.0.0.1', port: 49_152 } as const
    expect(permits({ operation: 'network-bind', local }, anInput(), rules)).toBe(false)
  })

  it('never speaks of the local side or of every host', () => {
    expect(loopbackPortRule(53)).toBe('(allow network-outbound (remote tcp "localhost:53"))')
  })

  it.each([0, -1, 65_536, 1.5, Number.NaN, Infinity])('refuses %s as a port', (port) => {
    expect(() => loopbackPortRule(port)).toThrowError(
      expect.objectContaining({ code: 'setup_failed' }),
    )
  })
})

describe('other programs', () => {
  it.each([
    ...['com.apple.coreservices.launchservicesd', 'com.apple.SecurityServer', 'com.apple.trustd'],
    ...['com.apple.pasteboard.1', 'com.apple.cfprefsd.agent', 'com.apple.nsurlsessiond'],
  ])('are not asked for a service: %s', (name) => {
    expect(permits({ operation: 'mach-lookup', name })).toBe(false)
  })

  it('are neither signalled nor looked at', () => {
    for (const operation of ['signal', 'process-info-pidinfo']) {
      expect(permits({ operation, name: 'others' })).toBe(false)
      expect(permits({ operation, name: 'same-sandbox' })).toBe(true)
    }
    expect(permits({ operation: 'sysctl-read', name: 'kern.procargs2' })).toBe(false)
    expect(permits({ operation: 'sysctl-read', name: 'hw.ncpu' })).toBe(true)
  })
})
