import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { CallFiles } from '../../contract/files.js'
import { nodeFiles } from '../../platform/files.js'
import { callFiles, type JudgedPath } from './call-files.js'

let workspace = ''
const code = (name: string): unknown =>
  expect.objectContaining({ name: 'SandboxError', code: name })

beforeEach(() => {
  workspace = mkdtempSync(join(realpathSync(tmpdir()), 'call-'))
  mkdirSync(join(workspace, 'src/deep'), { recursive: true })
  writeFileSync(join(workspace, 'src/a.ts'), 'a')
  writeFileSync(join(workspace, 'src/deep/b.ts'), 'b')
  writeFileSync(join(workspace, 'other'), 'other')
})
afterEach(() => {
  rmSync(workspace, { recursive: true })
})

function judged(access: 'read' | 'write', given: string, real = given): JudgedPath {
  return { access, given, real: join(workspace, real) }
}

function handle(
  paths: readonly JudgedPath[],
  { isAlive = () => true, hidden = '' }: { isAlive?: () => boolean; hidden?: string } = {},
): CallFiles {
  const isHidden = (real: string): boolean => hidden !== '' && real.endsWith(hidden)
  return callFiles(paths, isAlive, { files: nodeFiles(), workspace, isHidden })
}

async function all(names: AsyncIterable<string>): Promise<readonly string[]> {
  const found: string[] = []
  for await (const name of names) found.push(name)
  return found
}

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

describe('callFiles', () => {
  it('opens a need by its exact spelling, where it led when it was judged', async () => {
    const files = handle([judged('read', './link', 'other'), judged('write', 'new/file')])

    await files.write('new/file', 'written')

    expect(text(await files.read('./link'))).toBe('other')
    expect(readFileSync(join(workspace, 'new/file'), 'utf8')).toBe('written')
  })

  it('takes away what it was judged to write, and nothing below it', async () => {
    const files = handle([judged('write', './gone', 'other'), judged('write', 'src')])

    await files.remove('./gone')

    expect(existsSync(join(workspace, 'other'))).toBe(false)
    await expect(files.remove('src/a.ts')).rejects.toEqual(code('not_judged'))
    await expect(files.remove('src')).rejects.toMatchObject({ code: 'not_a_file' })
  })

  it('opens nothing else, and no need for what it was not judged for', async () => {
    const files = handle([judged('read', 'other'), judged('write', 'src/a.ts')])

    await expect(files.read('./other')).rejects.toEqual(code('not_judged'))
    await expect(files.read(join(workspace, 'other'))).rejects.toEqual(code('not_judged'))
    await expect(files.read('src/a.ts')).rejects.toEqual(code('not_judged'))
    await expect(files.write('other', 'x')).rejects.toEqual(code('not_judged'))
    await expect(files.write('src/a.ts/x', 'x')).rejects.toEqual(code('not_judged'))
    await expect(files.remove('other')).rejects.toEqual(code('not_judged'))
    await expect(files.remove('./src/a.ts')).rejects.toEqual(code('not_judged'))
    expect(existsSync(join(workspace, 'other'))).toBe(true)
    await expect(files.list('src')).rejects.toEqual(code('not_judged'))
    await expect(all(files.walk('src', 10))).rejects.toEqual(code('not_judged'))
  })

  it('walks, lists and reads below a judged folder', async () => {
    const files = handle([judged('read', './src', 'src')])

    expect(await all(files.walk('./src', 10))).toEqual(['./src/a.ts', './src/deep/b.ts'])
    expect(await files.list('./src/deep')).toEqual([{ name: 'b.ts', kind: 'file' }])
    expect(text(await files.read('./src/deep/b.ts'))).toBe('b')
  })

  it('[H-28] leaves a judged folder neither by dots nor by links', async () => {
    symlinkSync('../../other', join(workspace, 'src/link'))
    const files = handle([judged('read', 'src')])

    for (const path of [
      'src/../other',
      'src/deep/../../other',
      'src//a.ts',
      'src/./a.ts',
      'src/',
      'src/link',
    ]) {
      await expect(files.read(path)).rejects.toEqual(code('not_judged'))
    }
    await expect(files.write('src/new', 'x')).rejects.toEqual(code('not_judged'))
    expect(existsSync(join(workspace, 'src/new'))).toBe(false)
  })

  it('keeps what the policy hides below a judged folder', async () => {
    const files = handle([judged('read', 'src')], { hidden: 'deep/b.ts' })

    expect(await all(files.walk('src', 10))).toEqual(['src/a.ts'])
    await expect(files.read('src/deep/b.ts')).rejects.toEqual(code('not_judged'))
  })

  it('refuses a file that is larger than asked for', async () => {
    const files = handle([judged('read', 'other')])

    const answer = files.read('other', { maximumBytes: 2 })

    await expect(answer).rejects.toMatchObject({ code: 'too_large' })
  })

  it('dies with the call, also for what is under way', async () => {
    let isRunning = true
    const files = handle([judged('read', 'src'), judged('read', 'other'), judged('write', 'new')], {
      isAlive: () => isRunning,
    })
    const pending = files.read('other')
    const walking = files.walk('src', 10)[Symbol.asyncIterator]()
    await walking.next()

    isRunning = false

    const ended = code('call_ended')
    await expect(pending).rejects.toEqual(ended)
    await expect(walking.next()).rejects.toEqual(ended)
    await expect(files.read('other')).rejects.toEqual(ended)
    await expect(files.list('src')).rejects.toEqual(ended)
    await expect(files.write('new', 'x')).rejects.toEqual(ended)
    await expect(files.remove('new')).rejects.toEqual(ended)
    expect(existsSync(join(workspace, 'new'))).toBe(false)
  })

  it('makes a file no wider than the one it stands for, and gives a removed one its permissions back', async () => {
    const secret = join(workspace, 'secret')
    writeFileSync(secret, 'x', { mode: 0o600 })
    const files = handle([
      judged('read', 'secret'),
      judged('write', 'secret'),
      judged('write', 'moved'),
    ])

    await files.write('moved', 'x', { like: 'secret' })
    await files.remove('secret')
    await files.write('secret', 'x')

    expect(statSync(join(workspace, 'moved')).mode & 0o777).toBe(0o600)
    expect(statSync(secret).mode & 0o777).toBe(0o600)
    await expect(files.write('moved', 'x', { like: 'other' })).rejects.toEqual(code('not_judged'))
  })
})
