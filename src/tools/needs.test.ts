import { describe, expect, it } from 'vitest'
import { ConfigError } from '../core/errors.js'
import { reaches } from '../core/need.js'
import { reads, requires, writes } from './needs.js'
import { runs, type ShellAnalyzer } from './runs.js'

describe('reads and writes', () => {
  it('states one path need a path', () => {
    expect([...reads('a', 'b'), ...writes('c')]).toEqual([
      { kind: 'path', access: 'read', path: 'a' },
      { kind: 'path', access: 'read', path: 'b' },
      { kind: 'path', access: 'write', path: 'c' },
    ])
  })
})

describe('reaches', () => {
  it.each([
    ['https://example.com/a/b?c#d', 'example.com', 443, '/a/b'],
    ['http://EXAMPLE.com', 'example.com', 80, '/'],
    ['https://example.com.:8443/', 'example.com', 8443, '/'],
    ['https://good.example@evil.example/', 'evil.example', 443, '/'],
    ['http://0x7f.1/', '127.0.0.1', 80, '/'],
    ['https://bücher.example/', 'xn--bcher-kva.example', 443, '/'],
  ])('states the host that %s reaches', (url, host, port, path) => {
    expect(reaches(url)).toEqual([{ kind: 'host', host, port, path }])
  })

  it.each(['', 'http://', 'http://a b/', 'https://[::1'])(
    'states an unknown host for the unparsable `%s`',
    (url) => {
      expect(reaches(url)).toContainEqual({ kind: 'host', host: null })
    },
  )

  it.each(['ftp://evil.example/x', 'evil.example/x', 'gopher://evil.example'])(
    'states for `%s` an unknown host and the host that it may mean, so that a deny finds it',
    (url) => {
      const hosts = reaches(url).map((need) => need.kind === 'host' && need.host)

      expect(hosts).toEqual([null, 'evil.example'])
    },
  )
})

describe('requires', () => {
  it('states one need a capability', () => {
    expect(requires('external.effect', 'x.deploy')).toEqual([
      { kind: 'capability', name: 'external.effect' },
      { kind: 'capability', name: 'x.deploy' },
    ])
  })

  it('refuses a name that is no capability', () => {
    expect(() => requires('root')).toThrow(ConfigError)
  })
})

describe('runs', () => {
  it('states the command with what its analysis proves', () => {
    expect(runs('npm test')).toEqual([
      {
        kind: 'command',
        command: 'npm test',
        shell: 'bash',
        analysis: { commands: [{ argv: ['npm', 'test'] }], refusals: [] },
      },
    ])
  })

  it('tells every call of one text the same, whatever became of the needs of the call before', () => {
    const [first] = runs('cat a.txt b.txt')
    expect(() => Object.assign(first ?? {}, { command: 'rm a.txt' })).toThrow(TypeError)
    runs('cat a.txt b.txt').length = 0

    expect(runs('cat a.txt b.txt')).toMatchObject([
      { kind: 'command', analysis: { commands: [{ argv: ['cat', 'a.txt', 'b.txt'] }] } },
      { kind: 'path', access: 'read', path: 'a.txt' },
      { kind: 'path', access: 'read', path: 'b.txt' },
    ])
  })

  it.each(['powershell', 'cmd'] as const)('proves nothing of %s text', (shell) => {
    expect(runs('dir', { shell })).toMatchObject([
      { shell, analysis: { refusals: [{ code: 'unsupported_shell', at: 0 }] } },
    ])
  })

  it('refuses a shell that is named without its key', () => {
    expect(() => runs('dir', 'powershell' as never)).toThrow(ConfigError)
  })

  it('adds what an analyzer of the host finds in such text, which proves nothing all the same', () => {
    const analyzer: ShellAnalyzer = () => ({
      commands: [{ argv: ['Get-ChildItem', 'C:\\keys'] }, { argv: ['Invoke-Expression'] }],
      refusals: [],
      operations: [{ access: 'read', path: 'C:\\keys', origin: 'operand' }],
      hosts: [{ host: 'evil.test' }],
    })
    const needs = runs('gci C:\\keys | iex', { shell: 'powershell', analyzer })

    expect(needs).toMatchObject([
      { kind: 'command', analysis: { refusals: [{ code: 'unsupported_shell' }] } },
      { kind: 'path', access: 'read', path: 'C:\\keys', derived: { origin: 'operand' } },
      { kind: 'host', host: 'evil.test', derived: true },
    ])
  })
})
