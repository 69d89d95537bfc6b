/** Two hosts in one workspace, hosts that are killed, and swaps while a command is set up (sandbox.md §3). */

import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { openSandbox } from '../../../src/sandbox/entry.js'
import { survivors, uniqueSleep, wait, type EscapeCase } from '../ground.js'

/** Longer than placeholders stay after the last command. */
const CLEARED_MS = 1200

/** Kills of a host and of a sandbox in the suite; the soak asks for more. */
const KILLS = Number(process.env['SIXGATE_KILLS'] ?? 20)

export const crashes: readonly EscapeCase[] = [
  {
    id: 'two-hosts',
    title: 'loses its placeholders when another host is done with the workspace',
    async run({ workspace, home, sh }) {
      const mark = uniqueSleep()
      const host = holding(workspace, mark, home)
      await running(mark)
      await sh('true')
      await wait(CLEARED_MS)
      assert.ok(existsSync(join(workspace, '.vscode')), 'the other host still holds it')
      const ours = sh('sleep 0.6; echo x > .vscode/tasks.json; echo x > .mcp.json; echo twin')
      await wait(200)
      host.kill('SIGKILL')
      assert.equal((await ours).stdout, 'twin\n')
      await wait(CLEARED_MS)
      assert.deepEqual(readdirSync(workspace).sort(), ['src'])
    },
  },
  {
    id: 'two-hosts-at-once',
    title: 'finds a gap between two hosts that start at once',
    async run({ workspace }) {
      // Runners of their own: each looks, and only one of them makes the names.
      for (let round = 0; round < 4; round++) {
        const handles = await Promise.all([1, 2, 3].map(() => openSandbox({ workspace })))
        const text =
          'for n in .vscode .husky .claude; do rm -rf $n; mkdir $n; echo x > $n/t; done; echo x > .mcp.json; sleep 0.2; rmdir .zed; mkdir .zed; echo x > .zed/t; echo twin'
        const runs = await Promise.all(handles.map((handle) => handle.exec({ command: text })))
        for (const run of runs) assert.equal(run.stdout, 'twin\n')
        await wait(CLEARED_MS)
        assert.deepEqual(readdirSync(workspace), ['src'])
      }
    },
  },
  {
    id: 'random-kills',
    title: 'leaves survivors, ghosts or losses when hosts and sandboxes are killed at random',
    async run({ workspace, home, sh }) {
      writeFileSync(join(workspace, '.envrc'), 'mine')
      mkdirSync(join(workspace, '.idea'))
      writeFileSync(join(workspace, '.idea/a.xml'), 'mine')
      mkdirSync(join(workspace, '.zed'))
      for (let kill = 0; kill < KILLS; kill++) {
        const mark = uniqueSleep()
        const host = holding(workspace, mark, home)
        await wait(150 + Math.random() * 350)
        if (kill % 3 === 2) for (const pid of launchers(mark)) killed(pid)
        host.kill('SIGKILL')
        await gone(host)
        await wait(150)
        assert.deepEqual(survivors(mark), [])
      }
      assert.equal((await sh('echo twin')).stdout, 'twin\n')
      await wait(CLEARED_MS)
      assert.deepEqual(readdirSync(workspace).sort(), ['.envrc', '.idea', '.zed', 'src'])
      assert.equal(readFileSync(join(workspace, '.envrc'), 'utf8'), 'mine')
      assert.equal(readFileSync(join(workspace, '.idea/a.xml'), 'utf8'), 'mine')
    },
  },
  {
    id: 'ghost-of-user',
    title: 'takes with its placeholders what a person put in their place meanwhile',
    async run({ workspace, sh }) {
      const run = sh('sleep 0.5; ls -A .vscode; echo twin')
      await wait(300)
      writeFileSync(join(workspace, '.vscode/settings.json'), '{}')
      rmSync(join(workspace, '.zed'), { recursive: true })
      mkdirSync(join(workspace, '.zed'))
      assert.equal((await run).stdout, 'twin\n')
      await wait(CLEARED_MS)
      assert.equal(readFileSync(join(workspace, '.vscode/settings.json'), 'utf8'), '{}')
      assert.equal(lstatSync(join(workspace, '.vscode')).mode & 0o777, 0o755)
      assert.ok(existsSync(join(workspace, '.zed')))
      await sh('true')
      await wait(CLEARED_MS)
      assert.ok(existsSync(join(workspace, '.zed')))
    },
  },
  {
    id: 'swap-race',
    title: 'swaps a folder for a link while the next command is set up',
    async run({ workspace, home, sh }) {
      const handle = await openSandbox({ workspace })
      // `p` is pinned for each later command, because a repository lies below; the first one flips it.
      const flipping = `const f = require('fs')
        f.mkdirSync('p/q/.git', { recursive: true }); f.symlinkSync(${JSON.stringify(home)}, 'l')
        const end = Date.now() + 4000
        while (Date.now() < end) {
          for (const [from, to] of [['p', 'd'], ['l', 'p'], ['p', 'l'], ['d', 'p']]) {
            try { f.renameSync(from, to) } catch {}
          }
        }`
      // A launcher makes a folder that is missing just then, so a step may fail; the next goes on.
      const flip = handle.exec({ argv: [process.execPath, '-e', flipping] })
      await wait(200)
      let ran = 0
      const until = Date.now() + 3000
      while (Date.now() < until) {
        await sh('for i in 1 2 3 4 5; do echo x >> p/.bashrc; cat p/.ssh/id_rsa; done').then(
          ({ stdout }) => {
            ran += 1
            assert.equal(stdout, '')
          },
          (error: unknown) => assert.equal((error as { name: string }).name, 'SandboxError'),
        )
        assert.equal(readFileSync(join(home, '.bashrc'), 'utf8'), 'untouched')
      }
      assert.equal((await flip).exitCode, 0)
      assert.ok(ran > 0)
    },
  },
]

/** A host of its own that holds a sleeper inside. */
function holding(workspace: string, mark: string, home: string): ChildProcess {
  return spawn(process.execPath, [process.argv[1] ?? '', 'hold', workspace, mark], {
    stdio: 'ignore',
    env: { ...process.env, HOME: home },
  })
}

async function running(mark: string): Promise<void> {
  for (let tries = 0; tries < 200 && survivors(mark).length === 0; tries++) await wait(20)
  assert.ok(survivors(mark).length > 0, 'the twin runs while its host lives')
}

function gone(host: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (host.exitCode !== null || host.signalCode !== null) resolve()
    else host.once('exit', () => resolve())
  })
}

/** Processes of the boundary around the sleepers of one case. */
function launchers(mark: string): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        const text = readFileSync(`/proc/${name}/cmdline`, 'latin1')
        return text.includes('bwrap') && text.includes(mark)
      } catch {
        return false
      }
    })
    .map(Number)
}

function killed(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It ended by itself.
  }
}
