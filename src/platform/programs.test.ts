import {
  chmodSync,
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
import { systemPrograms } from './programs.js'

let root = ''
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'programs-')))
  for (const folder of ['a', 'b', 'c']) mkdirSync(join(root, folder))
  writeFileSync(join(root, 'a/plain'), '')
  writeFileSync(join(root, 'b/plain'), '')
  chmodSync(join(root, 'b/plain'), 0o755)
  symlinkSync('../b/plain', join(root, 'c/link'))
})
afterEach(() => rmSync(root, { recursive: true }))

describe('systemPrograms', () => {
  it('finds the first executable, links followed', () => {
    const programs = systemPrograms(() => `${root}/a:${root}/b:${root}/c`)

    expect(programs.find('plain')).toEqual({ status: 'found', folders: [`${root}/b`, `${root}/b`] })
    expect(programs.find('link')).toEqual({ status: 'found', folders: [`${root}/c`, `${root}/b`] })
    expect(programs.find('none')).toEqual({ status: 'missing' })
  })

  it('tells when a folder depends on the place of the command', () => {
    expect(systemPrograms(() => `:${root}/b`).find('plain')).toEqual({ status: 'relative' })
    expect(systemPrograms(() => `bin:${root}/b`).find('plain')).toEqual({ status: 'relative' })
    expect(systemPrograms(() => `${root}/b:.`).find('plain').status).toBe('found')
  })
})
