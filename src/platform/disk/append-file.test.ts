import { execFileSync } from 'node:child_process'
import { appendFile, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createAppendFile, openAppendFile, readChunks } from './append-file.js'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sixgate-append-'))
})
afterEach(() => rm(folder, { recursive: true }))

describe('an append file', () => {
  it('is created once, for its owner only', async () => {
    const path = join(folder, 'run')
    await (await createAppendFile(path)).close()

    expect((await stat(path)).mode & 0o777).toBe(0o600)
    await expect(createAppendFile(path)).rejects.toMatchObject({ code: 'EEXIST' })
  })

  it('is not created through a dangling link', async () => {
    const path = join(folder, 'link')
    await symlink(join(folder, 'target'), path)

    await expect(createAppendFile(path)).rejects.toMatchObject({ code: 'EEXIST' })
  })

  it('appends after what is there and sees when another hand did', async () => {
    const path = join(folder, 'run')
    await writeFile(path, 'one')
    const file = await openAppendFile(path)

    file.append(Buffer.from('two'))
    expect([file.size(), file.isIntact()]).toEqual([6, true])
    await appendFile(path, 'x')
    expect([file.size(), file.isIntact()]).toEqual([6, false])

    file.cutBack()
    await file.flush()
    await file.close()
    expect(await readFile(path, 'utf8')).toBe('onetwo')
  })

  it('reads any part of itself and refuses to read past its end', async () => {
    const path = join(folder, 'run')
    await writeFile(path, '0123456789')
    const file = await openAppendFile(path)

    expect(Buffer.from(await file.read(2, 3)).toString()).toBe('234')
    await expect(file.read(8, 3)).rejects.toMatchObject({ code: 'store_failed' })
    await file.close()
  })

  it.each(['link', 'pipe', 'folder'])('opens no %s', async (kind) => {
    const path = join(folder, kind)
    await writeFile(join(folder, 'target'), 'private')
    if (kind === 'link') await symlink(join(folder, 'target'), path)
    if (kind === 'pipe') execFileSync('mkfifo', [path])
    if (kind === 'folder') execFileSync('mkdir', [path])

    await expect(openAppendFile(path)).rejects.toThrow()
    await expect(readChunks(path).next()).rejects.toThrow()
  })
})
