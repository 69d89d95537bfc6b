/**
 * Limits of processes and memory by control groups of the second version, on a kernel that was booted for
 * the test (sandbox.md §4, E-75): in user mode, its disk read-only, as root at the top of its view and
 * as another user in a group that was delegated.
 */

import { execFile } from 'node:child_process'
import { accessSync, constants, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { GroupReport } from './subject.js'

const KERNEL = '/usr/bin/linux.uml'
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sixgate-kernel-')))
const reason = reasonWithoutKernel()
if (reason !== null) console.warn(`limits by a real cgroup v2 are not tried: ${reason}`)

function reasonWithoutKernel(): string | null {
  if (process.arch !== 'x64') return 'the kernel in user mode exists for x86-64 alone'
  try {
    accessSync(KERNEL, constants.X_OK)
    return null
  } catch {
    return 'there is no kernel in user mode (apt-get install -y user-mode-linux)'
  }
}

/** What the first process of that kernel does: two runs of the subject, then off. */
function firstProcess(): string {
  const subject = `${process.execPath} /run/subject.mjs`
  return `#!/bin/sh
export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp TMPDIR=/tmp LANG=C.UTF-8
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t tmpfs run /run
cp ${folder}/subject.mjs /run/
mount -t tmpfs -o mode=1777 tmp /tmp
mount -t cgroup2 none /sys/fs/cgroup
printf "as root: %s\\n" "$(${subject})"
mkdir /sys/fs/cgroup/mine
chown -R 1001:1001 /sys/fs/cgroup/mine
echo $$ > /sys/fs/cgroup/mine/cgroup.procs
printf "as user: %s\\n" "$(setpriv --reuid 1001 --regid 1001 --clear-groups ${subject})"
echo o > /proc/sysrq-trigger
sleep 60
`
}

async function boot(): Promise<string> {
  await build({
    entryPoints: ['test/sandbox/groups/subject.ts'],
    outfile: join(folder, 'subject.mjs'),
    bundle: true,
    format: 'esm',
    platform: 'node',
    logLevel: 'error',
  })
  const init = join(folder, 'init')
  writeFileSync(init, firstProcess(), { mode: 0o755 })
  const disk = ['root=/dev/root', 'rootfstype=hostfs', 'rootflags=/', 'ro']
  const console_ = ['quiet', 'con=null', 'con0=null,fd:1']
  const run = promisify(execFile)
  const options = { timeout: 150_000, env: { HOME: folder, TMPDIR: folder }, maxBuffer: 1 << 24 }
  const { stdout } = await run(KERNEL, ['mem=1024M', ...disk, ...console_, `init=${init}`], options)
  return stdout
}

describe.skipIf(reason !== null)('on a kernel with a cgroup v2', () => {
  let said = ''
  beforeAll(async () => {
    said = await boot()
  }, 180_000)
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const reportOf = (who: string): GroupReport => {
    const line = said.split(/\r?\n/).find((one) => one.startsWith(`as ${who}: {`))
    if (line === undefined) throw new TypeError(`no report as ${who}:\n${said}`)
    return JSON.parse(line.slice(line.indexOf('{'))) as GroupReport
  }

  describe.each([
    ['root', '/'],
    ['user', '/mine/sixgate-host'],
  ])('as %s', (who, own) => {
    it('both limits are enforced, and the host is in the group that it should be in', () => {
      expect(reportOf(who)).toMatchObject({ processes: 'enforced', memory: 'enforced', own })
    })

    it('[E-75] a command that multiplies is stopped, while the host still starts programs', () => {
      const { many, few, meanwhile } = reportOf(who)

      expect(many.stderr).toMatch(/fork: .*Resource temporarily unavailable/)
      expect(meanwhile).toBe('twin\n')
      expect(few).toMatchObject({ exitCode: 0, stdout: 'ok\n', stderr: '' })
    })

    it('a command that takes more memory is ended as a whole, one that takes less is not', () => {
      const { large, small } = reportOf(who)

      expect(large).toMatchObject({ started: true, exitCode: null, signal: 'SIGKILL', stdout: '' })
      expect(small).toMatchObject({ exitCode: 0, stdout: '2097152\n' })
    })

    it('no group is left behind', () => {
      expect(reportOf(who).left).toEqual([])
    })
  })
})
