/** What a profile opens by name, and no more: package stores and a scratch that lasts (H-27, sandbox.md §2). */

import assert from 'node:assert/strict'
import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSandbox } from '../../../src/sandbox/entry.js'
import type { EscapeCase } from '../ground.js'

export const openings: readonly EscapeCase[] = [
  {
    id: 'H-27-reported',
    title: 'is not told that a package store is read-only',
    async run({ workspace, outside }) {
      mkdirSync(join(workspace, 'node_modules/a'), { recursive: true })
      linkSync(join(outside, 'file'), join(workspace, 'node_modules/a/i.js'))
      const handle = await openSandbox({ workspace })
      const run = await handle.exec({ command: 'echo x > node_modules/a/new; echo twin' })
      const { readOnlyStores } = run as { readonly readOnlyStores?: readonly string[] }
      assert.deepEqual(readOnlyStores, [join(workspace, 'node_modules')])
      assert.ok(!existsSync(join(workspace, 'node_modules/a/new')))
      assert.equal(run.stdout, 'twin\n')
    },
  },
  {
    id: 'H-27-writable',
    title: 'opens more than package stores with them, unseen by the report',
    async run({ workspace, outside }) {
      mkdirSync(join(workspace, 'node_modules/a'), { recursive: true })
      linkSync(join(outside, 'file'), join(workspace, 'node_modules/a/i.js'))
      const handle = await openSandbox({ workspace, profile: { packageStores: 'writable' } })
      assert.equal(handle.report.guarantees.write_confinement.status, 'unenforceable')
      const run = await handle.exec({
        command: `echo x > node_modules/a/new; echo x > ${outside}/new; echo x > .envrc; echo twin`,
      })
      assert.equal(run.stdout, 'twin\n')
      assert.ok(existsSync(join(workspace, 'node_modules/a/new')))
      assert.ok(!existsSync(join(outside, 'new')))
      assert.match(run.stderr, /\.envrc: Is a directory/)
    },
  },
  {
    id: 'scratch-call',
    title: 'leaves something for the next call in its home or temporary folder',
    async run({ sh }) {
      await sh('echo kept > ~/a; echo kept > $TMPDIR/a; echo kept > $XDG_CONFIG_HOME.b')
      assert.equal((await sh('cat ~/a /tmp/a; ls -A ~; echo twin')).stdout, 'twin\n')
    },
  },
  {
    id: 'scratch-session',
    title: 'reads or steers from a scratch that lasts what another session or profile does',
    async run({ workspace, under }) {
      const scratch = { scratch: 'session' } as const
      const one = await under(scratch)
      await one('echo mine > ~/a; echo mine > /tmp/b; ln -s /etc/hostname ~/link; mkfifo /tmp/pipe')
      assert.equal((await one('cat ~/a /tmp/b')).stdout, 'mine\nmine\n')
      for (const profile of [scratch, { ...scratch, mode: 'read_only' as const }, {}]) {
        const other = await under(profile)
        assert.equal((await other('cat ~/a /tmp/b; echo twin')).stdout, 'twin\n')
      }
      const mine = scratches().map((name) => join(tmpdir(), name))
      const run = await one(
        `ls ${mine.join(' ')}; echo x > ${workspace}/twin; cat ${workspace}/twin`,
      )
      assert.equal(run.stdout, 'x\n')
      const handle = await openSandbox({ workspace, profile: scratch })
      assert.equal(handle.report.guarantees['limits.disk'].status, 'unenforceable')
    },
  },
  {
    id: 'scratch-link',
    title: 'leads the launcher out by a link that it leaves in its scratch',
    async run({ outside, under, workspace }) {
      const sh = await under({ scratch: 'session' })
      await sh(`rm -rf ~; ln -s ${outside} /tmp/home; ln -s ${outside} /tmp/x; true`)
      writeFileSync(join(workspace, 'twin'), 'twin')
      const after = await sh('echo x > ~/file; echo x > /tmp/x/file; cat twin').catch(() => null)
      assert.equal(readFileSync(join(outside, 'file'), 'utf8'), 'untouched')
      assert.ok(after === null || after.stdout === 'twin')
    },
  },
]

function scratches(): readonly string[] {
  return readdirSync(tmpdir()).filter((name) => name.startsWith(`sixgate-scratch_${process.pid}_`))
}
