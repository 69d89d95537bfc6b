/** Spellings and places that once reached past a rule (rules.md §3, §4, pipeline.md §2). */

import { linkSync, mkdirSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { loadPolicy } from '../../src/load-policy.js'
import { createTestSixgate } from '../../src/testing/create-test-sixgate.js'
import { defineTool } from '../../src/tools/define-tool.js'
import { read } from '../../src/tools/entry.js'
import { unstatedNeeds } from '../../src/tools/unstated-needs.js'
import { aGround, type Ground } from '../builders/session.js'
import { decide, type Setting } from './judge.js'

const SAFE = { readOnlyHint: true, openWorldHint: false } as const

/** The decision on a call of a server's tool that a bare allow would cover. */
async function told(args: unknown, rule: string, setting: Setting = {}): Promise<string> {
  const tool = defineTool({
    name: 'mcp__a__b',
    inputSchema: z.unknown(),
    annotations: SAFE,
    needs: unstatedNeeds,
  })
  const policy = { rules: ['allow mcp__a', rule] }
  return (await decide({ tool: tool.name, args }, { ...setting, tools: [tool], policy }))[0]
}

describe('an argument that as a whole is a path or a URL', () => {
  it.each([
    ['a file URL with one slash', 'file:/data/key', 'deny read(/data/**)'],
    ['a file URL of a host', 'file://localhost/data/key', 'deny read(/data/**)'],
    ['a file URL with a backslash', 'file:\\data\\key', 'deny read(/data/**)'],
    ['a URL with one slash', 'https:/evil.test/x', 'deny web_fetch(evil.test)'],
    ['a URL without slashes', 'https:evil.test', 'deny web_fetch(evil.test)'],
    ['a URL with backslashes', 'http:\\\\evil.test\\x', 'deny web_fetch(evil.test)'],
    ['a URL with a line end in its protocol', 'ht\ntps://evil.test', 'deny web_fetch(evil.test)'],
    ['a URL by the protocol of its page', '//evil.test/x', 'deny web_fetch(evil.test)'],
    ['a relative path with a blank', 'secret/my key.txt', 'deny read(secret/**)'],
    ['a step up behind a line end', '/data/x\n/../key', 'deny read(/data/key)'],
    ['a relative step up behind a line end', 'x\n/../secret/key', 'deny read(secret/**)'],
    ['a relative step up behind a blank', 'x y/../secret/key', 'deny read(secret/**)'],
  ])('is met: %s', async (_, leaf, rule) => {
    expect(await told({ leaf }, rule)).toBe('deny')
  })

  it.each([
    ['a sentence', 'please read secret/key today'],
    ['a sentence with a name of a file', 'please read secret/key.txt'],
    ['a label', 'note: x'],
    ['a label that is a protocol', 'file: not found'],
    ['a protocol alone', 'https:'],
    ['a time', 'at:noon'],
    ['lines', 'secret/key\nand more'],
    ['lines of a program', '// a comment\nrun()\n'],
  ])('is not suspected in %s', async (_, leaf) => {
    for (const rule of ['deny read(**)', 'deny web_fetch(**)']) {
      expect(await told({ leaf }, rule)).toBe('allow')
    }
  })
})

describe('a raw volume of Windows', () => {
  const setting: Setting = { platform: 'win32' }
  const call = (file_path: string, tool = 'read'): Parameters<typeof decide>[0] => ({
    tool,
    args: tool === 'write' ? { file_path, content: 'x' } : { file_path },
  })

  it.each(['\\\\.\\C:', '\\\\?\\C:', '\\??\\C:', '//./c:', '\\\\.\\C:::$DATA', '\\\\.\\D:'])(
    'is no folder: %s',
    async (path) => {
      const policy = { rules: ['allow read(**)', 'allow read(C:/**)', 'allow write(@workspace)'] }

      for (const tool of ['read', 'write']) {
        expect((await decide(call(path, tool), { ...setting, policy }))[0]).not.toBe('allow')
      }
    },
  )

  it('is met by a rule for it, and by the class of devices', async () => {
    for (const rule of ['deny read(\\\\.\\C:)', 'deny read(@kernel)']) {
      const policy = { rules: ['allow read(**)', rule] }

      expect((await decide(call('\\\\?\\c:'), { ...setting, policy }))[0]).toBe('deny')
    }
  })

  it('is not what its root folder is', async () => {
    const policy = { rules: ['allow read(C:/**)'] }

    expect((await decide(call('\\\\?\\C:\\ws\\a'), { ...setting, policy }))[0]).toBe('allow')
  })
})

describe('a repository in another folder that the policy opens', () => {
  const write = (file_path: string): Parameters<typeof decide>[0] => ({
    tool: 'write',
    args: { file_path, content: 'x' },
  })
  const policy = { rules: ['allow write(**)'], sandbox: { writable: ['/data'] } } as const

  it.each(['/data/clone/.git/hooks/pre-commit', '/data/.git/config', '/data/clone/.GIT'])(
    'is protected as one in the workspace is: %s',
    async (path) => {
      const expected = ['ask', 'tool_approval', 'builtin:escalation.protected_metadata']

      expect(await decide(write(path), { policy })).toEqual(expected)
    },
  )

  it('is met by a rule for what is protected', async () => {
    const strict = { ...policy, rules: ['allow write(**)', 'deny write(@protected)'] }

    expect((await decide(write('/data/clone/.git/config'), { policy: strict }))[0]).toBe('deny')
    expect((await decide(write('/data/clone/src/a'), { policy: strict }))[0]).toBe('allow')
  })
})

describe('a policy file outside of the workspace', () => {
  async function reads(policyFile: string, platform?: 'darwin'): Promise<string> {
    const sixgate = createTestSixgate(
      {
        policy: await loadPolicy(policyFile),
        workspace: ground.workspace,
        tools: [read],
        responder: 'suspend',
      },
      { platform },
    )
    await using session = await sixgate.session()
    return (await session.check({ tool: 'read', args: { file_path: 'a.txt' } })).decision
  }
  const TEXT = '{ "workMode": "rw", "rules": ["allow read(a.txt)"] }'
  let ground: Ground
  beforeEach(() => {
    ground = aGround()
  })
  afterEach(() => {
    ground.clear()
  })

  it('allows nothing by itself where a session may write it by a second name', async () => {
    const file = join(ground.base, 'policy.jsonc')
    writeFileSync(file, TEXT)
    expect(await reads(file)).toBe('allow')

    linkSync(file, join(ground.workspace, 'notes.jsonc'))

    expect(await reads(file)).toBe('ask')
  })

  it('allows nothing by itself where only the case of its folder is another', async () => {
    const folder = join(dirname(ground.workspace), basename(ground.workspace).toUpperCase())
    mkdirSync(folder)
    writeFileSync(join(folder, 'policy.jsonc'), TEXT)

    expect(await reads(join(folder, 'policy.jsonc'))).toBe('allow')
    expect(await reads(join(folder, 'policy.jsonc'), 'darwin')).toBe('ask')
  })
})
