/** Mounts, control groups, pipes and locks of the host (E-32, E-33, E-40, and the suite's own of sandbox.md §8). */

import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hasProgram, wait, type EscapeCase } from '../ground.js'

export const kernel: readonly EscapeCase[] = [
  {
    id: 'E-32',
    title: 'takes a protecting mount away',
    async run({ sh, workspace }) {
      mkdirSync(join(workspace, '.vscode'))
      writeFileSync(join(workspace, '.env'), 'SECRET_ENV')
      const run = await sh(
        'umount -l .vscode; umount .env; echo x > .vscode/x; cat .env; unshare -Urm sh -c "umount .env; cat .env"; umount --help >/dev/null && echo twin',
      )
      assert.equal(run.stdout, 'twin\n')
      assert.ok(!existsSync(join(workspace, '.vscode/x')))
    },
  },
  {
    id: 'E-33',
    title: 'makes a protecting mount writable',
    async run({ sh, workspace }) {
      mkdirSync(join(workspace, '.vscode'))
      await sh(
        'mount -o remount,rw,bind .vscode; mount --bind src .vscode; echo x > .vscode/x; echo twin > src/twin',
      )
      assert.ok(!existsSync(join(workspace, '.vscode/x')))
      assert.ok(existsSync(join(workspace, 'src/twin')))
    },
  },
  {
    id: 'E-40',
    title: 'steers control groups',
    async run({ sh }) {
      const before = readFileSync('/proc/self/cgroup', 'utf8')
      const run = await sh(
        'for f in /sys/fs/cgroup/release_agent /sys/fs/cgroup/cgroup.procs /sys/fs/cgroup/memory/release_agent /sys/fs/cgroup/pids/cgroup.procs; do (echo $$ > $f) 2>/dev/null && echo wrote $f; done; cat /proc/self/cgroup >/dev/null && echo twin',
      )
      assert.equal(run.stdout, 'twin\n')
      assert.equal(readFileSync('/proc/self/cgroup', 'utf8'), before)
    },
  },
  {
    id: 'host-fifo',
    title: 'talks to the host through a named pipe outside',
    async run({ sh, outside, workspace }) {
      for (const folder of [outside, workspace]) execFileSync('mkfifo', [join(folder, 'pipe')])
      const listen = (path: string): { readonly heard: () => string; readonly end: () => void } => {
        let text = ''
        const reader = spawn('/bin/cat', [path], { stdio: ['ignore', 'pipe', 'ignore'] })
        reader.stdout.on('data', (chunk) => (text += String(chunk)))
        return { heard: () => text, end: () => reader.kill('SIGKILL') }
      }
      const [beyond, within] = [listen(join(outside, 'pipe')), listen(join(workspace, 'pipe'))]
      await sh(`timeout 1 bash -c 'echo out > ${outside}/pipe'; timeout 1 bash -c 'echo in > pipe'`)
      await wait(50)
      assert.deepEqual([beyond.heard(), within.heard()], ['', 'in\n'])
      beyond.end()
      within.end()
    },
  },
  {
    id: 'host-lock',
    title: 'holds a lock on a file of the host',
    async run({ sh, outside, workspace }) {
      const free = (path: string): boolean => {
        try {
          execFileSync('flock', ['-n', path, 'true'])
          return true
        } catch {
          return false
        }
      }
      writeFileSync(join(workspace, 'lock'), '')
      const holding = sh(
        `(flock -x 9; sleep 0.8) 9<${outside}/file & (flock -x 8; sleep 0.8) 8<lock & wait`,
      )
      await wait(400)
      assert.deepEqual([free(join(outside, 'file')), free(join(workspace, 'lock'))], [true, false])
      await holding
    },
  },
  {
    id: 'host-sqlite',
    title: 'blocks a database of the host by a shared lock',
    skip: () => (hasProgram('/usr/bin/sqlite3') ? null : 'sqlite3 is not installed'),
    async run({ sh, outside, workspace }) {
      const write = (folder: string): boolean => {
        try {
          execFileSync('sqlite3', [join(folder, 'db'), 'insert into t values (1)'], {
            stdio: 'ignore',
          })
          return true
        } catch {
          return false
        }
      }
      for (const folder of [outside, workspace]) {
        execFileSync('sqlite3', [
          join(folder, 'db'),
          'create table t (a); insert into t values (0)',
        ])
      }
      const hold = (path: string): string =>
        `(echo 'begin; select * from t;'; sleep 1.2) | sqlite3 ${path}`
      const holding = sh(`${hold(`${outside}/db`)} & ${hold('db')} & wait`)
      await wait(600)
      assert.deepEqual([write(outside), write(workspace)], [true, false])
      assert.equal((await holding).stdout, '0\n')
    },
  },
]
