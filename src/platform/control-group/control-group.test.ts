import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findGroups, groupsBelow } from './control-group.js'
import { findDelegation, OWN_LEAF } from './delegated.js'

let mount = ''
const membership = (): string => join(mount, 'membership')
const user = process.geteuid?.() ?? -1
beforeEach(() => {
  mount = mkdtempSync(join(tmpdir(), 'sixgate-cgroup-'))
  lay('', 'cpu pids memory')
  writeFileSync(membership(), '1:name=systemd:/\n0::/\n')
})
afterEach(() => rmSync(mount, { recursive: true, force: true }))

/** The files of a group that the kernel would make. */
function lay(path: string, controllers: string, handedOn = controllers): void {
  mkdirSync(join(mount, path), { recursive: true })
  writeFileSync(join(mount, path, 'cgroup.controllers'), `${controllers}\n`)
  writeFileSync(join(mount, path, 'cgroup.subtree_control'), `${handedOn}\n`)
  writeFileSync(join(mount, path, 'cgroup.procs'), '')
}

function find(as = user): ReturnType<typeof findDelegation> {
  return findDelegation({ mounts: ['/nonexistent', mount], membership: membership() }, as)
}

describe('where groups can be made', () => {
  it('is the top of what root sees', () => {
    expect(find(0)).toEqual({
      status: 'delegated',
      folder: mount,
      controllers: new Set(['pids', 'memory']),
    })
  })

  it('is never a group that the service manager gave root', () => {
    lay('user.slice', 'pids memory')
    writeFileSync(membership(), '0::/user.slice\n')

    expect(find(0)).toMatchObject({ status: 'missing' })
  })

  it('is the own group of another user, and the one above the group that a host moved to', () => {
    lay(`mine/${OWN_LEAF}`, 'pids')
    lay('mine', 'pids')
    writeFileSync(membership(), `0::/mine/${OWN_LEAF}\n`)

    // The files belong to whoever runs this test; as root the user is told apart by its number alone.
    const found = find(user)

    expect(found).toMatchObject(
      user === 0
        ? { status: 'missing' }
        : { status: 'delegated', folder: join(mount, 'mine'), controllers: new Set(['pids']) },
    )
  })

  it('is not the group of another user', () => {
    expect(find(user + 1)).toMatchObject({ status: 'missing', cause: /delegated/ })
  })

  it.each([
    ['there is no cgroup v2', '4:memory:/\n', 'pids'],
    ['no controller is there', '0::/\n', 'hugetlb'],
  ])('is nowhere when %s', (_, text, controllers) => {
    writeFileSync(membership(), text)
    lay('', controllers)

    expect(findGroups({ mounts: [mount], membership: membership() })).toMatchObject({
      status: 'missing',
    })
  })
})

describe('a group', () => {
  const make = (): ReturnType<typeof groupsBelow> =>
    groupsBelow(mount, new Set(['pids', 'memory'] as const))

  it('gets its limits before anybody is placed in it', () => {
    const group = make().make({ processes: 12, memoryBytes: 4096 })
    const name = readdirSync(mount).find((one) => one.startsWith('sixgate-run-')) ?? ''
    group.place(17)

    expect(readFileSync(join(mount, name, 'pids.max'), 'utf8')).toBe('12')
    expect(readFileSync(join(mount, name, 'memory.max'), 'utf8')).toBe('4096')
    expect(readFileSync(join(mount, name, 'cgroup.procs'), 'utf8')).toBe('17')
  })

  it('has no limit that was not asked for', () => {
    make().make({ processes: 12, memoryBytes: null })
    const name = readdirSync(mount).find((one) => one.startsWith('sixgate-run-')) ?? ''

    expect(readdirSync(join(mount, name))).toEqual(['pids.max'])
  })

  it('that a killed host left behind goes when groups are next made', () => {
    mkdirSync(join(mount, 'sixgate-run-4194305-1'))
    mkdirSync(join(mount, `sixgate-run-${process.pid}-900`))
    make()

    expect(readdirSync(mount).filter((one) => one.startsWith('sixgate-run-'))).toEqual([
      `sixgate-run-${process.pid}-900`,
    ])
  })

  it('cannot be made where nothing can be written, and says that the limit is unenforceable', () => {
    const groups = groupsBelow('/proc/sys', new Set(['pids'] as const))

    expect(() => groups.make({ processes: 1, memoryBytes: null })).toThrowError(
      expect.objectContaining({ name: 'SandboxError', code: 'unenforceable_limit' }),
    )
  })
})
