import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { systemClock } from '../../platform/clock.js'
import { systemMachine, type Machine } from '../../platform/machine.js'
import { createSharesFiles } from './package-stores.js'
import { createSearch } from './search.js'

let root = ''
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'sixgate-search-')))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function lay(...paths: readonly string[]): void {
  for (const path of paths) {
    mkdirSync(join(root, path, '..'), { recursive: true })
    if (path.endsWith('/')) mkdirSync(join(root, path), { recursive: true })
    else writeFileSync(join(root, path), 'x')
  }
}

const later = { ...systemClock(), wallMs: () => Date.now() + 60_000 }

describe('a search', () => {
  const search = (): ReturnType<ReturnType<typeof createSearch>> =>
    createSearch(systemMachine(), systemClock())(root)
  const below = (paths: readonly string[]): readonly string[] =>
    paths.map((path) => path.slice(root.length + 1)).sort()

  it('finds repositories and secrets at any depth, in any case spelling', () => {
    lay('.git/HEAD', 'a/b/.git', 'a/.GIT/x', '.env', 'a/.Env.Local', 'a/.env.example', 'a/.netrc')

    expect(below(search().repositories)).toEqual(['.git', 'a/.GIT', 'a/b/.git'])
    expect(below(search().secrets)).toEqual(['.env', 'a/.Env.Local', 'a/.netrc'])
  })

  it('names package stores and virtual environments, and looks into those without a known name', () => {
    lay('node_modules/a/.env', 'x/target/.env', 'y/pyvenv.cfg', 'y/lib/.env', '.venv/.env')

    expect(below(search().secrets)).toEqual(['y/lib/.env'])
    expect(below(search().stores)).toEqual(['.venv', 'node_modules', 'x/target', 'y/lib'])
  })

  it('finds bare repositories, in any case spelling, and folders whose parts lie in another one', () => {
    lay('deep/bare/HEAD', 'deep/bare/objects/', 'deep/bare/refs/', 'split/HEAD', 'split/commondir')
    lay('folded/head', 'folded/Objects/', 'folded/REFS/', 'none/HEAD', 'none/objects/')

    expect(below(search().bare)).toEqual(['deep/bare', 'folded', 'split'])
  })

  it('does not follow links', () => {
    lay('a/.env')
    symlinkSync('a', join(root, 'b'))
    symlinkSync('..', join(root, 'a/loop'))

    expect(below(search().secrets)).toEqual(['a/.env'])
  })

  it('refuses a folder that its own user cannot list, because a command could open it', () => {
    lay('closed/.env')
    const machine: Machine = {
      ...systemMachine(),
      entries: (path) => (path.endsWith('closed') ? null : systemMachine().entries(path)),
    }

    expect(() => createSearch(machine, systemClock())(root)).toThrowError(
      expect.objectContaining({ code: 'workspace_refused' }),
    )
  })

  it('passes by a folder of somebody else that cannot be listed', () => {
    lay('closed/.env', 'open/.env')
    const real = systemMachine()
    const machine: Machine = {
      ...real,
      user: real.user + 1,
      isReadable: (path) => !path.endsWith('closed'),
      entries: (path) => (path.endsWith('closed') ? null : real.entries(path)),
    }

    expect(below(createSearch(machine, systemClock())(root).secrets)).toEqual(['open/.env'])
  })

  it('refuses a folder of somebody else that keeps its names to itself and can be entered', () => {
    lay('closed/.env')
    const real = systemMachine()
    const machine: Machine = {
      ...real,
      user: real.user + 1,
      entries: (path) => (path.endsWith('closed') ? null : real.entries(path)),
    }

    expect(() => createSearch(machine, systemClock())(root)).toThrowError(
      expect.objectContaining({ code: 'workspace_refused' }),
    )
  })

  it('refuses a folder whose names can be read and whose contents cannot, until its owner opens it', () => {
    lay('closed/inner/x')
    const real = systemMachine()
    const machine: Machine = {
      ...real,
      facts: (path) => (path.includes('closed/') ? null : real.facts(path)),
    }

    expect(() => createSearch(machine, systemClock())(root)).toThrowError(
      expect.objectContaining({ code: 'workspace_refused' }),
    )
  })

  it.each(['\xff', '.env.\xff'])('refuses the name %j, which is no text', (name) => {
    mkdirSync(Buffer.concat([Buffer.from(`${root}/`), Buffer.from(name, 'latin1')]))

    expect(search).toThrowError(expect.objectContaining({ code: 'workspace_refused' }))
  })

  it('passes by what was removed while it searched', () => {
    lay('gone/x', 'kept/.env')
    const real = systemMachine()
    const machine: Machine = {
      ...real,
      entries: (path) => {
        const entries = real.entries(path)
        rmSync(join(root, 'gone'), { recursive: true, force: true })
        return entries
      },
    }

    expect(below(createSearch(machine, systemClock())(root).secrets)).toEqual(['kept/.env'])
  })

  it('refuses a workspace that is too deep', () => {
    lay(`${'d/'.repeat(70)}x`)

    expect(search).toThrowError(expect.objectContaining({ code: 'workspace_refused' }))
  })

  it('lists a folder again only when its names have changed', () => {
    lay('a/x', 'b/x')
    const listed: string[] = []
    const real = systemMachine()
    const machine: Machine = {
      ...real,
      entries: (path) => (listed.push(path.slice(root.length)), real.entries(path)),
    }
    const again = createSearch(machine, later)
    again(root)
    listed.length = 0
    again(root)
    expect(listed).toEqual([])

    lay('b/.env')

    expect(below(again(root).secrets)).toEqual(['b/.env'])
    expect(listed).toEqual(['/b'])
  })

  it('does not trust a listing that is as young as the last change', () => {
    lay('a/x')
    let listings = 0
    const real = systemMachine()
    const machine: Machine = { ...real, entries: (path) => (listings++, real.entries(path)) }
    const again = createSearch(machine, systemClock())
    again(root)
    again(root)

    expect(listings).toBe(4)
  })
})

describe('a package store', () => {
  const shares = (name: string): boolean => createSharesFiles(systemMachine())(join(root, name))

  it('shares nothing when all names of its files lie inside', () => {
    lay('target/a/one', 'target/b/x')
    linkSync(join(root, 'target/a/one'), join(root, 'target/b/two'))

    expect(shares('target')).toBe(false)
  })

  it('shares a file that has a name outside', () => {
    lay('node_modules/a/one', 'elsewhere/x')
    linkSync(join(root, 'node_modules/a/one'), join(root, 'elsewhere/one'))

    expect(shares('node_modules')).toBe(true)
  })

  it('counts as shared when a name in it is no text', () => {
    lay('node_modules/a/one', 'elsewhere/x')
    const name = Buffer.from('\xff', 'latin1')
    linkSync(
      join(root, 'elsewhere/x'),
      Buffer.concat([Buffer.from(`${root}/node_modules/a/`), name]),
    )

    expect(shares('node_modules')).toBe(true)
  })

  it('counts as shared when a folder in it cannot be listed', () => {
    lay('node_modules/a/one')
    const real = systemMachine()
    const entries = (path: string): ReturnType<Machine['entries']> =>
      path.endsWith('/a') ? null : real.entries(path)

    expect(createSharesFiles({ ...real, entries })(join(root, 'node_modules'))).toBe(true)
  })

  it('is looked through again when an entry at its top changes', () => {
    lay('node_modules/a/one', 'elsewhere/x')
    const answer = createSharesFiles(systemMachine())
    expect(answer(join(root, 'node_modules'))).toBe(false)

    linkSync(join(root, 'elsewhere/x'), join(root, 'node_modules/a/two'))

    expect(answer(join(root, 'node_modules'))).toBe(true)
  })
})
