import {
  fstatSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openFiles } from './open-files.js'

let base = ''
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'sixgate-open-')))
  mkdirSync(join(base, 'a/b'), { recursive: true })
  writeFileSync(join(base, 'a/file'), 'x')
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

const open = (...names: readonly string[]): ReturnType<typeof openFiles> =>
  openFiles(names.map((name, at) => ({ descriptor: 6 + at, path: join(base, name) })))

describe.runIf(process.platform === 'linux')('opening what is mounted by descriptor', () => {
  it('opens files and folders to name them', () => {
    const { descriptors, close } = open('a/b', 'a/file')

    expect([...descriptors.keys()]).toEqual([6, 7])
    expect(fstatSync(descriptors.get(7) ?? -1).ino).toBe(lstatSync(join(base, 'a/file')).ino)
    close()
  })

  it.each(['a/b', 'a/file'])('refuses %s when a folder above has become a link', (name) => {
    renameSync(join(base, 'a'), join(base, 'elsewhere'))
    symlinkSync('elsewhere', join(base, 'a'))

    expect(() => open(name)).toThrowError(expect.objectContaining({ code: 'setup_failed' }))
  })

  it('refuses what has become a link itself, is gone, or was renamed', () => {
    symlinkSync('b', join(base, 'a/link'))

    for (const name of ['a/link', 'a/gone', 'a/b/../b', 'a//b']) {
      const path = `${base}/${name}`
      expect(() => openFiles([{ descriptor: 6, path }])).toThrowError(
        expect.objectContaining({ code: 'setup_failed' }),
      )
    }
  })

  it('leaves nothing open when one of several is refused', () => {
    const before = readdirSync('/proc/self/fd').length

    expect(() => open('a/b', 'a/file', 'a/gone')).toThrow()
    expect(readdirSync('/proc/self/fd').length).toBe(before)
  })
})
