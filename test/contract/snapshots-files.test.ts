/** What files add to the snapshot contract (delegation.md §4, H-16): crashes, links, bad disks, the key. */

import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { lstatSync, readdirSync, statSync, symlinkSync } from 'node:fs'
import { chmod, chown, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { OpenStore } from '../../src/contract/session.js'
import type { SessionId } from '../../src/core/ids.js'
import type { Snapshots } from '../../src/delegation/snapshots.js'
import { jsonlStore } from '../../src/store/jsonl.js'
import { expectFault, ids, line } from './ledger.js'
import { bundleChild } from './ledger-process.js'
import { putAll, snapshotText } from './snapshots.js'

let base: string
let folder: string
let open: OpenStore
let snapshots: Snapshots
let session: SessionId
let child: string

beforeAll(async () => {
  child = await bundleChild('./snapshots-child.ts')
})
afterAll(() => rm(dirname(child), { recursive: true }))

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'sixgate-snapshot-files-'))
  folder = join(base, 'ledger')
  open = await jsonlStore(folder).open('workspace')
  snapshots = open.snapshots
  session = ids.session()
})
afterEach(async () => {
  await open.close()
  await rm(base, { recursive: true })
})

function place(name = ''): string {
  return join(folder, 'snapshots', session, name)
}

function namesThere(): readonly string[] {
  return readdirSync(place()).sort()
}

/** Starts the child, kills it once it has said `lines` lines, and gives those it said by then. */
async function killAfter(mode: 'halt' | 'flood', lines: number): Promise<readonly string[]> {
  const args = [child, mode, folder, session]
  const started = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const said: string[] = []
  for await (const text of createInterface({ input: started.stdout })) {
    said.push(text)
    if (said.length === lines) started.kill('SIGKILL')
  }
  return said
}

describe('files of snapshots', () => {
  it('are private to their owner, and nothing else is beside them', async () => {
    await putAll(snapshots, session, [1, 2])

    const mode = (path: string): number => statSync(path).mode & 0o777
    expect(mode(join(folder, 'snapshots'))).toBe(0o700)
    expect(mode(place())).toBe(0o700)
    expect(mode(place('1.json'))).toBe(0o600)
    expect(mode(join(folder, 'key'))).toBe(0o600)
    expect(namesThere()).toEqual(['1.json', '2.json'])
    expect(await readFile(place('2.json'), 'utf8')).toBe('version 2')
  })

  it('are not listed under foreign names', async () => {
    await putAll(snapshots, session, [7])
    const names = ['0.json', '08.json', '9.json.bak', '-1.json', '1e3.json', 'x', ' 2.json']
    for (const name of [...names, '9007199254740993.json', '99999999999999999999.json']) {
      await writeFile(place(name), '')
    }

    expect(await snapshots.versions(session)).toEqual([7])
  })

  it('go with their folder, and a foreign file in it is not removed', async () => {
    await putAll(snapshots, session, [1, 2])
    await writeFile(place('foreign'), 'kept')

    await expectFault(snapshots.remove(session), 'store_failed')
    expect(namesThere()).toEqual(['foreign'])
    await rm(place('foreign'))
    await snapshots.remove(session)

    expect(readdirSync(join(folder, 'snapshots'))).toEqual([])
  })

  it('are put by two open stores at once without loss', async () => {
    const other = await jsonlStore(folder).open('workspace')

    await Promise.all([
      putAll(snapshots, session, [1, 3, 5, 7, 9]),
      putAll(other.snapshots, session, [2, 4, 6, 8, 10]),
    ])

    expect(await snapshots.versions(session)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    expect(namesThere()).toHaveLength(10)
    await other.close()
  })
})

describe('a process that is killed', () => {
  it.each(['put', 'prune'] as const)(
    '[H-16] before its draft has a name leaves the old versions, and the next %s sweeps',
    async (next) => {
      await putAll(snapshots, session, [1])

      const said = await killAfter('halt', 1)

      expect(said).toEqual(['drafted'])
      expect(namesThere()).toEqual(['1.json', expect.stringMatching(/^2\.json\..*\.draft$/)])
      expect(await snapshots.versions(session)).toEqual([1])
      expect(await snapshots.get(session, 2)).toBeNull()
      expect(await snapshotText(snapshots, session, 1)).toBe('version 1')
      if (next === 'put') await putAll(snapshots, session, [2])
      else await snapshots.prune(session, 1)
      expect(namesThere()).toEqual(next === 'put' ? ['1.json', '2.json'] : ['1.json'])
    },
  )

  it('[H-16] at any moment has lost and torn no version that it was told of', async () => {
    const said = await killAfter('flood', 25)

    const versions = await snapshots.versions(session)
    expect(versions).toEqual(expect.arrayContaining(said.map(Number)))
    for (const version of versions) {
      const whole = `${version} ${'x'.repeat((version * 7919) % 30_000)}`
      expect(await snapshotText(snapshots, session, version)).toBe(whole)
    }
  })
})

describe('a link', () => {
  it.each(['the session folder', 'the folder of all sessions'])(
    '[H-16] in the place of %s is refused by every call',
    async (which) => {
      await putAll(snapshots, session, [1])
      const linked = which === 'the session folder' ? place() : join(folder, 'snapshots')
      const target = join(base, 'target')
      await rename(linked, target)
      symlinkSync(target, linked)
      const before = readdirSync(target, { recursive: true })

      await expectFault(snapshots.put(session, 2, line('x')), 'store_failed')
      await expectFault(snapshots.get(session, 1), 'store_failed')
      await expectFault(snapshots.versions(session), 'store_failed')
      await expectFault(snapshots.prune(session, 2), 'store_failed')
      await expectFault(snapshots.remove(session), 'store_failed')

      expect(readdirSync(target, { recursive: true })).toEqual(before)
    },
  )

  it.each(['a file', 'nothing'])(
    '[H-16] to %s in the place of a version is neither read nor written through',
    async (which) => {
      await putAll(snapshots, session, [1])
      const target = join(base, 'target')
      if (which === 'a file') await writeFile(target, 'other', { mode: 0o600 })
      symlinkSync(target, place('2.json'))

      await expectFault(snapshots.get(session, 2), 'store_failed')
      await expectFault(snapshots.put(session, 2, line('other')), 'store_failed')

      expect(await snapshots.versions(session)).toEqual([1, 2])
      await snapshots.prune(session, 3)
      expect(namesThere()).toEqual([])
      if (which === 'a file') expect(await readFile(target, 'utf8')).toBe('other')
      else expect(readdirSync(base)).toEqual(['ledger'])
    },
  )
})

describe('what lies at the path of a version', () => {
  const unfit: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['a folder', () => mkdir(place('1.json'))],
    ['a pipe', async () => execFileSync('mkfifo', ['-m', '600', place('1.json')])],
    ['more than 8 MiB', () => writeFile(place('1.json'), Buffer.alloc(8 * 1024 * 1024 + 1))],
    ['readable by others', () => chmod(place('1.json'), 0o644)],
  ]
  it.each(unfit)('[H-16] is refused when it is %s', async (kind, plant) => {
    await putAll(snapshots, session, [1])
    if (kind === 'a folder' || kind === 'a pipe') await rm(place('1.json'))

    await plant()

    await expectFault(snapshots.get(session, 1), 'store_failed')
    await expectFault(snapshots.put(session, 1, line('version 1')), 'store_failed')
    expect(await snapshots.versions(session)).toEqual([1])
  })

  it('is refused when others may write the session folder', async () => {
    await putAll(snapshots, session, [1])
    await chmod(place(), 0o777)

    await expectFault(snapshots.get(session, 1), 'store_failed')
    await expectFault(snapshots.put(session, 2, line('x')), 'store_failed')
  })
})

describe('a disk without space', () => {
  it('keeps the old versions and leaves nothing of the new one', async (context) => {
    const mount = join(base, 'small')
    await mkdir(mount, { mode: 0o700 })
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=256k,mode=700', 'tmpfs', mount])
    if (mounted.status !== 0) {
      const reason = 'mounting a small disk needs root'
      console.log(`skipped: ${reason}`)
      context.skip(reason)
    }
    try {
      const small = await jsonlStore(mount).open('workspace')
      const put = (version: number): Promise<void> =>
        small.snapshots.put(session, version, new Uint8Array(70_000).fill(version))
      await put(1)
      await put(2)
      await put(3)

      await expectFault(put(4), 'store_failed')

      const there = join(mount, 'snapshots', session)
      expect(readdirSync(there).sort()).toEqual(['1.json', '2.json', '3.json'])
      const newest = await small.snapshots.get(session, 3)
      expect(newest).toEqual(new Uint8Array(70_000).fill(3))
      await small.snapshots.prune(session, 3)
      await put(4)
      expect(await small.snapshots.versions(session)).toEqual([3, 4])
    } finally {
      execFileSync('umount', [mount])
    }
  })
})

describe('the key', () => {
  it('is the same for all who open a new ledger at once', async () => {
    const fresh = join(base, 'fresh')

    const opened = await Promise.all(
      Array.from({ length: 8 }, () => jsonlStore(fresh).open('workspace')),
    )

    const keys = new Set(opened.map(({ secret }) => Buffer.from(secret).toString('hex')))
    expect([...keys]).toEqual([(await readFile(join(fresh, 'key'))).toString('hex')])
  })

  const key = (): string => join(folder, 'key')
  const tampered: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['is empty', () => writeFile(key(), '')],
    ['is too short', () => writeFile(key(), Buffer.alloc(31, 1))],
    ['is too long', () => writeFile(key(), Buffer.alloc(33, 1))],
    ['is readable by the group', () => chmod(key(), 0o640)],
    ['is readable by others', () => chmod(key(), 0o604)],
    ['is writable by others', () => chmod(key(), 0o602)],
    ['is a link', () => rename(key(), join(base, 'moved')).then(() => linkToMoved())],
    ['is a dangling link', () => rm(key()).then(() => linkToMoved())],
    ['is a folder', () => rm(key()).then(() => mkdir(key()))],
    ['is a pipe', () => rm(key()).then(() => execFileSync('mkfifo', ['-m', '600', key()]))],
  ]
  const linkToMoved = (): void => symlinkSync(join(base, 'moved'), key())

  it.each(tampered)('[H-16] is refused and stays when it %s', async (_, tamper) => {
    await tamper()
    const { ino } = lstatSync(key())

    await expectFault(jsonlStore(folder).open('workspace'), 'store_failed')

    expect(lstatSync(key()).ino).toBe(ino)
    expect(readdirSync(folder).sort()).toEqual(['key', 'ledger.json'])
  })

  it('[H-16] is refused when it belongs to somebody else', async (context) => {
    if (process.geteuid?.() !== 0) {
      const reason = 'giving a file away needs root'
      console.log(`skipped: ${reason}`)
      context.skip(reason)
    }
    await chown(key(), 65534, 65534)

    await expectFault(jsonlStore(folder).open('workspace'), 'store_failed')
  })
})
