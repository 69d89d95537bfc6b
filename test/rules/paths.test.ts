/** What a path rule meets, whatever the call calls the path (rules.md §4). */

import { describe, expect, it } from 'vitest'
import { decide, reading } from './judge.js'

const ON_WINDOWS = { platform: 'win32' } as const
const ON_MACOS = { platform: 'darwin' } as const

describe('a deny meets every Windows spelling of a path', () => {
  it.each([
    'C:\\ws\\secret.txt',
    'C:/ws/secret.txt',
    '/C:/ws/secret.txt',
    '//C:/ws/secret.txt',
    'c:secret.txt',
    '\\ws\\secret.txt',
    '/ws/secret.txt',
    'secret.txt',
    'sub\\..\\secret.txt',
    '\\\\?\\C:\\ws\\secret.txt',
    '\\\\.\\C:\\ws\\secret.txt',
    '\\??\\C:\\ws\\secret.txt',
    '//?/c:/WS/SECRET.TXT',
    '\\\\localhost\\c$\\ws\\secret.txt',
    '\\\\?\\UNC\\127.0.0.1\\C$\\ws\\secret.txt',
    'secret.txt::$DATA',
    'secret.txt:stream',
    'SECRET.txt. .',
    'secret.txt ',
    's\u200becret.txt',
  ])('`%s`', async (path) => {
    expect(await reading(path, ['allow read', 'deny read(secret.txt)'], ON_WINDOWS)).toBe('deny')
    expect(await reading(path, ['allow read', 'deny read(C:\\ws\\secret.txt)'], ON_WINDOWS)).toBe(
      'deny',
    )
  })

  it.each([
    ['a share', '//srv/share/**', '\\\\SRV\\share\\a\\b'],
    ['a share written with backslashes', '\\\\srv\\share\\**', '//srv/share/a'],
    ['a share behind a prefix', '\\\\?\\UNC\\srv\\share\\**', '\\\\srv\\share\\a'],
    ['a drive behind a prefix', '\\\\?\\D:\\data\\**', 'd:\\data\\a'],
    ['a drive behind a slash', '/D:/data/**', 'D:\\data\\a'],
    ['a whole drive', 'D:/**', 'd:/x'],
    ['a device', '\\\\.\\PhysicalDrive0', '\\\\?\\physicaldrive0'],
  ])('a pattern can name %s', async (_, pattern, path) => {
    const rules = ['allow read', `deny read(${pattern})`]

    expect(await reading(path, rules, ON_WINDOWS)).toBe('deny')
  })
})

describe('what a Windows name does not settle proves nothing', () => {
  it.each([
    ['a short name', 'C:\\ws\\SECRET~1.TXT'],
    ['a drive whose folder nobody knows', 'D:notes.txt'],
    ['a name of dots', 'C:\\ws\\...\\a'],
    ['dots and a blank', 'C:\\ws\\sub\\.. \\a'],
  ])('%s', async (_, path) => {
    expect(await reading(path, ['allow read(**)'], ON_WINDOWS)).toBe('ask')
    expect(await reading(path, ['allow read', 'deny read(@outside)'], ON_WINDOWS)).toBe('deny')
  })

  it.each([
    ['a device name', 'sub\\CON'],
    ['a device name with an ending', 'nul.txt'],
    ['a device name with blanks', 'aux .log'],
    ['a port', 'COM1'],
    ['a port with a raised number', 'COM\u00b9'],
    ['a console', 'CONIN$'],
    ['a stream', 'notes.txt:hidden'],
    ['a device behind a prefix', '\\\\.\\PhysicalDrive0'],
    ['a device behind another', '\\\\?\\GLOBALROOT\\Device\\HarddiskVolume1\\ws\\a'],
  ])('%s is of @kernel, which no wildcard reaches', async (_, path) => {
    const call = { tool: 'read', args: { file_path: path } }

    expect(await decide(call, { ...ON_WINDOWS, policy: { rules: ['allow read(**)'] } })).toEqual([
      'ask',
      'user_rule',
      'builtin:kernel',
    ])
  })

  it.each(['console', 'comet', 'nulls/a', 'lpt', 'a~b.txt', 'com10'])(
    '`%s` is a name like any other',
    async (path) => {
      expect(await reading(path, ['allow read(@workspace)'], ON_WINDOWS)).toBe('allow')
    },
  )

  it('takes no short name of the host for one of the call', async () => {
    const call = { tool: 'read', args: { file_path: 'C:\\Temp\\RUNNER~1\\a' } }

    expect((await decide(call, { ...ON_WINDOWS, policy: { rules: ['allow read(**)'] } }))[0]).toBe(
      'ask',
    )
  })
})

describe('[H-15] one file under two names', () => {
  it.each([
    ['Linux', 'linux', 'ask'],
    ['macOS', 'darwin', 'ask'],
    ['Windows', 'win32', 'allow'],
  ] as const)('an allow compares case as %s does', async (_, platform, expected) => {
    expect(await reading('SRC/a', ['allow read(src/**)'], { platform })).toBe(expected)
  })

  it.each([
    ['Linux', 'linux', 'ask'],
    ['macOS', 'darwin', 'allow'],
    ['Windows', 'win32', 'ask'],
  ] as const)('an allow compares composition as %s does', async (_, platform, expected) => {
    expect(await reading('e\u0301/a', ['allow read(\u00e9/**)'], { platform })).toBe(expected)
  })

  it.each(['linux', 'darwin', 'win32'] as const)(
    'a deny, an ask and a class ignore both on %s',
    async (platform) => {
      const rules = ['allow read', 'deny read(caf\u00e9/**)']

      expect(await reading('CAFE\u0301/x', rules, { platform })).toBe('deny')
      expect(await reading('Src/x', ['allow read', 'ask read(src/**)'], { platform })).toBe('ask')
      expect(await reading('.GIT/config', ['deny read(@protected)'], { platform })).toBe('deny')
      expect(await reading('.Env', ['allow read(**)'], { platform })).toBe('deny')
    },
  )

  it.each(['secret.txt. .', 'SECRET.txt ', 's\u200becret.txt', 'secr\u00adet.txt'])(
    'a deny sees through `%s` also where the volume does not, and an allow does not',
    async (path) => {
      expect(await reading(path, ['allow read', 'deny read(secret.txt)'])).toBe('deny')
      expect(await reading(path, ['allow read(secret.txt)'])).toBe('ask')
    },
  )

  it.each([
    ['the Kelvin sign', '\u212aey', 'key'],
    ['the long s', '\u017fecret', 'secret'],
    ['the dotless i', '\u0131d', 'id'],
    ['a final sigma', 'lo\u03c2', 'lo\u03c3'],
  ])('%s is another letter to a Windows volume, and the same to a deny', async (_, path, name) => {
    expect(await reading(path, [`allow read(${name})`], ON_WINDOWS)).toBe('ask')
    if (name !== 'id') {
      expect(await reading(path, ['allow read', `deny read(${name})`], ON_WINDOWS)).toBe('deny')
    }
  })
})

describe('the readings of a path', () => {
  it('has both for a backslash on POSIX', async () => {
    expect(await reading('src\\a', ['allow read(src/**)'])).toBe('ask')
    expect(await reading('src\\a', ['allow read(src/**)', 'allow read(src\\\\a)'])).toBe('ask')
    expect(await reading('src\\a', ['allow read', 'deny read(src/**)'])).toBe('deny')
    expect(await reading('src\\a', ['allow read(@workspace)'])).toBe('allow')
  })

  it('keeps a colon and a short name as letters where they mean nothing', async () => {
    expect(await reading('a:b', ['allow read(@workspace)'])).toBe('allow')
    expect(await reading('PROGRA~1', ['allow read(@workspace)'])).toBe('allow')
    expect(await reading('con', ['allow read(@workspace)'], ON_MACOS)).toBe('allow')
  })

  it('counts where the path leads with its `..` folded and unfolded', async () => {
    const links = { '/ws/link': '/data/deep' }
    const rules = ['allow read(**)']

    expect(await reading('link/../x', ['allow read(/ws/**)'], { links })).toBe('ask')
    expect(await reading('link/../x', [...rules, 'deny read(/data/x)'], { links })).toBe('deny')
    expect(await reading('link/../x', [...rules, 'deny read(/ws/x)'], { links })).toBe('deny')
  })

  it('follows 40 links and not one more', async () => {
    const chain = (length: number): Record<string, string> =>
      Object.fromEntries(
        Array.from({ length }, (_, index) => [`/ws/l${index}`, `/ws/l${index + 1}`]),
      )

    expect(await reading('l0', ['allow read(@workspace)'], { links: chain(40) })).toBe('allow')
    expect(await reading('l0', ['allow read(@workspace)'], { links: chain(41) })).toBe('ask')
    expect(await reading('l0', ['allow read', 'deny read(@outside)'], { links: chain(41) })).toBe(
      'deny',
    )
  })

  it('follows a link whose target is missing', async () => {
    const links = { '/ws/new': '/home/u/.ssh/authorized_keys' }

    expect(
      await decide(
        { tool: 'write', args: { file_path: 'new', content: '' } },
        { links, policy: { rules: ['allow write(**)'] } },
      ),
    ).toEqual(['deny', 'sandbox', 'builtin:outside_profile'])
  })

  it('resolves the folders that a deny starts with, and none of an allow', async () => {
    const links = { '/ws/alias': '/data' }

    expect(await reading('/data/x', ['allow read', 'deny read(alias/**)'], { links })).toBe('deny')
    expect(await reading('/data/x', ['allow read(alias/**)'], { links })).toBe('ask')
  })
})

describe('a second name of a file', () => {
  const second = (first: string): { readonly hardlinks: Record<string, string> } => ({
    hardlinks: { '/ws/notes.txt': first },
  })

  it.each([
    ['a key', '/home/u/.ssh/id_ed25519'],
    ['a store with a wildcard in its name', '/home/u/.cargo/credentials.toml'],
    ['a secret of the workspace', '/ws/packages/app/.env.local'],
  ])('of %s is that credential', async (_, first) => {
    const call = { tool: 'read', args: { file_path: 'notes.txt' } }

    expect(await decide(call, { ...second(first), policy: { rules: ['allow read(**)'] } })).toEqual(
      ['deny', 'user_rule', 'builtin:credential'],
    )
  })

  it('of a protected file is protected', async () => {
    const call = { tool: 'write', args: { file_path: 'notes.txt', content: '' } }

    expect(
      await decide(call, {
        ...second('/ws/.git/config'),
        policy: { rules: ['allow write(**)'] },
      }),
    ).toEqual(['ask', 'tool_approval', 'builtin:escalation.protected_metadata'])
  })

  it('is met by a rule about the first one', async () => {
    const rules = ['allow read(**)', 'deny read(~/.aws/**)']

    expect(await reading('notes.txt', rules, second('/home/u/.aws/config'))).toBe('deny')
  })

  it('of a plain file, and of what package managers link, changes nothing', async () => {
    expect(await reading('notes.txt', ['allow read(**)'], second('/ws/other.txt'))).toBe('allow')
    expect(
      await reading('notes.txt', ['allow read(**)'], second('/ws/node_modules/a/.npmrc')),
    ).toBe('allow')
  })
})
