/** A boundary that cannot be had, and launchers that lie (E-78, E-80, E-81). Nothing runs on the host. */

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemMachine, type Machine } from '../../../src/platform/machine.js'
import { createNativeSandbox, openSandbox } from '../../../src/sandbox/entry.js'
import type { EscapeCase } from '../ground.js'

export const failures: readonly EscapeCase[] = [
  {
    id: 'E-78',
    title: 'plants launchers in the workspace, first on PATH',
    async run({ workspace }) {
      for (const name of ['bwrap', 'nsenter', 'bash']) {
        writeFileSync(join(workspace, name), `#!/bin/bash\ntouch ${workspace}/planted\n`)
        chmodSync(join(workspace, name), 0o755)
      }
      const path = process.env['PATH'] ?? ''
      process.env['PATH'] = `${workspace}:${path}`
      try {
        const handle = await openSandbox({ workspace })
        assert.equal((await handle.exec({ command: 'echo twin' })).stdout, 'twin\n')
      } finally {
        process.env['PATH'] = path
      }
      const driver = createNativeSandbox({ launcher: join(workspace, 'bwrap') })
      await refuses(driver, workspace, 'planted')
    },
  },
  {
    id: 'E-80-missing',
    title: 'runs without a launcher',
    async run({ workspace }) {
      const driver = createNativeSandbox({ launcher: '/nonexistent/bwrap' })
      assert.match((await driver.probe()).remedy ?? '', /apt-get install -y bubblewrap/)
      await refuses(driver, workspace, 'ran')
    },
  },
  {
    id: 'E-80-not-executable',
    title: 'runs with a launcher that cannot be executed',
    async run({ workspace, outside }) {
      const launcher = fake(outside, 'echo', 0o644)
      await refuses(trusting(launcher, 0o644), workspace, 'ran')
      await refuses(createNativeSandbox({ launcher }), workspace, 'ran')
    },
  },
  {
    id: 'E-80-lies',
    title: 'runs with a launcher that exits with 0 without running anything',
    async run({ workspace, outside }) {
      for (const text of [
        'exit 0',
        'printf \'{"child-pid": 5}\' >&4; exit 0',
        'cat <&3 >/dev/null',
      ]) {
        await refuses(trusting(fake(outside, text, 0o755), 0o755), workspace, 'ran')
      }
    },
  },
  {
    id: 'E-80-setuid',
    title: 'runs with a set-user-id launcher',
    async run({ workspace, outside }) {
      const driver = trusting(fake(outside, 'exit 0', 0o755), 0o4755)
      assert.match((await driver.probe()).cause ?? '', /set-user-id/)
      await refuses(driver, workspace, 'ran')
    },
  },
  {
    id: 'E-80-limited',
    title: 'runs where user namespaces are used up',
    run: ({ workspace }) =>
      refusedWithin(
        [
          '/usr/bin/unshare',
          '-Ur',
          '/bin/sh',
          '-c',
          'echo 0 > /proc/sys/user/max_user_namespaces; exec "$@"',
          'sh',
        ],
        workspace,
        /limit of user namespaces|could be replaced/,
      ),
  },
  {
    id: 'E-80-nested',
    title: 'runs inside a sandbox that allows no further one',
    run: ({ workspace }) =>
      refusedWithin(
        ['/usr/bin/bwrap', '--unshare-user', '--disable-userns', '--dev-bind', '/', '/', '--'],
        workspace,
        /limit of user namespaces|could be replaced|create namespaces|\/proc/,
      ),
  },
  {
    id: 'E-80-seccomp',
    title: 'runs where a filter of system calls denies user namespaces',
    skip: () => (probeOf() === '' ? 'the probe is not built' : null),
    run: ({ workspace }) =>
      refusedWithin([probeOf(), 'without-namespaces'], workspace, /create namespaces/),
  },
  {
    id: 'E-80-masked-proc',
    title: 'runs where /proc is masked',
    skip: () => (process.getuid?.() === 0 ? null : 'only root can mask /proc'),
    run: ({ workspace }) =>
      refusedWithin(
        [
          ...['/usr/bin/unshare', '--mount', '--pid', '--fork', '/bin/sh', '-c'],
          // Another /proc that shows all would serve the kernel as a measure: none is left.
          'mount -t tmpfs none /proc/sys && exec "$@"',
          'sh',
        ],
        workspace,
        /\/proc|create namespaces|could not set/,
      ),
  },
  {
    id: 'refused-workspaces',
    title: 'works in a home, in the root, in a system folder or in what is no folder',
    async run({ workspace, home }) {
      writeFileSync(join(workspace, 'file'), '')
      const places = ['/', '/root', '/home', '/etc', '/usr', '/tmp', '/proc/self', home]
      for (const place of [...places, join(workspace, 'file'), join(workspace, 'absent')]) {
        await assert.rejects(openSandbox({ workspace: place }), isTyped('workspace_refused'), place)
      }
    },
  },
  {
    id: 'zero-limits',
    title: 'runs under a limit of nothing',
    async run({ workspace, under }) {
      for (const name of ['timeoutMs', 'outputBytes', 'diskBytes'] as const) {
        for (const value of [0, -1, 0.5, Number.NaN]) {
          const sh = await under({ limits: { [name]: value } })
          await assert.rejects(sh('touch ran'), isTyped('invalid_limit'), `${name} ${value}`)
        }
      }
      assert.ok(!existsSync(join(workspace, 'ran')))
    },
  },
  {
    id: 'E-81',
    title: 'passes a failed setup off as a command that ended in 1',
    async run({ sh }) {
      const ended = await sh('exit 1')
      assert.deepEqual([ended.started, ended.exitCode], [true, 1])
      await assert.rejects(sh('', { command: undefined, argv: ['/nonexistent'] }), {
        code: 'setup_failed',
      })
      assert.equal((await sh('kill -SEGV $$')).exitCode, 139)
    },
  },
  {
    id: 'limit-unenforceable',
    title: 'runs under a limit that the driver cannot keep',
    async run({ under, workspace }) {
      for (const limits of [{ processes: 10 }, { memoryBytes: 1 << 28 }]) {
        const sh = await under({ limits })
        await assert.rejects(sh('touch ran'), { code: 'unenforceable_limit' })
      }
      for (const timeoutMs of [0, -1, Number.NaN]) {
        const sh = await under({})
        await assert.rejects(sh('touch ran', { timeoutMs }), { code: 'invalid_limit' })
      }
      assert.ok(!existsSync(join(workspace, 'ran')))
    },
  },
]

function probeOf(): string {
  return process.env['SIXGATE_PROBE'] ?? ''
}

/** A refusal with its code and something that a person can do. */
function isTyped(code: string): (error: unknown) => boolean {
  return (error) => {
    const {
      name,
      code: found,
      remedy,
    } = error as {
      readonly name: string
      readonly code: string
      readonly remedy: string
    }
    return name === 'SandboxError' && found === code && remedy !== ''
  }
}

/** The command runs neither inside nor on the host. */
async function refuses(
  driver: ReturnType<typeof createNativeSandbox>,
  workspace: string,
  mark: string,
): Promise<void> {
  const handle = await openSandbox({ driver, workspace })
  assert.equal(handle.report.status, 'unavailable')
  assert.ok(handle.report.remedy !== null && handle.report.remedy !== '')
  await assert.rejects(handle.exec({ command: `touch ${mark}` }), {
    name: 'SandboxError',
    code: 'unavailable',
  })
  assert.ok(!existsSync(join(workspace, mark)))
}

function fake(folder: string, text: string, mode: number): string {
  mkdirSync(join(folder, 'launchers'), { recursive: true })
  const path = join(folder, 'launchers', `bwrap-${process.hrtime.bigint()}`)
  writeFileSync(path, `#!/bin/bash\n${text}\n`)
  chmodSync(path, mode)
  return path
}

/** A driver on a machine where `launcher` looks like root's. */
function trusting(launcher: string, mode: number): ReturnType<typeof createNativeSandbox> {
  const real = systemMachine()
  const facts: Machine['facts'] = (path) => {
    const found = real.facts(path)
    if (found === null || !launcher.startsWith(path)) return found
    return { ...found, owner: 0, mode: path === launcher ? mode : 0o755 }
  }
  return createNativeSandbox({ launcher, machine: { ...real, facts } })
}

/** This program again, inside something that keeps it from making namespaces. */
async function refusedWithin(
  outer: readonly string[],
  workspace: string,
  why: RegExp,
): Promise<void> {
  const [file, ...args] = [...outer, process.execPath, process.argv[1] ?? '', 'try', workspace]
  const answer: unknown = JSON.parse(
    execFileSync(file, args, { encoding: 'utf8', env: process.env }),
  )
  assert.ok(typeof answer === 'object' && answer !== null)
  const { code, cause } = answer as { code: string; cause: string }
  assert.equal(code, 'unavailable')
  assert.match(cause, why)
  assert.ok(!existsSync(join(workspace, 'ran')))
  await Promise.resolve()
}
