import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { removeTree } from './remove-tree.js'

let base = ''
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'sixgate-tree-'))
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

it('removes a tree whose paths are longer than the system takes, and nothing that its links lead to', () => {
  const top = join(base, 'top')
  mkdirSync(join(base, 'kept'))
  writeFileSync(join(base, 'kept/file'), '')
  mkdirSync(top)
  symlinkSync('../kept', join(top, 'link'))
  const name = 'n'.repeat(200)
  const deeper = `for at in $(seq 40); do mkdir ${name} && cd ${name} || exit 1; done; touch end`
  execFileSync('/bin/bash', ['-c', deeper], { cwd: top })

  removeTree(top)

  expect(existsSync(top)).toBe(false)
  expect(existsSync(join(base, 'kept/file'))).toBe(true)
})

it('removes a tree with folders that nobody may enter', () => {
  const top = join(base, 'top')
  mkdirSync(join(top, 'a/b/c'), { recursive: true })
  execFileSync('chmod', ['-R', '000', join(top, 'a')])

  removeTree(top)

  expect(existsSync(top)).toBe(false)
})
