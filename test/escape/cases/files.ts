/** Writing and reading outside of the workspace (E-01 to E-05, E-29, E-39, E-41, E-76, E-82). */

import assert from 'node:assert/strict'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { openSandbox } from '../../../src/sandbox/entry.js'
import type { EscapeCase } from '../ground.js'

export const files: readonly EscapeCase[] = [
  {
    id: 'E-39-rest',
    title: 'writes to whatever the kernel lets root write below /proc',
    async run({ sh }) {
      const run = await sh(
        `find /proc -path '/proc/[0-9]*' -prune -o -path /proc/self -prune -o -path /proc/thread-self -prune \
           -o -type f -writable -print 2>/dev/null | while read -r file; do test -f "$file" && echo "$file"; done; echo twin`,
      )
      const others = run.stdout.split('\n').filter((line) => !line.startsWith('/proc/pressure/'))
      assert.deepEqual(others, ['twin', ''])
    },
  },
  {
    id: 'E-41-modes',
    title: 'closes the device files of the machine to everybody',
    async run({ sh }) {
      const modeOf = (): number => lstatSync('/dev/full').mode & 0o7777
      const before = modeOf()
      const [run] = await Promise.all([
        sh(
          'chmod 640 /dev/full; chmod 644 /dev/zero; sleep 0.2; echo twin > /dev/null && echo twin',
        ),
        sh('sleep 0.1'),
      ])
      assert.equal(modeOf(), before)
      assert.equal(lstatSync('/dev/zero').mode & 0o7777, before)
      assert.equal(run.stdout, 'twin\n')
    },
  },
  {
    id: 'E-01',
    title: 'writes beside the workspace',
    async run({ sh, workspace, outside }) {
      await sh(`echo x > ${outside}/file; echo ok > twin`)
      assert.equal(readFileSync(join(outside, 'file'), 'utf8'), 'untouched')
      assert.equal(readFileSync(join(workspace, 'twin'), 'utf8'), 'ok\n')
    },
  },
  {
    id: 'E-02',
    title: 'writes to /etc',
    async run({ sh }) {
      const run = await sh(
        'echo x > /etc/sixgate-pwn || echo x > /sixgate-pwn; echo x > /tmp/t && cat /tmp/t',
      )
      assert.equal(run.stdout, 'x\n')
      assert.ok(!existsSync('/etc/sixgate-pwn') && !existsSync('/sixgate-pwn'))
    },
  },
  {
    id: 'E-03',
    title: 'appends to a start file of the real home',
    async run({ sh, home }) {
      await sh(`echo x >> ${home}/.bashrc`)
      assert.equal(readFileSync(join(home, '.bashrc'), 'utf8'), 'untouched')
      const twin = await sh('echo x >> ~/.bashrc && cat ~/.bashrc')
      assert.equal(twin.stdout, 'x\n')
    },
  },
  {
    id: 'E-04',
    title: 'writes through /proc/self/root',
    async run({ sh }) {
      await sh('echo x > /proc/self/root/etc/sixgate-pwn')
      assert.ok(!existsSync('/etc/sixgate-pwn'))
    },
  },
  {
    id: 'E-05',
    title: 'writes through the root of process 1',
    async run({ sh, outside }) {
      await sh(`echo x > /proc/1/root${outside}/file`)
      assert.equal(readFileSync(join(outside, 'file'), 'utf8'), 'untouched')
    },
  },
  {
    id: 'E-29',
    title: 'reads a key in the home, directly and by a link',
    async run({ sh, home, outside }) {
      const run = await sh(
        `cat ${home}/.ssh/id_rsa ${outside}/file; ln -s ${home}/.ssh k; cat k/id_rsa; cat src/a.txt`,
      )
      assert.equal(run.stdout, 'text')
      assert.equal(readFileSync(join(home, '.ssh/id_rsa'), 'utf8'), 'THE-KEY')
    },
  },
  {
    id: 'H-24',
    title: 'reads home, service data and temporary folders as wholes',
    async run({ sh }) {
      const run = await sh(
        'ls -A /var /srv /mnt /media /boot /sys /run 2>/dev/null; cat /etc/shadow',
      )
      assert.ok(!/[$*!]:/.test(run.stdout))
      assert.ok(!run.stdout.includes('lib'))
      assert.match((await sh('cat /etc/passwd')).stdout, /^root:/m)
    },
  },
  {
    id: 'E-39',
    title: 'opens kernel switches for writing',
    async run({ sh }) {
      const run = await sh(
        'for f in sysrq-trigger irq/default_smp_affinity mtrr sys/kernel/core_pattern; do (exec 3>/proc/$f) 2>/dev/null && echo open $f; done; (exec 3>/proc/self/comm) && echo twin',
      )
      assert.equal(run.stdout, 'twin\n')
    },
  },
  {
    id: 'E-41',
    title: 'makes and finds device nodes',
    async run({ sh }) {
      const run = await sh('mknod d b 8 0; ls /dev; echo twin > /dev/null && echo twin')
      assert.ok(!/^(?:sd|vd|nvme|mem|kmem|kvm|fuse)/m.test(run.stdout))
      assert.match(run.stdout, /twin\n$/)
    },
  },
  {
    id: 'E-76',
    title: 'runs code by the name of the workspace',
    async run({ outside }) {
      const workspace = join(outside, `a b;$(touch ${outside}/x)'"\n--bind`)
      mkdirSync(workspace, { recursive: true })
      const handle = await openSandbox({ workspace })
      const run = await handle.exec({ command: 'echo ok > made; pwd' })
      assert.equal(run.stdout, `${workspace}\n`)
      assert.ok(existsSync(join(workspace, 'made')) && !existsSync(join(outside, 'x')))
    },
  },
  {
    id: 'E-82',
    title: 'starts in a hidden folder',
    async run({ under, workspace }) {
      mkdirSync(join(workspace, 'hidden'))
      writeFileSync(join(workspace, 'hidden/secret'), 'SECRET')
      const sh = await under({ hidden: [join(workspace, 'hidden')] })
      await assert.rejects(sh('touch ../started', { cwd: 'hidden' }), { code: 'workspace_refused' })
      await assert.rejects(sh('true', { cwd: '/etc' }), { code: 'workspace_refused' })
      assert.ok(!existsSync(join(workspace, 'started')))
      const run = await sh('cat hidden/secret; echo x > hidden/new; mv hidden h2; cat src/a.txt')
      assert.equal(run.stdout, 'text')
      assert.ok(!existsSync(join(workspace, 'hidden/new')))
      assert.equal(readFileSync(join(workspace, 'hidden/secret'), 'utf8'), 'SECRET')
    },
  },
  {
    id: 'mode-read-only',
    title: 'writes into a read-only workspace',
    async run({ under, workspace }) {
      const sh = await under({ mode: 'read_only', writable: [workspace] })
      const run = await sh('echo x > src/a.txt; cat src/a.txt; echo x > /tmp/t && echo twin')
      assert.equal(run.stdout, 'texttwin\n')
      assert.equal(readFileSync(join(workspace, 'src/a.txt'), 'utf8'), 'text')
    },
  },
  {
    id: 'root-swap',
    title: 'swaps a nested root for a link, so that the next call mounts what it names',
    async run({ under, workspace, home, outside }) {
      for (const name of ['ro', 'rw']) mkdirSync(join(workspace, name))
      const sh = await under({
        readable: [join(workspace, 'ro')],
        writable: [join(workspace, 'rw'), outside],
      })
      await sh(`rmdir ro rw; ln -s ${home}/.ssh ro; ln -s ${home} rw`)
      const text = `cat ro/id_rsa; echo x >> rw/.bashrc; echo twin > ${outside}/twin`
      assert.equal((await sh(text)).stdout, '')
      // A session that starts after the swap must not follow the link either.
      const later = await under({
        readable: [join(workspace, 'ro')],
        writable: [join(workspace, 'rw'), outside],
      })
      assert.equal((await later(text)).stdout, '')
      assert.equal(readFileSync(join(home, '.bashrc'), 'utf8'), 'untouched')
      assert.equal(readFileSync(join(outside, 'twin'), 'utf8'), 'twin\n')
    },
  },
  {
    id: 'mode-open',
    title: 'reads what is hidden, or reaches the network, with the file system open',
    async run({ under, home, outside }) {
      const sh = await under({ mode: 'open', hidden: [join(home, '.ssh')] })
      const run = await sh(
        `cat ${home}/.ssh/id_rsa; echo x > ${home}/.ssh/new; (exec 3<>/dev/tcp/1.1.1.1/443); grep -c . /etc/shadow; cat ${outside}/file; test -d /var/lib && echo twin; wc -l < /proc/net/route`,
      )
      assert.match(run.stdout, /^(?:untouched)?twin\n1\n$/)
      assert.ok(!existsSync(join(home, '.ssh/new')))
    },
  },
  {
    id: 'link-workspace',
    title: 'is opened on a link that leads to a home',
    async run({ outside, home }) {
      const link = join(outside, 'link')
      symlinkSync(home, link)
      await assert.rejects(openSandbox({ workspace: link }), { code: 'workspace_refused' })
      await assert.rejects(openSandbox({ workspace: '/' }), { code: 'workspace_refused' })
      renameSync(link, join(outside, 'gone'))
      await assert.rejects(openSandbox({ workspace: link }), { code: 'workspace_refused' })
    },
  },
]
