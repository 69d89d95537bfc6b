/** A session that only reads, and a child below it, meet every way in which a shell writes (sandbox.md §1). */

import { lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { PolicyInput } from '../../src/contract/policy.js'
import type { Session } from '../../src/contract/session.js'
import { createNativeSandbox, openSandbox } from '../../src/sandbox/entry.js'
import { bash } from '../../src/tools/builtin/bash.js'
import { aGround, aResponder, YES, type Ground } from '../builders/session.js'
import { useHosts } from '../conformance/hosts.js'

const { inMemory } = useHosts()

const report = await createNativeSandbox().probe()
const reason = report.status === 'ready' ? null : (report.cause ?? 'no sandbox')
if (reason !== null) console.warn(`writing in a session that only reads is not tried: ${reason}`)

const WAYS: readonly (readonly [string, string])[] = [
  ['a redirect', 'echo x > new'],
  ['a redirect that appends', 'echo x >> a.txt'],
  ['a here-document', 'cat > new <<< x'],
  ['tee', 'echo x | tee new'],
  ['touch', 'touch new'],
  ['copying', 'cp a.txt new'],
  ['moving', 'mv a.txt new'],
  ['removing', 'rm -f a.txt'],
  ['dd', 'dd if=a.txt of=new'],
  ['sed in place', 'sed -i s/t/u/ a.txt'],
  ['truncating', 'truncate -s 0 a.txt'],
  ['a folder', 'mkdir -p new/deep'],
  ['a link', 'ln -s a.txt new'],
  ['a second name', 'ln a.txt new'],
  ['permissions', 'chmod 600 a.txt'],
  ['a time', 'touch -d 2001-01-01 a.txt'],
  ['a pipe file', 'mkfifo new'],
  ['another shell', `sh -c 'echo x > new'`],
  ['a script', 'bash ./step.sh'],
  ['a command out of pieces', `f=ne; eval "echo x > \${f}w"`],
  ['a program that is found at run time', `$(printf to)uch new`],
  ['python', `python3 -c "open('new', 'w').write('x')"`],
  ['node', `node -e "require('fs').writeFileSync('new', 'x')"`],
  ['awk', `awk 'BEGIN { print "x" > "new" }'`],
  ['xargs', 'echo new | xargs touch'],
  ['find', 'find . -name a.txt -exec touch new \\;'],
  ['tar', 'tar cf new a.txt'],
  ['git', 'git init -q .'],
  ['what goes on in the background', '(sleep 0.1; touch new) & wait'],
  ['what survives its shell', `setsid sh -c 'sleep 0.1; touch new' < /dev/null; sleep 0.3`],
  ['the workspace by another path', 'cd / && touch "$OLDPWD/new"'],
  ['the folder of the process', 'touch /proc/self/cwd/new'],
]

/** Held by more than the right to write: control files, and the kernel's own. */
const GUARDED: readonly string[] = ['git', 'the folder of the process']

const READS: PolicyInput = {
  workMode: 'ro',
  rules: ['allow bash', 'allow write(**)'],
  toolApproval: 'accept_all',
}
const WRITES: PolicyInput = { ...READS, workMode: 'full', network: 'on' }

function aWorkspace(): Ground {
  const ground = aGround()
  writeFileSync(join(ground.workspace, 'step.sh'), 'echo x > new')
  mkdirSync(join(ground.workspace, 'src'))
  return ground
}

/** Names, kinds, contents, modes and times of everything in a folder but what stands in for protected names. */
function stateOf(folder: string): string {
  const lines = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.name === '.git' || !entry.name.startsWith('.'))
    .filter(({ name }) => !STAND_INS.has(name))
    .map((entry) => {
      const { mode, mtimeMs, nlink } = lstatSync(join(folder, entry.name))
      const text = entry.isFile() ? readFileSync(join(folder, entry.name), 'latin1') : ''
      const shown = entry.isDirectory() ? readdirSync(join(folder, entry.name)) : []
      return JSON.stringify([entry.name, mode, mtimeMs, nlink, text, shown])
    })
  return lines.sort().join('\n')
}

const STAND_INS = new Set(['Jenkinsfile', 'opencode.json', 'policy.jsonc'])

/** Everybody says yes to everything: what is left is what holds without an answer. */
async function afterRunning(
  command: string,
  policy: PolicyInput,
  open: (session: Session) => Promise<Session> = (session) => Promise.resolve(session),
): Promise<{ readonly before: string; readonly after: string }> {
  const ground = aWorkspace()
  const responder = aResponder(() => YES)
  const sandbox = createNativeSandbox()
  const one = inMemory({ policy, responder, sandbox, tools: [bash] }, ground)
  const session = await open(await one.session())
  const before = stateOf(ground.workspace)
  await session.run({ tool: 'bash', args: { command } })
  return { before, after: stateOf(ground.workspace) }
}

describe.skipIf(reason !== null)('every way in which a shell writes', () => {
  it.each(WAYS)('changes nothing in a session that only reads: %s', async (_, command) => {
    const { before, after } = await afterRunning(command, READS)

    expect(after).toBe(before)
  })

  it.each(WAYS)('changes nothing in a child below one: %s', async (_, command) => {
    const { before, after } = await afterRunning(command, READS, (parent) => parent.spawn())

    expect(after).toBe(before)
  })

  it.each(WAYS)('changes nothing inside a read-only boundary by itself: %s', async (_, command) => {
    const ground = aWorkspace()
    const { workspace } = ground
    const { exec } = await openSandbox({ workspace, profile: { mode: 'read_only' } })
    const before = stateOf(workspace)
    await exec({ command })
    const after = stateOf(workspace)
    ground.clear()

    expect(after).toBe(before)
  })

  it.each(WAYS.filter(([way]) => !GUARDED.includes(way)))(
    'works where the policy grants writing: %s',
    async (_, command) => {
      const { before, after } = await afterRunning(command, WRITES)

      expect(after).not.toBe(before)
    },
  )
})
