/** The guard for file tools (tools.md §1): credentials, protected names, further names, and races. */

import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { execFileSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { PolicyInput } from '../../src/contract/policy.js'
import { PROTECTED_DIRECTORIES, PROTECTED_FILES } from '../../src/lists/protected.js'
import { definePolicy } from '../../src/policy/define.js'
import { createPathGuard, type PathGuard } from '../../src/tools/entry.js'

let base = ''
let workspace = ''
const home = process.env['HOME']
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'sixgate-guard-')))
  workspace = join(base, 'ws')
  process.env['HOME'] = join(base, 'home')
  lay('ws/src/a.txt', 'text')
  lay('home/.ssh/id_rsa', 'THE-KEY')
  lay('out/file', 'untouched')
})
afterEach(() => {
  if (home === undefined) delete process.env['HOME']
  else process.env['HOME'] = home
  rmSync(base, { recursive: true, force: true })
})

function lay(name: string, text: string): string {
  const path = join(base, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  return path
}

function guard(policy?: PolicyInput): PathGuard {
  const given = policy === undefined ? undefined : definePolicy({ workMode: 'full', ...policy })
  return createPathGuard({ workspace, policy: given })
}

const refused = (why: RegExp): object =>
  expect.objectContaining({
    name: 'ToolError',
    code: 'not_permitted',
    message: expect.stringMatching(why) as unknown,
  })

const SECRETS = [
  '.env',
  '.ENV',
  'sub/.env.local',
  'sub/deep/.npmrc',
  '.netrc',
  'sub\\.env',
  '.env/x',
  'sub/.git-credentials',
] as const

/** Ways in which a tool opens a file: a whole read, a range, a new file, an edit. */
const READS = {
  read: (it: PathGuard, path: string) =>
    it
      .openForRead(path, (file) => file.read(0, file.size))
      .then((bytes) => Buffer.from(bytes).toString()),
  range: (it: PathGuard, path: string) =>
    it.openForRead(path, (file) => file.read(1, 2)).then((bytes) => Buffer.from(bytes).toString()),
} as const
const WRITES = {
  write: (it: PathGuard, path: string) => it.openForWrite(path, (file) => file.replace('new')),
  edit: (it: PathGuard, path: string) =>
    it.openForRead(path, async (old) => {
      const bytes = await old.read(0, old.size)
      await it.openForWrite(path, async (file) => {
        if (file.id === old.id) await file.replace(`${Buffer.from(bytes).toString()}+`)
      })
    }),
} as const

describe('what may be opened', () => {
  it('[S1-43] is read, read in part, written and edited', async () => {
    const it = guard()

    expect(it.race).toBe(process.platform === 'linux' ? 'closed' : 'bounded')
    expect(await READS.read(it, 'src/a.txt')).toBe('text')
    expect(await READS.range(it, join(workspace, 'src/a.txt'))).toBe('ex')
    await WRITES.edit(it, 'src/a.txt')
    expect(readFileSync(join(workspace, 'src/a.txt'), 'utf8')).toBe('text+')
    await WRITES.write(it, 'made/deep/b.txt')
    expect(readFileSync(join(workspace, 'made/deep/b.txt'), 'utf8')).toBe('new')
  })

  it.each(SECRETS)('[S1-44] is never a secret: %s', async (name) => {
    if (!name.includes('\\')) lay(`ws/${name === '.ENV' ? '.ENV' : name}`, 'SECRET')
    const it = guard()

    for (const open of [...Object.values(READS), ...Object.values(WRITES)]) {
      await expect(open(it, name)).rejects.toEqual(refused(/holds credentials/))
    }
    await expect(it.assertReadable(name)).rejects.toEqual(refused(/holds credentials/))
  })

  it.each(['.env.example', '.env.sample', 'sub/.env.template', 'environment', 'src/env'])(
    'is what only sounds like one: %s',
    async (name) => {
      lay(`ws/${name}`, 'x')

      expect(await READS.read(guard(), name)).toBe('x')
    },
  )

  it('[S1-44] is no store of the home, by its name, by a link, and where a variable moved it', async () => {
    const moved = lay('moved/kube', 'SECRET')
    symlinkSync(join(base, 'home/.ssh'), join(workspace, 'keys'))
    process.env['KUBECONFIG'] = moved
    try {
      const it = guard({ sandbox: { readable: [base] } })

      for (const path of [join(base, 'home/.ssh/id_rsa'), 'keys/id_rsa', '../home/.SSH/x', moved]) {
        await expect(it.assertReadable(path)).rejects.toEqual(refused(/holds credentials/))
      }
      expect(await READS.read(it, join(base, 'out/file'))).toBe('untouched')
    } finally {
      delete process.env['KUBECONFIG']
    }
  })

  it.each([...PROTECTED_DIRECTORIES.map((name) => `${name}/x`), ...PROTECTED_FILES])(
    '[S1-43] is read and not written at %s, in any case and with both separators',
    async (name) => {
      const it = guard()

      await expect(it.assertReadable(name)).resolves.toBeUndefined()
      for (const spelled of [name, name.toUpperCase(), `./${name}`, `src/../${name}`]) {
        await expect(it.assertWritable(spelled)).rejects.toEqual(refused(/is protected/))
      }
      await expect(it.assertWritable(name.replaceAll('/', '\\'))).rejects.toEqual(
        refused(/is protected/),
      )
      await expect(WRITES.write(it, name)).rejects.toEqual(refused(/is protected/))
      expect(existsSync(join(workspace, name))).toBe(false)
    },
  )

  it.each(['sub/nested/.git/hooks/x', 'sub/.GIT/config'])(
    'is never the repository below: %s',
    async (name) => {
      await expect(guard().assertWritable(name)).rejects.toEqual(refused(/is protected/))
    },
  )

  it('is a part of the repository under the Git write profile, and no control file', async () => {
    const it = guard({ sandbox: { git: 'write' } })

    await expect(it.assertWritable('.git/description')).resolves.toBeUndefined()
    for (const name of ['.git', '.git/config', '.git/hooks/x', '.git/info', '.git/worktrees/a/x']) {
      await expect(it.assertWritable(name)).rejects.toEqual(refused(/is protected/))
    }
  })
})

describe('what the policy opens', () => {
  it('is nothing outside of the workspace', async () => {
    symlinkSync(join(base, 'out'), join(workspace, 'link'))
    const it = guard()

    for (const path of [
      '../out/file',
      join(base, 'out/file'),
      'link/file',
      '/etc/hostname',
      '/proc/self/mem',
    ]) {
      await expect(it.assertReadable(path)).rejects.toEqual(refused(/lies outside/))
      await expect(WRITES.write(it, path)).rejects.toEqual(refused(/lies outside/))
    }
    expect(readFileSync(join(base, 'out/file'), 'utf8')).toBe('untouched')
  })

  it('is what the sandbox of the policy names, for reading or for both', async () => {
    const readable = guard({ sandbox: { readable: [join(base, 'out')] } })
    const writable = guard({ sandbox: { writable: [join(base, 'out')] } })

    expect(await READS.read(readable, '../out/file')).toBe('untouched')
    await expect(readable.assertWritable('../out/file')).rejects.toEqual(refused(/lies outside/))
    await WRITES.write(writable, '../out/file')
    expect(readFileSync(join(base, 'out/file'), 'utf8')).toBe('new')
  })

  it.each([
    ['grants no writing', { workMode: 'ro' as const }],
    ['says nothing of what it grants', { workMode: undefined }],
    ['is read-only', { sandbox: { mode: 'read_only' as const } }],
  ])('is nothing to write when the policy %s', async (_, policy) => {
    const it = createPathGuard({
      workspace,
      policy: definePolicy({
        ...('workMode' in policy ? {} : { workMode: 'full' as const }),
        ...policy,
      }),
    })

    await expect(it.assertWritable('src/a.txt')).rejects.toEqual(refused(/lies outside/))
    await expect(it.assertReadable('src/a.txt')).resolves.toBeUndefined()
  })

  it('is not what the policy forbids, by no spelling', async () => {
    symlinkSync('secret', join(workspace, 'other'))
    lay('ws/secret/a', 'x')
    const it = guard({ forbiddenPaths: ['secret'] })

    for (const path of ['secret/a', 'SECRET/a', 'other/a', 'src/../secret']) {
      await expect(it.assertReadable(path)).rejects.toEqual(refused(/forbidden/))
    }
  })
})

describe('a further name', () => {
  it('[S1-45] refuses a change in a source tree, before anything changes', async () => {
    linkSync(join(base, 'out/file'), join(workspace, 'src/alias'))
    const it = guard()

    await expect(WRITES.write(it, 'src/alias')).rejects.toEqual(refused(/second name/))
    await expect(WRITES.edit(it, 'src/alias')).rejects.toEqual(refused(/second name/))
    expect(readFileSync(join(base, 'out/file'), 'utf8')).toBe('untouched')
    expect(await READS.read(it, 'src/alias')).toBe('untouched')
  })

  it('[S1-45] leaves package stores readable, unless the file is a known credential', async () => {
    mkdirSync(join(workspace, 'node_modules/p'), { recursive: true })
    lay('ws/sub/.env', 'SECRET')
    linkSync(join(base, 'out/file'), join(workspace, 'node_modules/p/index.js'))
    linkSync(join(base, 'home/.ssh/id_rsa'), join(workspace, 'node_modules/p/key.js'))
    linkSync(join(workspace, 'sub/.env'), join(workspace, 'node_modules/p/env.js'))
    const it = guard()

    expect(await READS.read(it, 'node_modules/p/index.js')).toBe('untouched')
    for (const name of ['key.js', 'env.js']) {
      await expect(READS.read(it, `node_modules/p/${name}`)).rejects.toEqual(
        refused(/credential by another name/),
      )
    }
  })
})

describe('a broad search', () => {
  it('[S1-44] leaves out what is protected and says how many', async () => {
    lay('ws/.env', 'SECRET')
    linkSync(join(base, 'home/.ssh/id_rsa'), join(workspace, 'src/key'))
    symlinkSync(join(base, 'out/file'), join(workspace, 'src/link'))

    expect(
      await guard().filterCandidates([
        'src/a.txt',
        '.env',
        'src/key',
        'src/link',
        'src/none',
        '.git/config',
      ]),
    ).toEqual({ paths: ['src/a.txt', 'src/none', '.git/config'], skipped: 3 })
  })

  it('fails, and skips nothing in silence, when there is too much to search for credentials', async () => {
    const deep = Array.from({ length: 70 }, () => 'd').join('/')
    lay(`ws/${deep}/file`, '')
    linkSync(join(base, 'out/file'), join(workspace, 'src/alias'))

    await expect(guard().filterCandidates(['src/alias'])).rejects.toMatchObject({
      code: 'too_large',
    })
  })
})

/** For a moment the name is a second one of a file outside, then one of a file of its own. */
const SWAP_NAMES = `
const { linkSync, rmSync, writeFileSync } = require('node:fs')
const { victim, name } = require('node:worker_threads').workerData
for (const until = Date.now() + 2500; Date.now() < until;) {
  rmSync(name, { force: true })
  try { linkSync(victim, name) } catch {}
  rmSync(name, { force: true })
  writeFileSync(name, 'mine')
}
`

describe('what moves between judging and opening', () => {
  it.skipIf(process.platform !== 'linux')('[H-28] is not followed', async () => {
    lay('ws/p/file', 'inside')
    mkdirSync(join(base, 'out/p'))
    lay('out/p/file', 'untouched')
    const it = guard()
    let isOver = false
    const swapping = (async () => {
      const [real, aside] = [join(workspace, 'p'), join(workspace, 'q')]
      const steps = [
        () => renameSync(real, aside),
        () => symlinkSync(join(base, 'out/p'), real),
        () => unlinkSync(real),
        () => renameSync(aside, real),
      ]
      for (let at = 0; !isOver || at % 4 !== 0; at += 1) {
        try {
          steps[at % 4]?.()
        } catch {
          // The guard makes a folder that is missing just then; it goes, and the next round goes on.
          rmSync(real, { recursive: true, force: true })
        }
        if (at % 2 === 1) await new Promise((resolve) => setTimeout(resolve, Math.random() * 8))
      }
    })()
    let opened = 0
    for (const until = Date.now() + 1500; Date.now() < until;) {
      await it
        .openForRead('p/file', (file) => file.read(0, 64))
        .then(
          (bytes) => {
            opened += 1
            expect(Buffer.from(bytes).toString()).not.toContain('untouched')
          },
          () => undefined,
        )
      await it.openForWrite('p/file', (file) => file.replace('inside')).catch(() => undefined)
      await new Promise((resolve) => setImmediate(resolve))
    }
    isOver = true
    await swapping

    expect(opened).toBeGreaterThan(0)
    expect(readFileSync(join(base, 'out/p/file'), 'utf8')).toBe('untouched')
  })

  it.skipIf(process.platform !== 'linux')(
    '[H-28] is no file whose second name was taken away meanwhile',
    async () => {
      const [victim, name] = [lay('out/victim', 'untouched'), join(workspace, 'src/b')]
      const swapping = new Worker(SWAP_NAMES, { eval: true, workerData: { victim, name } })
      let isOver = false
      swapping.once('exit', () => (isOver = true))
      const it = guard()
      let written = 0
      while (!isOver) {
        await it
          .openForWrite('src/b', (file) => file.replace('inside'))
          .then(
            () => (written += 1),
            () => undefined,
          )
      }

      expect(written).toBeGreaterThan(0)
      expect(readFileSync(victim, 'utf8')).toBe('untouched')
    },
  )

  it.skipIf(process.platform !== 'linux')('[H-28] is no pipe, socket or device', async () => {
    execFileSync('mkfifo', [join(workspace, 'pipe')])
    const it = guard()

    await expect(READS.read(it, 'pipe')).rejects.toMatchObject({ code: 'not_judged' })
    await expect(WRITES.write(it, 'pipe')).rejects.toMatchObject({ code: 'not_judged' })
    await expect(READS.read(it, 'src')).rejects.toMatchObject({ code: 'not_a_file' })
  })

  it('[H-28] is not cut before it is known: a refused use leaves the file as it was', async () => {
    await expect(
      guard().openForWrite('src/a.txt', () => Promise.reject(new TypeError('no'))),
    ).rejects.toThrow()

    expect(readFileSync(join(workspace, 'src/a.txt'), 'utf8')).toBe('text')
  })

  it('refuses a workspace that is no folder', () => {
    expect(() => createPathGuard({ workspace: join(base, 'out/file') })).toThrowError(
      expect.objectContaining({ code: 'not_a_folder' }),
    )
  })

  it('gives a tool no place in a file that is no number', async () => {
    for (const [position, length] of [
      [-1, 1],
      [0, Number.NaN],
      [0.5, 1],
    ] as const) {
      await expect(
        guard().openForRead('src/a.txt', (file) => file.read(position, length)),
      ).rejects.toMatchObject({ code: expect.stringMatching(/invalid_input|input_output/) })
    }
  })
})
