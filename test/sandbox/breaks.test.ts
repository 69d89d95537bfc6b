/** What one command lays out so that the next one, or a program of the host, gets out (sandbox.md §3). */

import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { definePolicy } from '../../src/policy/define.js'
import { openSandbox } from '../../src/sandbox/entry.js'
import { createPathGuard } from '../../src/tools/entry.js'

let base = ''
let workspace = ''
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'sixgate-breaks-')))
  workspace = join(base, 'ws')
  lay('ws/a.txt', 'text')
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

function lay(name: string, text: string): string {
  const path = join(base, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  return path
}

function git(...args: readonly string[]): void {
  execFileSync('git', ['-C', workspace, ...args], { stdio: 'ignore' })
}

type Profile = NonNullable<Parameters<typeof openSandbox>[0]['profile']>

/** Runs shell texts one after the other and says what they printed. */
async function run(profile: Profile, ...texts: readonly string[]): Promise<readonly string[]> {
  const sandbox = await openSandbox({ workspace, profile })
  const printed: string[] = []
  for (const command of texts) {
    const { stdout, stderr } = await sandbox.exec({ command })
    printed.push(stdout + stderr)
  }
  return printed
}

describe('the Git write profile', () => {
  it('keeps hooks and configuration closed after a command took the objects away', async () => {
    git('init', '-q')
    const config = readFileSync(join(workspace, '.git/config'), 'utf8')

    await run(
      { git: 'write' },
      'mv .git/objects .git/gone',
      'echo "#!/bin/sh" > .git/hooks/post-commit; echo "[core] pager = x" >> .git/config',
    )

    expect(existsSync(join(workspace, '.git/gone'))).toBe(true)
    expect(existsSync(join(workspace, '.git/hooks/post-commit'))).toBe(false)
    expect(readFileSync(join(workspace, '.git/config'), 'utf8')).toBe(config)
  })
})

describe('a folder that a command makes a virtual environment', () => {
  it('hides no secret from the search', async () => {
    lay('ws/app/config/.env', 'TOKEN=1')

    const [, printed] = await run({}, 'touch pyvenv.cfg app/pyvenv.cfg', 'cat app/config/.env')

    expect(printed).not.toContain('TOKEN')
  })

  it('hides no repository from the search', async () => {
    mkdirSync(join(workspace, 'lib'))
    execFileSync('git', ['-C', join(workspace, 'lib'), 'init', '-q'])
    lay('ws/lib/sub/.git/HEAD', 'ref: refs/heads/main')

    await run({}, 'touch pyvenv.cfg lib/pyvenv.cfg', 'echo x > lib/sub/.git/config')

    expect(existsSync(join(workspace, 'lib/sub/.git/config'))).toBe(false)
  })
})

describe('the path guard', () => {
  it.each(['.git-credential\u017f', '.e\u200bnv', 'sub/.\u2060netrc', '.env\u00ad'])(
    'opens no secret by letters that some file system takes for its name: %j',
    async (name) => {
      lay(`ws/${name}`, 'TOKEN=1')
      const guard = createPathGuard({ workspace })

      await expect(guard.assertReadable(name)).rejects.toMatchObject({ code: 'not_permitted' })
    },
  )

  it.each(['.v\u017fcode/tasks.json', '.gi\u200dt/config', '.\u017fixgate/policy.jsonc'])(
    'writes nothing protected by such letters: %j',
    async (name) => {
      const guard = createPathGuard({ workspace })

      await expect(guard.assertWritable(name)).rejects.toMatchObject({ code: 'not_permitted' })
    },
  )

  it.each([
    ['an opened folder', 'clone/.git/config'],
    ['a folder that is a repository', '.git/HEAD'],
  ])('writes no control files of a repository in %s', async (_, name) => {
    const extra = join(base, 'extra')
    lay('extra/clone/a', '')
    lay('extra/.git/HEAD', '')
    const policy = definePolicy({ workMode: 'full', sandbox: { writable: [extra] } })
    const guard = createPathGuard({ workspace, policy })

    await guard.assertWritable(join(extra, 'clone/b'))
    await expect(guard.assertWritable(join(extra, name))).rejects.toMatchObject({
      code: 'not_permitted',
    })
  })
})
