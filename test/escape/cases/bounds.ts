/** Environment, output and disk (E-65, E-66, E-73, E-74, H-26). */

import assert from 'node:assert/strict'
import { existsSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { EscapeCase } from '../ground.js'

export const bounds: readonly EscapeCase[] = [
  {
    id: 'E-65',
    title: 'reads secrets from the environment',
    async run({ sh }) {
      const run = await sh('env; cat /proc/self/environ /proc/1/environ')
      assert.ok(process.env['CANARY'] === 's3cr3t')
      assert.ok(!/CANARY|s3cr3t|AWS|SSH_AUTH|DBUS|LD_PRELOAD|NODE_OPTIONS/.test(run.stdout))
      assert.match(run.stdout, /^PATH=\//m)
      assert.match(run.stdout, /^HOME=\/tmp\/home$/m)
    },
  },
  {
    id: 'E-66',
    title: 'gives loader variables and secrets explicitly',
    async run({ sh, workspace }) {
      writeFileSync(join(workspace, 'x'), `touch ${workspace}/loaded\n`)
      const env = {
        BASH_ENV: `${workspace}/x`,
        ENV: `${workspace}/x`,
        LD_PRELOAD: `${workspace}/x.so`,
        ld_audit: 'x',
        GIT_CONFIG_GLOBAL: 'x',
        'BASH_FUNC_ls%%': '() { touch loaded; }',
        MY_API_KEY: 'k',
        HOME: workspace,
        HTTPS_PROXY: 'x',
        GIVEN: 'twin',
      }
      const run = await sh('env; ls', { env })
      assert.match(run.stdout, /^GIVEN=twin$/m)
      assert.ok(!/BASH_ENV|^ENV|LD_|ld_|GIT_|BASH_FUNC|API_KEY|PROXY/m.test(run.stdout))
      assert.match(run.stdout, /^HOME=\/tmp\/home$/m)
      assert.ok(!existsSync(join(workspace, 'loaded')))
      for (const bad of [{ 'A=B': '1' }, { '': '1' }, { A: 'x\0y' }, { 'A\0B': '1' }]) {
        await assert.rejects(sh('touch ran', { env: bad }), { code: 'invalid_environment' })
      }
      assert.ok(!existsSync(join(workspace, 'ran')))
    },
  },
  {
    id: 'H-26',
    title: 'plants a program in a writable folder of PATH',
    async run({ sh, workspace }) {
      writeFileSync(join(workspace, 'ls'), '#!/bin/sh\necho planted\n', { mode: 0o755 })
      const env = { PATH: `${workspace}:relative::/tmp:/usr/bin:/bin` }
      const run = await sh('echo $PATH; ls; ./ls', { env })
      assert.equal(run.stdout.split('\n')[0], '/usr/bin')
      assert.equal(run.stdout.match(/planted/g)?.length, 1)
    },
  },
  {
    id: 'E-73',
    title: 'floods the host with output',
    async run({ sh }) {
      const before = process.memoryUsage().rss
      const run = await sh('yes AAAA')
      assert.equal(run.stdout.length, 1_048_576)
      assert.equal(run.killedBy, 'output_limit')
      assert.equal(run.truncated, true)
      assert.ok(process.memoryUsage().rss - before < 32 * 1024 * 1024)
      const twin = await sh('head -c 1048576 /dev/zero')
      assert.equal(twin.truncated, false)
    },
  },
  {
    id: 'E-75',
    title: 'starts processes without end',
    skip: () => 'tried in test/sandbox/limits.test.ts, which makes a control group of its own',
    run: () => Promise.resolve(),
  },
  {
    id: 'E-74',
    title: 'fills the disk through temporary files',
    async run({ under }) {
      const sh = await under({ limits: { diskBytes: 4 * 1024 * 1024 } })
      const before = statfsSync('/tmp').bfree
      const run = await sh(
        'total=0; for f in /tmp/b /dev/shm/b /run/b /dev/b /proc/irq/b; do dd if=/dev/zero of=$f bs=64k count=1000 2>/dev/null; n=$(stat -c %s $f 2>/dev/null || echo 0); total=$((total+n)); done; echo $total; head -c 100000 /dev/zero > /tmp/home/x 2>/dev/null; rm -f /tmp/b; echo twin > /tmp/t && cat /tmp/t',
      )
      const [total = '', twin] = run.stdout.split('\n')
      assert.ok(Number(total) > 0 && Number(total) <= 4 * 1024 * 1024 + 65_536)
      assert.equal(twin, 'twin')
      assert.ok(Math.abs(statfsSync('/tmp').bfree - before) * statfsSync('/tmp').bsize < 1e9)
    },
  },
]
