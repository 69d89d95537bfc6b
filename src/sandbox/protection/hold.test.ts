import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { SandboxProfile } from '../../contract/sandbox.js'
import { systemClock } from '../../platform/clock.js'
import { systemMachine, type Machine } from '../../platform/machine.js'
import { createClaims } from '../../platform/placeholder/claims.js'
import { holdWorkspace, type Hold } from './hold.js'
import { createProtector } from './protect.js'

let base = ''
let workspace = ''
const state = process.env['XDG_STATE_HOME']
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'sixgate-hold-')))
  workspace = join(base, 'ws')
  mkdirSync(workspace)
  process.env['XDG_STATE_HOME'] = join(base, 'state')
})
afterEach(() => {
  if (state === undefined) delete process.env['XDG_STATE_HOME']
  else process.env['XDG_STATE_HOME'] = state
  rmSync(base, { recursive: true, force: true })
})

function profile(parts: Partial<SandboxProfile['fileSystem']> = {}): SandboxProfile {
  return {
    fileSystem: {
      mode: 'workspace_write',
      workspace,
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

function hold(given = profile(), machine: Machine = systemMachine()): Promise<Hold> {
  const clock = systemClock()
  const protector = createProtector(machine, clock)
  return holdWorkspace(given, { machine, protector, claims: createClaims(clock) })
}

describe('a workspace that is held', () => {
  it('protects a name that came to be while it looked', async () => {
    const real = systemMachine()
    const machine: Machine = {
      ...real,
      list: (folder) => {
        const names = real.list(folder)
        if (folder === workspace) mkdirSync(join(workspace, '.vscode'), { recursive: true })
        return names
      },
    }

    const { guard } = await hold(profile(), machine)

    expect(guard.fixed).toContain(join(workspace, '.vscode'))
    expect(guard.closed).not.toContain(join(workspace, '.vscode'))
  })

  it('pins the folders above what is protected, parents first', async () => {
    mkdirSync(join(workspace, 'a/b/.git'), { recursive: true })
    writeFileSync(join(workspace, 'a/.env'), 'x')

    const { guard } = await hold()

    expect(guard.pinned.filter((path) => !path.endsWith('.github'))).toEqual([
      join(workspace, 'a'),
      join(workspace, 'a/b'),
    ])
    expect(guard.fixed).toEqual([join(workspace, 'a/b/.git')])
    expect(guard.masks[0]).toEqual({ path: join(workspace, 'a/.env'), kind: 'file' })
  })

  it('keeps a bare repository as a whole, and of one that is a root its control files', async () => {
    for (const folder of ['mirror.git', '.']) {
      mkdirSync(join(workspace, folder, 'objects'), { recursive: true })
      mkdirSync(join(workspace, folder, 'refs'))
      writeFileSync(join(workspace, folder, 'HEAD'), 'ref: refs/heads/main')
      writeFileSync(join(workspace, folder, 'config'), '')
    }

    const { guard, release } = await hold()
    release()

    expect(guard.fixed).toEqual(
      ['commondir', 'config', 'config.worktree', 'gitdir', 'mirror.git', 'info/attributes'].map(
        (name) => join(workspace, name),
      ),
    )
    expect(guard.closed).toContain(join(workspace, 'hooks'))
  })

  it('keeps a rebase that stopped, where the repository can be written', async () => {
    mkdirSync(join(workspace, '.git/rebase-merge'), { recursive: true })
    writeFileSync(join(workspace, '.git/rebase-merge/git-rebase-todo'), 'exec true')
    const { guard, release, newControlFiles } = await hold(profile({ git: 'write' }))
    mkdirSync(join(workspace, '.git/rebase-apply'))
    release()

    expect(guard.fixed).toContain(join(workspace, '.git/rebase-merge'))
    expect(newControlFiles()).toEqual([join(workspace, '.git/rebase-apply')])
  })

  it('makes nothing and pins nothing where nothing is written, and still covers secrets', async () => {
    writeFileSync(join(workspace, '.env'), 'x')

    const { guard } = await hold(profile({ mode: 'read_only' }))

    expect(guard).toEqual({
      pinned: [],
      fixed: [],
      closed: [],
      masks: [{ path: join(workspace, '.env'), kind: 'file' }],
    })
  })

  it('stands in for a name once while its placeholder stands', async () => {
    const first = await hold()
    const second = await hold()

    expect(first.guard.closed).toContain(join(workspace, '.vscode'))
    // Another runner's placeholder is protected as what it is.
    expect(second.guard.fixed).toContain(join(workspace, '.vscode'))
  })

  it.each(['.vscode', '.github', '.env', '.git'])('refuses a link at %s', async (name) => {
    symlinkSync(base, join(workspace, name))

    await expect(hold()).rejects.toMatchObject({ code: 'workspace_refused' })
  })

  it('refuses a gitfile that leads to a writable place where nothing is', async () => {
    writeFileSync(join(workspace, '.git'), 'gitdir: later\n')

    await expect(hold()).rejects.toMatchObject({ code: 'workspace_refused' })
  })

  it('leaves a gitfile alone that leads out of reach', async () => {
    writeFileSync(join(workspace, '.git'), 'gitdir: /nonexistent/main/.git\n')

    expect((await hold()).guard.fixed).toEqual([join(workspace, '.git')])
  })

  it.each(['gitdir: real\n\n', 'gitdir: real\r\n', 'gitdir: real\0 '])(
    'protects the folder of a gitfile that ends as only Git reads it: %j',
    async (text) => {
      mkdirSync(join(workspace, 'real'))
      writeFileSync(join(workspace, '.git'), text)

      expect((await hold()).guard.fixed).toContain(join(workspace, 'real'))
    },
  )

  it('protects a folder of a gitfile and a common folder with an end of line in their names', async () => {
    mkdirSync(join(workspace, 're\nal'))
    mkdirSync(join(workspace, 'com\nmon'))
    writeFileSync(join(workspace, '.git'), 'gitdir: re\nal\n')
    writeFileSync(join(workspace, 're\nal/commondir'), '../com\nmon\n')

    const { fixed } = (await hold()).guard

    expect(fixed).toEqual(
      expect.arrayContaining([join(workspace, 're\nal'), join(workspace, 'com\nmon')]),
    )
  })

  it('refuses a gitfile that leads out of reach by a link in reach', async () => {
    mkdirSync(join(base, 'out/real'), { recursive: true })
    symlinkSync(join(base, 'out'), join(workspace, 'way'))
    writeFileSync(join(workspace, '.git'), 'gitdir: way/real\n')

    await expect(hold()).rejects.toMatchObject({ code: 'workspace_refused' })
  })

  it.each([
    ['.vscode/tasks.json', '../way/tasks.json'],
    ['.git/hooks', '../way'],
    ['.git/hooks/lib/x', '../../../way/tasks.json'],
    ['.git/modules/a/b/config', '../../../../way/tasks.json'],
    ['.git/worktrees/one/config.worktree', '../../../way/tasks.json'],
  ])(
    'refuses %s when it leads out of reach by a link in reach, or into reach',
    async (name, to) => {
      for (const folder of ['.git', '.git/modules/a/b', '.git/worktrees/one']) {
        mkdirSync(join(workspace, folder), { recursive: true })
        writeFileSync(join(workspace, folder, 'HEAD'), 'ref: refs/heads/main\n')
      }
      mkdirSync(join(base, 'out'))
      mkdirSync(join(workspace, 'in'))
      for (const folder of [join(base, 'out'), join(workspace, 'in')]) {
        writeFileSync(join(folder, 'tasks.json'), '{}')
      }
      mkdirSync(dirname(join(workspace, name)), { recursive: true })
      await expect(hold()).resolves.toBeDefined()

      symlinkSync(to, join(workspace, name))
      for (const place of [join(base, 'out'), 'in']) {
        rmSync(join(workspace, 'way'), { force: true })
        symlinkSync(place, join(workspace, 'way'))

        await expect(hold()).rejects.toMatchObject({ code: 'workspace_refused' })
      }
    },
  )

  it('covers secrets of a writable folder also where nothing is written', async () => {
    mkdirSync(join(base, 'more'))
    writeFileSync(join(base, 'more/.env'), 'x')

    const { guard } = await hold(profile({ mode: 'read_only', writable: [join(base, 'more')] }))

    expect(guard.masks).toEqual([{ path: join(base, 'more/.env'), kind: 'file' }])
  })

  it('refuses more secrets than a launcher can take', async () => {
    for (let at = 0; at < 1001; at++) writeFileSync(join(workspace, `.env.${at}`), '')

    await expect(hold()).rejects.toMatchObject({ code: 'workspace_refused' })
  })
})
