/** The rows about the boundary, each by what a command or a session meets (sandbox.md §1 to §4). */

import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { SandboxDriver, SandboxHandle } from '../../src/contract/sandbox.js'
import { PROTECTED_DIRECTORIES, PROTECTED_FILES } from '../../src/lists/protected.js'
import { definePolicy } from '../../src/policy/define.js'
import { createNativeSandbox, openSandbox } from '../../src/sandbox/entry.js'
import { workspaceId } from '../../src/enforce/session.js'
import { memoryStore } from '../../src/store/memory.js'
import { createTestSixgate } from '../../src/testing/create-test-sixgate.js'
import { fakeSandbox } from '../../src/testing/fake-sandbox.js'
import { bash } from '../../src/tools/builtin/bash.js'
import { defineTool } from '../../src/tools/define-tool.js'
import { runsOf } from '../builders/trace-oracle.js'
import { ofKind } from '../conformance/hosts.js'

const report = await createNativeSandbox().probe()
const reason = report.status === 'ready' ? null : (report.cause ?? 'no sandbox')
if (reason !== null) console.warn(`the rows of the boundary are skipped: ${reason}`)

let base = ''
let workspace = ''
const home = process.env['HOME']
const state = process.env['XDG_STATE_HOME']
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'sixgate-rows-')))
  workspace = join(base, 'ws')
  mkdirSync(join(workspace, 'src'), { recursive: true })
  mkdirSync(join(base, 'home/.ssh'), { recursive: true })
  writeFileSync(join(base, 'home/.ssh/id_rsa'), 'THE-KEY')
  writeFileSync(join(base, 'file'), 'untouched')
  process.env['HOME'] = join(base, 'home')
  process.env['XDG_STATE_HOME'] = join(base, 'state')
})
afterEach(() => rmSync(base, { recursive: true, force: true }))
afterAll(() => {
  for (const [name, value] of [
    ['HOME', home],
    ['XDG_STATE_HOME', state],
  ] as const) {
    if (value === undefined) Reflect.deleteProperty(process.env, name)
    else process.env[name] = value
  }
})

const open = (profile = {}): Promise<SandboxHandle> => openSandbox({ workspace, profile })

describe.skipIf(reason !== null)('a command inside', () => {
  it('[S1-15] [S1-23] reaches no server of the host, listens nowhere and connects to no socket', async () => {
    let accepted = 0
    const server = createServer(() => (accepted += 1)).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as { readonly port: number }
    const { exec } = await open()
    const run = await exec({
      command: `(exec 3<>/dev/tcp/127.0.0.1/${port}) 2>/dev/null && echo reached
        python3 -c 'import socket; socket.socket().listen()' 2>/dev/null && echo listens
        python3 -c 'import socket; socket.socket(socket.AF_UNIX)' 2>/dev/null && echo unix
        echo twin`,
    })
    server.close()

    expect(run.stdout).toBe('twin\n')
    expect(accepted).toBe(0)
  })

  it('[S1-24] writes to the workspace and its private scratch alone', async () => {
    const { exec } = await open()
    const run = await exec({
      command: `echo x > ${base}/file; echo x > ${base}/home/x; echo x > /etc/x; echo x > /usr/x
        echo kept > made && echo kept > ~/made && echo kept > /tmp/made && cat made ~/made /tmp/made`,
    })

    expect(run.stdout).toBe('kept\nkept\nkept\n')
    expect(readFileSync(join(base, 'file'), 'utf8')).toBe('untouched')
    expect(existsSync(join(base, 'home/x'))).toBe(false)
    expect(readFileSync(join(workspace, 'made'), 'utf8')).toBe('kept\n')
  })

  it('[S1-25] [S1-26] changes no protected folder and no protected file, present or absent', async () => {
    const files = PROTECTED_FILES.filter((_, index) => index % 2 === 0)
    const folders = PROTECTED_DIRECTORIES.filter((_, index) => index % 2 === 0)
    for (const name of files) writeFileSync(join(workspace, name), 'mine')
    for (const name of folders) {
      mkdirSync(join(workspace, name), { recursive: true })
      writeFileSync(join(workspace, name, 'own'), 'mine')
    }
    const { exec } = await open()
    const all = [...PROTECTED_DIRECTORIES.map((name) => `${name}/own`), ...PROTECTED_FILES]
    const run = await exec({
      command: `for name in ${all.join(' ')}; do
          echo evil > t; mv -f t $name; echo evil > $name; rm -rf $name
        done 2> /dev/null
        for name in ${PROTECTED_DIRECTORIES.join(' ')}; do mv $name away; rm -rf $name; done 2> /dev/null
        echo twin > src/twin; cat src/twin`,
    })

    expect(run.stdout).toBe('twin\n')
    for (const name of [...files, ...folders.map((one) => `${one}/own`)]) {
      expect(readFileSync(join(workspace, name), 'utf8'), name).toBe('mine')
    }
    await new Promise((resolve) => setTimeout(resolve, 1300))
    const absent = [...PROTECTED_FILES, ...PROTECTED_DIRECTORIES].filter(
      (name) => ![...files, ...folders].includes(name),
    )
    expect(absent.filter((name) => existsSync(join(workspace, name)))).toEqual([])
  }, 20_000)

  it('[S1-27] [H-24] reads what is allowed by name, and no home, service data or temporary folder', async () => {
    const { exec } = await open({ readable: [join(base, 'file')] })
    const run = await exec({
      command: `cat ${base}/home/.ssh/id_rsa /root/.bashrc /var/lib/dpkg/status /etc/shadow
        ls -A /home /var /srv /mnt /media /run ${base}/home; cat ${base}/file`,
    })

    expect(run.stdout.replace(/^\/\w+:\n\n?/gm, '')).toBe('untouched')
    const widened = await open({ readable: [join(base, 'home')] })
    const { stdout } = await widened.exec({ command: `cat ${base}/home/.ssh/id_rsa; echo twin` })
    expect(stdout).toBe('twin\n')
  })

  it('[H-27] leaves a package store alone that shares a file outside, and says so', async () => {
    mkdirSync(join(workspace, 'node_modules/a'), { recursive: true })
    linkSync(join(base, 'file'), join(workspace, 'node_modules/a/i.js'))
    const guarded = await open()
    const run = await guarded.exec({ command: 'echo x > node_modules/a/i.js; touch twin' })
    const opened = await open({ packageStores: 'writable' })
    await opened.exec({ command: 'echo x > node_modules/a/new' })

    expect(run).toMatchObject({ readOnlyStores: [join(workspace, 'node_modules')] })
    expect(readFileSync(join(base, 'file'), 'utf8')).toBe('untouched')
    expect(guarded.report.guarantees.write_confinement.status).toBe('enforced')
    expect(opened.report.guarantees.write_confinement.status).toBe('unenforceable')
    expect(existsSync(join(workspace, 'node_modules/a/new'))).toBe(true)
  })

  it('[S1-17] is what the probe ran, through the flags of every later one', () => {
    expect(report).toMatchObject({ status: 'ready', cause: null })
  })
})

describe.skipIf(reason !== null)('a policy', () => {
  it('[S1-11] decides and does not confine: only what runs in the sandbox is held to it', async () => {
    const store = memoryStore()
    const aside = join(base, 'file')
    writeFileSync(join(workspace, 'step.sh'), `echo x > ${aside}; echo x > src/a`)
    const needs = [{ kind: 'path' as const, path: 'src/a', access: 'write' as const }]
    const inProcess = defineTool({
      name: 'in_process',
      inputSchema: z.unknown(),
      runsIn: 'process',
      needs: () => needs,
      // It stated one file and writes another: nothing but its own manners keeps it from that.
      execute: () => Promise.resolve(writeFileSync(aside, 'changed')),
    })
    const policy = definePolicy({ workMode: 'full', rules: ['allow in_process', 'allow bash'] })
    const sixgate = createTestSixgate({
      ...{ policy, workspace, store },
      ...{ tools: [inProcess, bash], sandbox: createNativeSandbox() },
    })
    const session = await sixgate.session()
    await session.run({ tool: 'in_process', args: {} })
    const written = readFileSync(aside, 'utf8')
    writeFileSync(aside, 'untouched')
    await session.run({ tool: 'bash', args: { command: 'bash step.sh' } })
    await sixgate[Symbol.asyncDispose]()
    const [run] = await runsOf(store, workspaceId(workspace))
    const intents = ofKind(run?.records ?? [], 'intent')
    const layers = ofKind(run?.records ?? [], 'decision').filter(({ layer }) => layer === 'sandbox')

    expect([written, readFileSync(aside, 'utf8')]).toEqual(['changed', 'untouched'])
    expect(existsSync(join(workspace, 'src/a'))).toBe(true)
    expect(intents.map(({ sandbox }) => sandbox?.driver ?? null)).toEqual([null, 'bubblewrap'])
    expect(layers.map(({ matched_rule: rule }) => rule)).toEqual([
      'builtin:inside_profile',
      'builtin:driver.bubblewrap',
    ])
  })
})

describe('a session and its boundary', () => {
  const policy = definePolicy({ workMode: 'full', rules: ['allow bash'] })

  it('[S1-12] [S1-29] has one driver, probed once, for its own, nested and delegated runs', async () => {
    let probes = 0
    const confined: string[] = []
    const fake = fakeSandbox({
      status: 'ready',
      confine: ({ argv, cwd }) => {
        confined.push(argv.at(-1) ?? '')
        return { file: '/bin/true', args: [], environment: {}, cwd, pipes: [] }
      },
    })
    const driver: SandboxDriver = { ...fake, probe: () => (probes++, fake.probe()) }
    await using sixgate = createTestSixgate({ policy, workspace, tools: [bash], sandbox: driver })
    const session = await sixgate.session()
    const child = await session.spawn({})
    for (const [index, one] of [session, child, session].entries()) {
      await one.run({ tool: 'bash', args: { command: `echo ${index}` } })
    }

    expect(probes).toBe(1)
    expect(confined).toEqual(['echo 0', 'echo 1', 'echo 2'])
  })

  it('[S1-18] [S1-19] [S1-22] denies every command where the launcher is missing, and runs none', async () => {
    const driver = createNativeSandbox({ launcher: '/nonexistent/bwrap' })
    await using sixgate = createTestSixgate({ policy, workspace, tools: [bash], sandbox: driver })
    const session = await sixgate.session()
    const outcome = await session.evaluate({ tool: 'bash', args: { command: 'touch ran' } })

    expect(outcome).toMatchObject({
      status: 'denied',
      reason: 'sandbox_unavailable',
      humanMessage: expect.stringMatching(/apt-get install -y bubblewrap/) as unknown,
    })
    expect(existsSync(join(workspace, 'ran'))).toBe(false)
  })

  it.skipIf(reason !== null)(
    '[H-23] refuses a workspace that cannot be held, whatever `onUnavailable` says, and runs nothing',
    async () => {
      mkdirSync(join(workspace, Array.from({ length: 66 }, () => 'd').join('/')), {
        recursive: true,
      })
      const asks = definePolicy({
        workMode: 'full',
        rules: ['allow bash'],
        sandbox: { onUnavailable: 'ask_host' },
      })
      let asked = 0
      await using sixgate = createTestSixgate({
        policy: asks,
        workspace,
        tools: [bash],
        sandbox: createNativeSandbox(),
        responder: {
          kind: 'human',
          ask: () => (asked++, Promise.resolve({ approved: true, by: 'me' } as never)),
        },
      })
      const session = await sixgate.session()
      const result = await session.run({ tool: 'bash', args: { command: 'touch ran' } })

      expect(result).toMatchObject({ status: 'error', error: { code: 'workspace_refused' } })
      expect(asked).toBe(0)
      expect(existsSync(join(workspace, 'ran'))).toBe(false)
    },
  )
})
