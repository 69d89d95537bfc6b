/** A workspace that is not on this machine: its own driver runs, and its own backend says where paths lead (S1-14). */

import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Responder } from '../../src/contract/approval.js'
import type { PolicyInput } from '../../src/contract/policy.js'
import type {
  ConfinedCommand,
  PlacedPath,
  SandboxDriver,
  WorkspaceBackend,
} from '../../src/contract/sandbox.js'
import { GUARANTEES, type Guarantee } from '../../src/core/guarantee.js'
import { openSandbox, relocate } from '../../src/sandbox/entry.js'
import { processHostFallback } from '../../src/sandbox/process-host/opt-in.js'
import { bash } from '../../src/tools/builtin/bash.js'
import { read } from '../../src/tools/builtin/read.js'
import { write } from '../../src/tools/builtin/write.js'
import { fakeSandbox } from '../../src/testing/fake-sandbox.js'
import { aGround, aResponder, YES, type Ground, type Host } from '../builders/session.js'
import { ofKind, useHosts } from '../conformance/hosts.js'

const { inMemory } = useHosts()

/** Its name there. Nothing of this name is on this machine. */
const WORKSPACE = '/project'

let ground: Ground
let place = ''
beforeEach(() => {
  ground = aGround()
  place = join(ground.base, 'place')
  mkdirSync(join(place, WORKSPACE), { recursive: true })
  mkdirSync(join(place, 'data'))
  mkdirSync(join(place, 'home/me'), { recursive: true })
  writeFileSync(join(place, 'data/secret'), 'of the place')
  symlinkSync('../data', join(place, WORKSPACE, 'out'))
})
afterEach(() => ground.clear())

/** Another place: the root of its paths is a folder here, and what is asked of it is kept. */
function backendOf(asked: string[]): WorkspaceBackend {
  return {
    home: '/home/me',
    temporary: ['/scratch'],
    resolve(path): PlacedPath {
      asked.push(path)
      return located(path)
    },
    programFolders: () => ['/usr/bin'],
  }
}

function located(path: string): PlacedPath {
  const there = join(place, path)
  const named = (real: string): string => real.slice(place.length) || '/'
  try {
    const real = realpathSync(there)
    const kind = statSync(real).isDirectory() ? 'folder' : 'file'
    return { real: named(real), kind }
  } catch {
    const parent = path === '/' ? '/' : located(dirname(path)).real
    return { real: join(parent, path.slice(path.lastIndexOf('/') + 1)), kind: 'absent' }
  }
}

interface Elsewhere {
  readonly driver: SandboxDriver
  /** What its launcher was asked to start, and what its backend was asked to resolve. */
  readonly started: string[]
  readonly asked: string[]
}

/** A driver whose launcher starts commands in the place: an interpreter that goes there first. */
function elsewhere(parts: Partial<Parameters<typeof fakeSandbox>[0]> = {}): Elsewhere {
  const [started, asked]: [string[], string[]] = [[], []]
  const driver = fakeSandbox({
    status: 'ready',
    confine({ argv, cwd, environment }) {
      started.push(argv.at(-1) ?? '')
      const script = 'cd "$0$1" && shift && export PLACE=there && exec "$@"'
      return {
        file: '/bin/sh',
        args: ['-c', script, place, cwd, ...argv],
        environment: { ...environment, PATH: '/usr/bin:/bin' },
        cwd: '/',
        pipes: [],
      }
    },
    ...parts,
  })
  return { driver: relocate({ ...driver, name: 'elsewhere' }, backendOf(asked)), started, asked }
}

function host(driver: SandboxDriver, policy: PolicyInput, responder?: Responder): Host {
  const there = { ...ground, workspace: WORKSPACE, clear: () => undefined }
  return inMemory({ policy, sandbox: driver, tools: [bash, read, write], responder }, there)
}

const RULES: PolicyInput = {
  workMode: 'full',
  rules: ['allow bash', 'allow read(@workspace)', 'allow write(@workspace)'],
}

describe('[S1-14] a workspace on another system', () => {
  it('is run in by the driver that the host hands in, in that place, and by no other', async () => {
    const { driver, started } = elsewhere()
    const one = host(driver, RULES)
    const session = await one.session()
    const result = await session.run({ tool: 'bash', args: { command: 'pwd > made; echo $PLACE' } })

    expect(result).toMatchObject({ status: 'ok', value: { stdout: 'there\n' } })
    expect(started).toEqual(['pwd > made; echo $PLACE'])
    expect(readFileSync(join(place, WORKSPACE, 'made'), 'utf8')).toBe(`${place}${WORKSPACE}\n`)
    const records = await one.records(session)
    expect(ofKind(records, 'intent')[0]?.sandbox).toMatchObject({ driver: 'elsewhere' })
    // What appeared in another place nobody here can tell, and the record says so.
    expect(ofKind(records, 'step_result')[0]?.new_control_files).toBeNull()
  })

  it('is run in by drivers and backends that are instances of classes', async () => {
    class Client implements SandboxDriver, WorkspaceBackend {
      readonly name = 'client'
      readonly platform = 'linux'
      readonly status = 'none'
      readonly home = '/home/me'
      readonly temporary: readonly string[] = []
      readonly inner = elsewhere().driver

      probe(): ReturnType<SandboxDriver['probe']> {
        return this.inner.probe()
      }
      confine(request: Parameters<SandboxDriver['confine']>[0]): ConfinedCommand {
        return this.inner.confine(request)
      }
      resolve(path: string): PlacedPath {
        return this.placed(path)
      }
      programFolders(): readonly string[] {
        return [this.placed('/usr/bin').real]
      }
      digest(path: string): string {
        return this.placed(path).real
      }
      private placed(path: string): PlacedPath {
        return located(path)
      }
    }
    const client = new Client()
    const session = await host(relocate(client, client), RULES).session()
    const result = await session.run({ tool: 'bash', args: { command: 'echo $PLACE' } })

    expect(result).toMatchObject({ status: 'ok', value: { stdout: 'there\n' } })
  })

  it('is on this machine whatever else a driver of the host calls its place', async () => {
    const driver = Object.assign(fakeSandbox({ status: 'ready' }), { place: 'Berlin' })

    await expect(openSandbox({ driver, workspace: ground.workspace })).resolves.toBeDefined()
  })

  it('gets no stand-in for protected names, there or here', async () => {
    const { driver } = elsewhere()
    const session = await host(driver, RULES).session()
    await session.run({ tool: 'bash', args: { command: 'ls -A > listed' } })

    expect(readdirSync(join(place, WORKSPACE)).sort()).toEqual(['listed', 'out'])
    expect(readFileSync(join(place, WORKSPACE, 'listed'), 'utf8')).toBe('listed\nout\n')
    expect(existsSync(WORKSPACE)).toBe(false)
  })

  it('gives its commands no variable of this machine but what the call names', async () => {
    process.env['ELSEWHERE_CANARY'] = 's3cr3t'
    const handle = await openSandbox({
      driver: elsewhere().driver,
      workspace: WORKSPACE,
      profile: { environment: { pass: ['ELSEWHERE_CANARY'] } },
    })
    const { stdout } = await handle.exec({ command: 'env', env: { GIVEN: 'twin' } })
    delete process.env['ELSEWHERE_CANARY']

    expect(stdout).toContain('GIVEN=twin')
    expect(stdout).not.toContain('s3cr3t')
    expect(stdout).not.toMatch(/^(?:HOME|USER|LANG)=/m)
  })

  it('has its paths judged by where its own links lead', async () => {
    const { driver, asked } = elsewhere()
    const session = await host(driver, RULES).session()
    const inside = await session.check({ tool: 'write', args: { file_path: 'new', content: '' } })
    const outside = await session.evaluate({
      tool: 'write',
      args: { file_path: 'out/new', content: '' },
    })

    expect(inside).toMatchObject({ decision: 'allow' })
    expect(outside).toMatchObject({ status: 'denied', reason: 'outside_profile' })
    expect(asked).toContain('/project/out/new')
  })

  it('is refused by the name that it has here, without a backend', () => {
    const driver = fakeSandbox({ status: 'ready' })

    expect(() => host(driver, RULES)).toThrowError(
      expect.objectContaining({ code: 'workspace_refused' }),
    )
  })

  it('is refused where its own backend says that it is a home or no folder', async () => {
    const { driver } = elsewhere()
    const open = (workspace: string): Promise<unknown> => openSandbox({ driver, workspace })

    for (const workspace of ['/home/me', '/home', '/', '/data/secret', '/nowhere']) {
      await expect(open(workspace)).rejects.toMatchObject({ code: 'workspace_refused' })
    }
    await expect(open(WORKSPACE)).resolves.toBeDefined()
  })

  it.each<Guarantee>(['metadata_protection', 'write_confinement'])(
    'runs nothing when the report of its driver lacks %s, whatever this machine could keep',
    async (guarantee) => {
      const { driver, started } = elsewhere({ missing: [guarantee] })
      const session = await host(driver, RULES).session()
      const result = await session.run({ tool: 'bash', args: { command: 'touch ran' } })

      expect(result).toMatchObject({ status: 'denied', reason: 'sandbox_unavailable' })
      expect(started).toEqual([])
    },
  )

  it('runs nothing here when its driver is unavailable, an opt-in for this machine included', async () => {
    const { driver, started } = elsewhere({ status: 'unavailable' })
    const fallback = processHostFallback({ allow: true, waive: [...GUARANTEES] }, null, 'linux')
    const session = await host({ ...driver, fallback }, RULES).session()
    const result = await session.run({ tool: 'bash', args: { command: 'touch ran' } })

    expect(result).toMatchObject({ status: 'denied', reason: 'sandbox_unavailable' })
    expect(started).toEqual([])
  })

  it('lets no call out onto this machine, though a person said yes', async () => {
    const { driver, started } = elsewhere()
    const responder = aResponder(() => YES)
    const session = await host(driver, { ...RULES, network: 'on' }, responder).session()
    const mark = join(ground.base, 'ran')
    const result = await session.run({
      tool: 'bash',
      args: {
        command: `touch ${mark}`,
        sandbox_permissions: 'require_escalated',
        justification: 'a test',
      },
    })

    expect(responder.asked).toHaveLength(1)
    expect(result).toMatchObject({ status: 'error', error: { code: 'unavailable' } })
    expect(existsSync(mark)).toBe(false)
    expect(started).toEqual([])
  })

  it('has no file of this machine opened in its place', async () => {
    // The same name leads to a file here and to one there.
    const here = join(ground.base, 'ws/a.txt')
    mkdirSync(join(place, dirname(here)), { recursive: true })
    writeFileSync(join(place, here), 'of the place')
    const { driver } = elsewhere()
    const session = await inMemory(
      { policy: RULES, sandbox: driver, tools: [read, write] },
      { ...ground, clear: () => undefined },
    ).session()
    const text = await session.run({ tool: 'read', args: { file_path: 'a.txt' } })
    const made = await session.run({ tool: 'write', args: { file_path: 'a.txt', content: 'x' } })

    for (const result of [text, made]) {
      expect(result).toMatchObject({ status: 'error', error: { code: 'unavailable' } })
    }
    expect(readFileSync(here, 'utf8')).toBe('text')
  })
})
