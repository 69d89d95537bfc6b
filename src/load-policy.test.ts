import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { loadPolicy } from './load-policy.js'
import { createSixgate } from './sixgate.js'

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'load-policy-')))
afterAll(() => rmSync(folder, { recursive: true }))

test('a policy given by a relative path can be used, and its file is protected', async () => {
  const workspace = join(folder, 'workspace')
  mkdirSync(workspace)
  const file = join(folder, 'policy.jsonc')
  writeFileSync(file, '{}')

  const policy = await loadPolicy(relative(process.cwd(), file))

  expect(policy.file).toBe(file)
  expect(() => createSixgate({ policy, workspace, tools: [] })).not.toThrow()
})
