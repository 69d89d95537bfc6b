import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { createScratchFolders } from './scratch-folders.js'

const folders = createScratchFolders()
const made: string[] = []
const folder = (owner: string, use: string): string => {
  const path = folders.folder(owner, use) ?? expect.unreachable()
  made.push(path)
  return path
}
afterEach(() => {
  for (const path of made.splice(0)) rmSync(path, { recursive: true, force: true })
  for (const owner of ['one', 'two']) folders.end(owner)
})

it('gives each owner and use a folder of its own, again and again the same', () => {
  const all = [folder('one', 'a'), folder('one', 'b'), folder('two', 'a')]

  expect(new Set(all).size).toBe(3)
  expect(folder('one', 'a')).toBe(all[0])
})

it('removes those of one owner with everything in them, and follows no link', () => {
  const kept = folder('two', 'a')
  const path = folder('one', 'a')
  writeFileSync(join(kept, 'file'), 'kept')
  symlinkSync(kept, join(path, 'link'))
  folders.end('one')

  expect(existsSync(path)).toBe(false)
  expect(readdirSync(kept)).toContain('file')
})

it('removes at its first use what a killed process left, and nothing of one that runs', () => {
  const own = folder('one', 'a')
  const parts = basename(own).split('_')
  const name = (pid: string, started: string): string =>
    join(tmpdir(), [parts[0], pid, started, parts[3], 'x'].join('_'))
  const dead = [name('4194304', parts[2] ?? ''), name(parts[1] ?? '', 'another.1')]
  const elsewhere = join(tmpdir(), [parts[0], '4194304', parts[2], '1', 'x'].join('_'))
  for (const path of [...dead, elsewhere]) {
    made.push(path)
    mkdirSync(path)
  }
  createScratchFolders().folder('three', 'a')

  expect(dead.filter((path) => existsSync(path))).toEqual([])
  expect(existsSync(elsewhere)).toBe(true)
  expect(existsSync(own)).toBe(true)
})
