import { execFileSync } from 'node:child_process'
import { chmodSync, linkSync, mkdirSync, mkdtempSync, readFileSync, realpathSync } from 'node:fs'
import { existsSync, readdirSync, renameSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { nodeFiles } from './files.js'

let root = ''
const at = (name: string): string => join(root, name)
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const notJudged = expect.objectContaining({ name: 'SandboxError', code: 'not_judged' })
const fault = (name: string): unknown => expect.objectContaining({ name: 'ToolError', code: name })

beforeEach(() => {
  root = mkdtempSync(join(realpathSync(tmpdir()), 'files-'))
})
afterEach(() => {
  rmSync(root, { recursive: true })
})

const RACES =
  process.platform === 'linux' ? (['closed', 'bounded'] as const) : (['bounded'] as const)

describe.each(RACES)('nodeFiles with a %s race', (race) => {
  const files = nodeFiles(race)
  const read = async (name: string): Promise<string> =>
    new TextDecoder().decode(await files.readRegularFile(at(name), 1000))
  const write = (name: string, text: string): Promise<void> =>
    files.writeRegularFile(at(name), bytes(text), root)

  it('reads and writes a regular file', async () => {
    await write('file', 'a longer text')
    await write('file', 'short')

    expect(await read('file')).toBe('short')
  })

  it('makes missing folders below the root, and none outside', async () => {
    mkdirSync(at('inner'))

    await write('a/b/file', 'x')
    const outside = files.writeRegularFile(at('c/file'), bytes('x'), at('inner'))

    await expect(outside).rejects.toEqual(fault('not_found'))
    expect(readdirSync(root)).toEqual(['a', 'inner'])
    expect(await read('a/b/file')).toBe('x')
  })

  it('keeps the mode of an existing file', async () => {
    writeFileSync(at('script'), '')
    chmodSync(at('script'), 0o750)

    await write('script', 'x')

    expect(statSync(at('script')).mode & 0o777).toBe(0o750)
  })

  it('refuses a file that is larger than asked for, without a size as well', async () => {
    await write('file', 'x'.repeat(1001))

    await expect(read('file')).rejects.toEqual(fault('too_large'))
    if (process.platform !== 'linux') return
    const endless = files.readRegularFile('/proc/cpuinfo', 1)
    await expect(endless).rejects.toEqual(fault('too_large'))
  })

  it('[H-28] follows no link, at the end or on the way, for reading or writing', async () => {
    mkdirSync(at('real'))
    writeFileSync(at('real/file'), 'kept')
    symlinkSync('real', at('folder'))
    symlinkSync('real/file', at('link'))
    symlinkSync('real/new', at('dangling'))

    for (const name of ['link', 'folder/file']) {
      await expect(read(name)).rejects.toEqual(notJudged)
      await expect(write(name, 'lost')).rejects.toEqual(notJudged)
    }
    await expect(write('dangling', 'x')).rejects.toEqual(notJudged)
    await expect(write('folder/new/file', 'x')).rejects.toEqual(notJudged)
    await expect(files.listFolder(at('folder'))).rejects.toEqual(notJudged)
    expect(readdirSync(at('real'))).toEqual(['file'])
    expect(await read('real/file')).toBe('kept')
  })

  it('[H-28] refuses FIFOs, sockets and devices without opening them', async () => {
    execFileSync('mkfifo', [at('fifo')])
    const server = createServer().listen(at('socket'))
    await new Promise((resolve) => server.once('listening', resolve))

    for (const path of [at('fifo'), at('socket'), '/dev/null']) {
      await expect(files.readRegularFile(path, 10)).rejects.toEqual(notJudged)
      await expect(files.writeRegularFile(path, bytes('x'), root)).rejects.toEqual(notJudged)
    }
    server.close()
  })

  it('[S1-45] does not change a file that has a second name, but reads it', async () => {
    writeFileSync(at('file'), 'kept')
    linkSync(at('file'), at('alias'))

    await expect(write('alias', 'lost')).rejects.toEqual(notJudged)
    expect(await read('alias')).toBe('kept')
  })

  it('takes a regular file away, and nothing that is missing', async () => {
    await write('file', 'x')

    await files.removeRegularFile(at('file'))

    expect(readdirSync(root)).toEqual([])
    await expect(files.removeRegularFile(at('file'))).rejects.toEqual(fault('not_found'))
    await expect(files.removeRegularFile(at('a/b'))).rejects.toEqual(fault('not_found'))
  })

  it('[H-28] takes away no folder, no link, nothing behind a link and no second name', async () => {
    mkdirSync(at('folder'))
    await write('folder/file', 'x')
    symlinkSync(at('folder'), at('link'))
    symlinkSync(at('folder/file'), at('file-link'))
    linkSync(at('folder/file'), at('second'))
    execFileSync('mkfifo', [at('fifo')])

    await expect(files.removeRegularFile(at('folder'))).rejects.toEqual(fault('not_a_file'))
    for (const name of ['link', 'file-link', 'link/file', 'second', 'folder/file', 'fifo']) {
      await expect(files.removeRegularFile(at(name))).rejects.toEqual(notJudged)
    }
    expect(readdirSync(root).sort()).toEqual(['fifo', 'file-link', 'folder', 'link', 'second'])
    expect(readdirSync(at('folder'))).toEqual(['file'])
  })

  it('says what is wrong with a path without naming it', async () => {
    mkdirSync(at('folder'))
    writeFileSync(at('file'), '')

    await expect(read('missing')).rejects.toEqual(fault('not_found'))
    await expect(read('folder')).rejects.toEqual(fault('not_a_file'))
    await expect(write('folder', 'x')).rejects.toEqual(fault('not_a_file'))
    await expect(read('file/x')).rejects.toEqual(fault('not_a_folder'))
    await expect(files.listFolder(at('file'))).rejects.toEqual(fault('not_a_folder'))
    await expect(read('missing')).rejects.toThrow(expect.not.stringContaining(root))
  })

  it('lists the names of a folder with their kinds, sorted', async () => {
    mkdirSync(at('b'))
    writeFileSync(at('a'), '')
    symlinkSync('a', at('d'))
    execFileSync('mkfifo', [at('c')])

    expect(await files.listFolder(root)).toEqual([
      { name: 'a', kind: 'file' },
      { name: 'b', kind: 'directory' },
      { name: 'c', kind: 'other' },
      { name: 'd', kind: 'link' },
    ])
  })

  it('walks regular files below a folder, sorted, up to the limit, following no link', async () => {
    for (const name of ['b/2', 'b/1', 'a/z', 'c', 'b/x/y']) await write(name, '')
    symlinkSync('b', at('a/loop'))
    const walk = async (limit: number): Promise<string[]> => {
      const found: string[] = []
      for await (const path of files.walkFolder(root, limit)) found.push(path)
      return found
    }

    expect(await walk(100)).toEqual(['a/z', 'b/1', 'b/2', 'b/x/y', 'c'])
    expect(await walk(2)).toEqual(['a/z', 'b/1'])
    expect(await walk(0)).toEqual([])
  })

  it('refuses a walk that goes deeper than it may look', async () => {
    mkdirSync(at('d/'.repeat(70)), { recursive: true })

    const next = files.walkFolder(root, 10)[Symbol.asyncIterator]().next()

    await expect(next).rejects.toEqual(fault('too_large'))
  })
})

describe.runIf(process.platform === 'linux')('nodeFiles with a closed race', () => {
  it('[H-28] never acts outside while a folder on the way is exchanged for a link', async () => {
    const outside = mkdtempSync(join(realpathSync(tmpdir()), 'outside-'))
    writeFileSync(join(outside, 'file'), 'secret')
    mkdirSync(at('folder'))
    writeFileSync(at('folder/file'), 'public')
    symlinkSync(outside, at('trap'))

    const seen = new Set<string>()
    const read = async (): Promise<void> => {
      const content = nodeFiles('closed').readRegularFile(at('folder/file'), 100)
      seen.add(
        await content.then(
          (found) => new TextDecoder().decode(found),
          () => 'refused',
        ),
      )
    }
    for (let round = 0; round < 60; round += 1) {
      const pending = read()
      renameSync(at('folder'), at('away'))
      renameSync(at('trap'), at('folder'))
      await new Promise((resolve) => setImmediate(resolve))
      renameSync(at('folder'), at('trap'))
      renameSync(at('away'), at('folder'))
      await pending
    }

    expect(seen).not.toContain('secret')
    expect(existsSync(join(outside, 'file'))).toBe(true)
    expect(readFileSync(join(outside, 'file'), 'utf8')).toBe('secret')
    rmSync(outside, { recursive: true })
  })
})
