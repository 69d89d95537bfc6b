import { describe, expect, it } from 'vitest'
import { systemMachine, type FileFacts } from '../../platform/machine.js'
import type { Confinement } from '../../platform/process/pipes.js'
import { byControlGroups, byUserScope, withoutLimits } from './enforcement.js'
import { findLimits, isLimited } from './find.js'

const COMMAND: Confinement = {
  file: '/usr/bin/bwrap',
  args: ['--args', '3', '--', '/bin/true', '--user'],
  environment: {},
  cwd: '/',
  pipes: [],
}
const NONE = {
  timeoutMs: 1,
  outputBytes: 1,
  diskBytes: 1,
  processes: null,
  memoryBytes: null,
} as const
const BOTH = { ...NONE, processes: 10, memoryBytes: 1 << 28 }

describe('a machine without a way', () => {
  const nowhere = withoutLimits('no cgroup v2')

  it('keeps a command without a limit as it is', () => {
    expect(nowhere.limited(COMMAND, NONE)).toBe(COMMAND)
  })

  it.each([
    [{ ...NONE, processes: 10 }, 'limits.processes'],
    [{ ...NONE, memoryBytes: 1 }, 'limits.memory'],
  ] as const)('refuses %j with cause and remedy', (limits, guarantee) => {
    expect(() => nowhere.limited(COMMAND, limits)).toThrowError(
      expect.objectContaining({ code: 'unenforceable_limit', remedy: expect.stringMatching(/./) }),
    )
    expect(nowhere.shortfalls[guarantee]).toMatchObject({ cause: 'no cgroup v2' })
  })

  it('is what is found without a service manager and a delegated group', async () => {
    const machine = { ...systemMachine(), facts: () => null }
    const found = await findLimits(machine, () => ({ status: 'missing', cause: 'it has none' }))

    expect(found.shortfalls['limits.memory']?.cause).toContain('it has none')
  })
})

describe('a group for each command', () => {
  it('counts the two processes of the launcher on top', () => {
    const asked: unknown[] = []
    const make = (limits: unknown): { place: () => void; remove: () => void } => {
      asked.push(limits)
      return { place: () => undefined, remove: () => undefined }
    }
    const ways = byControlGroups({ controllers: new Set(['pids', 'memory'] as const), make })
    ways.limited(COMMAND, BOTH).group?.()

    expect(asked).toEqual([{ processes: 12, memoryBytes: 1 << 28 }])
    expect(ways.limited(COMMAND, NONE).group).toBeUndefined()
  })

  it('says which of the two limits its controllers do not keep', () => {
    const make = (): never => expect.unreachable()
    const ways = byControlGroups({ controllers: new Set(['pids'] as const), make })

    expect(Object.keys(ways.shortfalls)).toEqual(['limits.memory'])
    expect(() => ways.limited(COMMAND, BOTH)).toThrowError(
      expect.objectContaining({ code: 'unenforceable_limit' }),
    )
  })
})

describe('a scope for each command', () => {
  it('has the launcher behind its own options, and nothing of the command before them', () => {
    const { file, args, environment } = byUserScope(1000).limited(COMMAND, BOTH)

    expect(file).toBe('/usr/bin/systemd-run')
    expect(args).toEqual([
      ...['--user', '--scope', '--quiet', '--collect', '--no-ask-password'],
      ...['-p', 'TasksMax=12', '-p', 'MemoryMax=268435456', '-p', 'MemorySwapMax=0'],
      ...['--', '/usr/bin/bwrap', '--args', '3', '--', '/bin/true', '--user'],
    ])
    expect(environment).toEqual({ XDG_RUNTIME_DIR: '/run/user/1000' })
  })

  it('is not made for a command without a limit', () => {
    expect(byUserScope(1000).limited(COMMAND, NONE)).toBe(COMMAND)
  })

  it.each([
    [0, '61\n268435456\n0\n', true],
    [0, 'max\n268435456\n0\n', false],
    [0, '', false],
    [1, '61\n268435456\n0\n', false],
  ])('counts only with the limits that it was given (%s, %j)', (code, said, expected) => {
    expect(isLimited(code, said)).toBe(expected)
  })

  it.each([
    ['a socket of somebody else', 4242, 'special'],
    ['a file instead of a socket', 1000, 'file'],
  ] as const)('is not asked of %s', async (_, owner, kind) => {
    const facts = (): FileFacts => ({
      ...{ kind, owner, mode: 0o755, modifiedMs: 0, changedMs: 0, id: '1:1', links: 1 },
    })
    const machine = { ...systemMachine(), user: 1000, facts }

    const found = await findLimits(machine, () => ({ status: 'missing', cause: 'none' }))

    expect(found.shortfalls['limits.processes']).toBeDefined()
  })
})
