import { describe, expect, it } from 'vitest'
import { systemMachine, type FolderEntry, type Machine } from '../../platform/machine.js'
import { readSurroundings } from './surroundings.js'

const FOLDER = { kind: 'directory', owner: 0, mode: 0o755, modifiedMs: 1, changedMs: 1 } as const

function aMac(path: string, parts: Partial<Machine> = {}): Machine {
  return {
    ...systemMachine(),
    platform: 'darwin',
    home: '/Users/me',
    temporary: ['/private/var/folders/zz/T'],
    environment: { PATH: path, CARGO_HOME: '/Users/me/.cargo' },
    realPath: (one) => (one.includes('nonexistent') ? null : one),
    facts: () => ({ ...FOLDER, id: '1:2', links: 1 }),
    list: () => [],
    ...parts,
  }
}

const toolsOf = (path: string): readonly string[] => readSurroundings(aMac(path)).tools

describe('what is readable as a tool', () => {
  it('holds folders of PATH and of toolchains', () => {
    expect(toolsOf('/Users/me/.nvm/bin:/nonexistent:relative')).toEqual(
      expect.arrayContaining(['/Users/me/.nvm/bin', '/Users/me/.cargo', '/usr', '/System']),
    )
    expect(toolsOf('/nonexistent')).not.toContain('/nonexistent')
  })

  it.each([
    ...['/', '/Users', '/Users/me', '/Applications', '/Library', '/Volumes', '/private', '/tmp/x'],
    ...['/private/var/folders/zz/T/x', '/var', '/dev/fd', '/opt/homebrew/var/bin'],
  ])('never holds %s', (path) => {
    expect(toolsOf(path)).not.toContain(path)
    expect(toolsOf(path)).not.toContain(`/private${path}`)
  })

  it('takes Xcode with the libraries beside its tools', () => {
    expect(toolsOf('/Applications/Xcode.app/Contents/Developer')).toContain(
      '/Applications/Xcode.app/Contents',
    )
  })
})

describe('what stays unreadable inside', () => {
  it('is named in /etc, in toolchains and by the look of a name', () => {
    const entries: readonly FolderEntry[] = [
      { name: 'server.keytab', kind: 'file' },
      { name: 'profile', kind: 'file' },
    ]
    const mac = aMac('/usr/bin', { list: (one) => (one === '/private/etc' ? entries : []) })

    const { secrets } = readSurroundings(mac)

    expect(secrets).toEqual(
      expect.arrayContaining([
        ...['/private/etc/master.passwd', '/private/etc/sudoers', '/private/etc/server.keytab'],
        '/Users/me/.cargo/credentials.toml',
      ]),
    )
    expect(secrets).not.toContain('/private/etc/profile')
  })

  it('closes temporary folders under every name, and data of services', () => {
    const { closed, temporary } = readSurroundings(
      aMac('/usr/bin', { temporary: ['/var/x', '/tmp'] }),
    )

    expect(temporary).toEqual(expect.arrayContaining(['/private/tmp', '/private/var/x', '/dev']))
    expect(closed).toEqual(expect.arrayContaining([...temporary, '/opt/homebrew/var']))
  })
})
