/** Namespaces, other processes, privileges, descriptors and survival (E-07, E-35, E-37, E-42, E-44, E-54, E-67 to E-72). */

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { lstatSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { survivors, uniqueSleep, wait, type EscapeCase } from '../ground.js'

export const processes: readonly EscapeCase[] = [
  {
    id: 'E-07',
    title: 'finds descriptors of the host',
    async run({ sh }) {
      const run = await sh(
        'for f in /proc/self/fd/*; do readlink $f; done; cat <&40; echo twin 7>&1 >&7',
      )
      const others = run.stdout.split('\n').filter((line) => line !== '' && line !== 'twin')
      assert.deepEqual(
        others.filter((line) => !/^(?:\/dev\/null|socket:\[\d+\]|pipe:\[\d+\])$/.test(line)),
        [],
      )
      assert.match(run.stdout, /twin\n$/)
    },
  },
  {
    id: 'E-35',
    title: 'makes a user namespace of its own',
    async run({ sh }) {
      const run = await sh(
        'unshare -Urm true && echo escaped; unshare --help >/dev/null && echo twin',
      )
      assert.equal(run.stdout, 'twin\n')
    },
  },
  {
    id: 'E-37',
    title: 'starts a second sandbox with everything bound, or enters another namespace',
    async run({ sh }) {
      const run = await sh(
        '/usr/bin/bwrap --dev-bind / / true && echo escaped; nsenter -t 1 -m true && echo entered; /usr/bin/bwrap --version >/dev/null && echo twin',
      )
      assert.ok(!run.stdout.includes('escaped'))
      assert.match(run.stdout, /twin\n$/)
    },
  },
  {
    id: 'E-42',
    title: 'sees and kills processes of the host',
    async run({ sh }) {
      const host = spawn('/bin/sleep', ['30'], { stdio: 'ignore' })
      const run = await sh(
        `ls -d /proc/[0-9]* | wc -l; kill -9 ${host.pid}; sleep 30 & kill -9 $! && echo twin; kill -9 -1`,
      )
      const [count = '', twin] = run.stdout.split('\n')
      assert.ok(Number(count) <= 10 && twin === 'twin')
      await wait(50)
      assert.equal(host.exitCode, null)
      assert.equal(host.signalCode, null)
      host.kill('SIGKILL')
    },
  },
  {
    id: 'E-44',
    title: 'gains privileges by a set-user-id program',
    async run({ sh }) {
      const run = await sh(
        "sudo -n true && echo sudo; su -c true </dev/null && echo su; grep -E 'NoNewPrivs|CapEff|CapBnd|CapPrm' /proc/self/status",
      )
      assert.match(run.stdout, /NoNewPrivs:\s+1/)
      assert.equal(run.stdout.match(/Cap\w+:\s+0{16}/g)?.length, 3)
      const isRoot = process.getuid?.() === 0
      // Root may "become" root without gaining anything; nobody else may.
      if (!isRoot) assert.ok(!/^(?:sudo|su)$/m.test(run.stdout))
    },
  },
  {
    id: 'E-44-plant',
    title: 'plants a set-user-id program for other users of the machine',
    async run({ sh, workspace }) {
      const run = await sh(
        `cp /bin/true planted && chmod 4755 planted
install -m 4755 /bin/true installed; mkdir shared && chmod 2775 shared
perl -e 'use Fcntl; sysopen(F, "made", O_CREAT | O_WRONLY, 04755)'; touch made
chmod 755 planted && echo twin`,
      )
      const isSetUserId = (name: string): boolean =>
        (lstatSync(join(workspace, name)).mode & 0o4000) !== 0
      const names = readdirSync(workspace)
      assert.deepEqual(names.filter(isSetUserId), [])
      assert.ok(names.includes('planted') && names.includes('made'))
      assert.equal(lstatSync(join(workspace, 'shared')).mode & 0o7777, 0o2775)
      assert.equal(run.stdout, 'twin\n')
    },
  },
  {
    id: 'E-54',
    title: 'reaches a terminal',
    async run({ sh }) {
      const run = await sh('(echo pwn > /dev/tty) 2>/dev/null && echo reached; echo twin')
      assert.equal(run.stdout, 'twin\n')
    },
  },
  {
    id: 'E-67',
    title: 'leaves a daemon behind',
    async run({ sh }) {
      const mark = uniqueSleep()
      const run = await sh(`setsid nohup sleep ${mark} >/dev/null 2>&1 & disown; true`)
      assert.equal(run.exitCode, 0)
      await wait(50)
      assert.deepEqual(survivors(mark), [])
    },
  },
  {
    id: 'E-68',
    title: 'holds the output open with a daemon',
    async run({ sh }) {
      const mark = uniqueSleep()
      const run = await sh(`(setsid sleep ${mark} &); echo hi`)
      assert.equal(run.stdout, 'hi\n')
      assert.ok(run.durationMs < 1000)
      await wait(50)
      assert.deepEqual(survivors(mark), [])
    },
  },
  {
    id: 'E-69',
    title: 'ignores signals after a double fork',
    async run({ sh }) {
      const mark = uniqueSleep()
      const run = await sh(
        `trap '' TERM HUP INT QUIT; (trap '' TERM HUP INT; (sleep ${mark} &) ; sleep ${mark}) & wait`,
        { timeoutMs: 400 },
      )
      assert.equal(run.killedBy, 'timeout')
      assert.equal(run.started, true)
      await wait(100)
      assert.deepEqual(survivors(mark), [])
    },
  },
  {
    id: 'E-70',
    title: 'outruns the kill with two hundred sessions',
    async run({ sh }) {
      const mark = uniqueSleep()
      const run = await sh(`for i in $(seq 200); do setsid sleep ${mark} & done; wait`, {
        timeoutMs: 1500,
      })
      assert.equal(run.killedBy, 'timeout')
      await wait(150)
      assert.deepEqual(survivors(mark), [])
    },
  },
  {
    id: 'E-71',
    title: 'outlives a host that was killed',
    async run({ workspace, home }) {
      const mark = uniqueSleep()
      const self = process.argv[1] ?? ''
      const host = spawn(process.execPath, [self, 'hold', workspace, mark], {
        stdio: 'ignore',
        env: { ...process.env, HOME: home },
      })
      for (let tries = 0; tries < 100 && survivors(mark).length === 0; tries++) await wait(20)
      assert.ok(survivors(mark).length > 0, 'the twin runs while its host lives')
      host.kill('SIGKILL')
      await wait(200)
      assert.deepEqual(survivors(mark), [])
    },
  },
  {
    id: 'E-72',
    title: 'survives as a stopped tree',
    async run({ sh }) {
      const mark = uniqueSleep()
      const run = await sh(`sleep ${mark} & kill -STOP $!; kill -STOP $$`, { timeoutMs: 300 })
      assert.equal(run.killedBy, 'timeout')
      await wait(100)
      assert.deepEqual(survivors(mark), [])
    },
  },
  {
    id: 'E-77',
    title: 'passes options of the launcher as arguments',
    async run({ under, workspace, outside }) {
      const sh = await under({})
      writeFileSync(join(workspace, 'show'), '#!/bin/sh\nfor a in "$@"; do echo "<$a>"; done\n', {
        mode: 0o755,
      })
      const words = ['--', '--bind', '/', '/', `$(touch ${outside}/x)`, "'", '']
      const run = await sh('', { command: undefined, argv: ['./show', ...words] })
      assert.equal(run.stdout, words.map((word) => `<${word}>\n`).join(''))
      for (const argv of [['--bind', '/', '/'], ['--'], ['a\0b'], ['echo', 'a\0--bind\0/\0/']]) {
        await assert.rejects(sh('', { command: undefined, argv }), { code: 'setup_failed' })
      }
      assert.equal((await sh('-x')).exitCode, 127)
    },
  },
]
