/** Whatever is handed in, however broken a part is: a clear typed result, a denial, nothing lost, nothing run. */

import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Admission, Result } from '../../src/contract/outcome.js'
import type { SandboxDriver } from '../../src/contract/sandbox.js'
import type { CallRequest, Session, SixgateOptions } from '../../src/contract/session.js'
import type { StandardSchema } from '../../src/contract/standard-schema.js'
import type { Tool } from '../../src/contract/tool.js'
import { ConfigError } from '../../src/core/errors.js'
import { GUARANTEES } from '../../src/core/guarantee.js'
import { createSixgate } from '../../src/sixgate.js'
import { definePolicy } from '../../src/policy/define.js'
import { createNativeSandbox } from '../../src/sandbox/select.js'
import { jsonlStore } from '../../src/store/jsonl.js'
import { memoryStore } from '../../src/store/memory.js'
import { fakeClock } from '../../src/testing/fake-clock.js'
import { bash } from '../../src/tools/builtin/bash.js'
import { read } from '../../src/tools/builtin/read.js'
import {
  aGate,
  aGround,
  aHost,
  aResponder,
  aTool,
  OPEN,
  settled,
  YES,
  type Host,
} from '../builders/session.js'
import { failingStore } from './adversaries.js'
import { ofKind, useHosts } from './hosts.js'

const { inMemory, onDisk } = useHosts()
const PROBE: CallRequest = { callId: 'c1', tool: 'probe', args: { n: 1 } }
const ASK = { ...OPEN, toolApproval: 'always_ask' } as const

describe('arguments', () => {
  const cyclic: Record<string, unknown> = {}
  cyclic['self'] = cyclic
  let deep: unknown = 1
  for (let level = 0; level < 10_000; level += 1) deep = { deep }
  const bad: readonly [string, unknown][] = [
    ['a getter', Object.defineProperty({}, 'a', { enumerable: true, get: () => 'b.txt' })],
    ['a throwing getter', throwing('a')],
    ['a proxy', new Proxy({}, {})],
    ['a revoked proxy', revoked()],
    ['a cycle', cyclic],
    ['NaN', { n: Number.NaN }],
    ['infinity', { n: Number.POSITIVE_INFINITY }],
    ['an unsafe integer', { n: 2 ** 60 }],
    ['a bigint', { n: 1n }],
    ['a lone surrogate', { text: '\ud800' }],
    ['a lone surrogate in a key', { '\udfff': 1 }],
    ['a symbol', { s: Symbol('s') }],
    ['a function', { f: () => 1 }],
    ['undefined', undefined],
    ['an undefined field', { a: undefined }],
    ['a date', { d: new Date(0) }],
    ['a map', new Map()],
    ['a class instance', Object.create({ inherited: 1 })],
    ['a sparse list', [1, , 3]],
    ['10 MiB', { text: 'x'.repeat(10 * 1024 * 1024) }],
    ['10 MiB of small things', Array.from({ length: 1_100_000 }, () => 1.5)],
    ['10,000 levels', deep],
    ['65 levels', JSON.parse(`${'['.repeat(65)}${']'.repeat(65)}`)],
  ]

  it.each(bad)('with %s are denied at layer 1 and never reach the tool', async (_, args) => {
    const seen: unknown[] = []
    const tool = aTool((given) => void seen.push(given), {
      needs: (given) => {
        seen.push(given)
        return []
      },
    })
    const host = inMemory({ tools: [tool] })
    const live = await host.session()

    const results = [await live.run({ ...PROBE, args }), await live.evaluate({ ...PROBE, args })]

    for (const result of results) {
      expect(result).toMatchObject({
        status: 'denied',
        layer: 'work_mode',
        matchedRule: 'builtin:invalid_args',
        reason: 'invalid_args',
      })
    }
    expect(seen).toEqual([])
    expect(await live.check({ ...PROBE, args })).toMatchObject({ decision: 'deny' })
    expect(await live.chain('c1')).toHaveLength(1)
    expect(ofKind(await host.records(live), 'terminal')).toHaveLength(1)
  })

  it('cannot be changed after they were handed in', async () => {
    const seen: unknown[] = []
    const tool = aTool((given) => void seen.push(given))
    const { session } = inMemory({ tools: [tool] })
    const live = await session()
    const args = { path: 'a', list: [1, 2] }

    const running = live.run({ ...PROBE, args })
    args.path = 'b'
    args.list.push(3)
    await running

    expect(seen).toEqual([{ path: 'a', list: [1, 2] }])
    expect(Object.isFrozen(seen[0])).toBe(true)
  })

  it('may hold a key named __proto__, which is a key', async () => {
    const seen: unknown[] = []
    const { session } = inMemory({ tools: [aTool((given) => void seen.push(given))] })
    const args: unknown = JSON.parse('{"__proto__": {"polluted": true}}')

    await (await session()).run({ ...PROBE, args })

    expect(Reflect.get({}, 'polluted')).toBeUndefined()
    expect(JSON.stringify(seen[0])).toBe('{"__proto__":{"polluted":true}}')
  })

  it.each<[string, unknown]>([
    ['null', null],
    ['undefined', undefined],
    ['a text', 'call'],
    ['a list', []],
    ['a revoked proxy', revoked()],
    ['a throwing getter', throwing('tool')],
    ['a number for a tool', { tool: 7, args: {} }],
    ['an empty call id', { ...PROBE, callId: '' }],
    ['a long call id', { ...PROBE, callId: 'x'.repeat(129) }],
    ['a line feed in the call id', { ...PROBE, callId: 'a\nb' }],
    ['a number for a call id', { ...PROBE, callId: 7 }],
    ['a number for a folder', { ...PROBE, cwd: 7 }],
    ['a folder outside', { ...PROBE, cwd: '/' }],
    ['a folder that climbs', { ...PROBE, cwd: '../out' }],
    ['a NUL in the folder', { ...PROBE, cwd: 'a\0b' }],
    ['a broken observation', { ...PROBE, observation: cyclic }],
  ])('and requests that are %s are denied, never a rejection', async (_, request) => {
    const ran: unknown[] = []
    const { session } = inMemory({ tools: [aTool(() => ran.push(1))] })
    const live = await session()
    const call = request as CallRequest

    const all = [await live.evaluate(call), await live.run(call)]

    for (const one of all) expect(one.status).toBe('denied')
    expect(await live.check(call)).toMatchObject({ decision: 'deny' })
    expect(ran).toEqual([])
  })

  it('for a tool that nobody registered are denied by name', async () => {
    const { session } = inMemory({ tools: [read] })
    const live = await session()
    for (const tool of [
      'probe',
      '',
      'READ ',
      '__proto__',
      'constructor',
      'x'.repeat(100_000),
      '\ud800',
    ]) {
      expect(await live.run({ tool, args: {} })).toMatchObject({
        status: 'denied',
        matchedRule: 'builtin:unknown_tool',
      })
    }
  })
})

describe('needs', () => {
  const lists: readonly [string, () => unknown][] = [
    ['that throw', () => fail()],
    ['that are undefined', () => undefined],
    ['that are a text', () => 'needs'],
    ['that are one need', () => ({ kind: 'text', text: 'x' })],
    ['that are like a list', () => ({ length: 1, 0: { kind: 'text', text: 'x' } })],
    ['that are a promise', () => Promise.resolve([])],
    ['that are a rejected promise', () => Promise.reject(new Error('later'))],
    ['that are a generator', () => [][Symbol.iterator]()],
    ['that are a class of lists', () => new (class Needs extends Array<unknown> {})()],
    ['that are a proxy', () => new Proxy([], {})],
    ['of an unknown kind', () => [{ kind: 'everything' }]],
    ['without a kind', () => [{ path: 'a' }]],
    ['with an unknown access', () => [{ kind: 'path', access: 'execute', path: 'a' }]],
    ['with a number for a path', () => [{ kind: 'path', access: 'read', path: 7 }]],
    ['with an empty path', () => [{ kind: 'path', access: 'read', path: '' }]],
    ['with a NUL in a path', () => [{ kind: 'path', access: 'read', path: 'a\0' }]],
    ['with an unknown capability', () => [{ kind: 'capability', name: 'root' }]],
    ['with a getter', () => [Object.defineProperty({}, 'kind', { enumerable: true, get: fail })]],
    ['that hold null', () => [null]],
  ]

  it.each(lists)('%s deny the call', async (_, needs) => {
    const ran: unknown[] = []
    const tool = aTool(() => ran.push(1), { needs: needs as never })
    const { session } = inMemory({ tools: [tool] })
    const live = await session()

    const result = await live.run(PROBE)
    await settled()

    expect(result).toMatchObject({ status: 'denied', matchedRule: 'builtin:invalid_needs' })
    expect(ran).toEqual([])
  })

  it('cannot lie about a list: what was read once is what is judged', async () => {
    const needs = [{ kind: 'path', access: 'read', path: 'a.txt' }]
    const tool = aTool((_, { files }) => files.read('/etc/hostname'), {
      needs: () => needs as never,
    })
    const { session } = inMemory({ tools: [tool] })
    const live = await session()
    const outcome = await live.evaluate(PROBE)

    needs[0] = { kind: 'path', access: 'read', path: '/etc/hostname' }
    const result = outcome.status === 'admitted' ? await live.dispatch(outcome.admission) : outcome

    expect(result).toMatchObject({ status: 'error', error: { code: 'not_judged' } })
  })
})

describe('a schema', () => {
  const schema = (validate: StandardSchema['~standard']['validate']): StandardSchema => ({
    '~standard': { version: 1, vendor: 'test', validate },
  })

  it.each<[string, () => unknown]>([
    ['throws', () => fail()],
    ['answers later', () => Promise.resolve({ value: {} })],
    ['rejects later', () => Promise.reject(new Error('later'))],
    ['finds issues', () => ({ issues: [{ message: 'no' }] })],
    ['gives what is no JSON', () => ({ value: new Map() })],
    ['gives a cycle', () => ({ value: cycle() })],
    ['gives nothing', () => undefined],
    ['gives issues that throw', () => throwing('issues')],
    ['is a text', () => 'valid'],
  ])('that %s accepts nothing', async (_, validate) => {
    const ran: unknown[] = []
    const tool: Tool = {
      name: 'probe',
      inputSchema: schema(validate as never),
      runsIn: 'process',
      always: [],
      needs: () => [],
      execute: () => void ran.push(1),
    }
    const { session } = inMemory({ tools: [tool] })
    const live = await session()

    const result = await live.run(PROBE)
    await settled()

    expect(result).toMatchObject({ status: 'denied', matchedRule: 'builtin:invalid_args' })
    expect(ran).toEqual([])
  })
})

describe('a call id used again with other arguments', () => {
  const OTHER = { ...PROBE, args: { n: 2 } }

  it('is refused while the first is judged, after its dispatch and after its denial', async () => {
    const seen: unknown[] = []
    const host = inMemory({ tools: [aTool((args) => void seen.push(args))] })
    const live = await host.session()

    const [first, concurrent] = await Promise.all([live.run(PROBE), live.run(OTHER)])
    const after = await live.run(OTHER)
    await live.run({ ...PROBE, callId: 'c2', tool: 'nothing' })
    const denied = await live.run({ ...OTHER, callId: 'c2' })

    expect(first.status).toBe('ok')
    for (const one of [concurrent, after, denied]) {
      expect(one).toMatchObject({ status: 'denied', matchedRule: 'builtin:call_id_reused' })
    }
    expect(seen).toEqual([{ n: 1 }])
  })
})

describe('an admission', () => {
  it('that is forged, copied, of another session, used or old starts nothing', async () => {
    const clock = fakeClock()
    const ran: unknown[] = []
    const host = inMemory({ ports: { clock }, tools: [aTool(() => void ran.push(1))] })
    const [live, other] = [await host.session(), await host.session()]
    const admission = await admissionOf(live, PROBE)
    const code = (given: unknown, by: Session = live): Promise<unknown> =>
      by.dispatch(given as Admission).then(
        () => 'started',
        (error: unknown) => Reflect.get(Object(error) as object, 'code'),
      )

    const forged = await Promise.all(
      [{ callId: 'c1' }, null, undefined, 'c1', 7, revoked(), Object.create(admission)].map((one) =>
        code(one),
      ),
    )
    const copied = await code({ ...admission })
    const cloned = await code(structuredClone(admission))
    const foreign = await code(admission, other)
    clock.advance(59_999)
    const usable = await code(admission)
    const used = await code(admission)
    const second = await admissionOf(live, { ...PROBE, callId: 'c2' })
    clock.advance(60_000)
    const lapsed = await code(second)
    const fresh = await code(await admissionOf(live, { ...PROBE, callId: 'c2' }))

    expect(new Set([...forged, copied, cloned])).toEqual(new Set(['forged']))
    expect([foreign, usable, used, lapsed, fresh]).toEqual([
      'other_session',
      'started',
      'already_used',
      'lapsed',
      'started',
    ])
    expect(ran).toHaveLength(2)
  })

  it('without anything to run uses nothing up: an adapter may still run it', async () => {
    const tool: Tool = {
      name: 'probe',
      inputSchema: z.unknown(),
      runsIn: 'process',
      always: [],
      needs: () => [],
    }
    const host = inMemory({ tools: [tool] })
    const live = await host.session()
    const admission = await admissionOf(live, PROBE)

    await expect(live.dispatch(admission)).rejects.toMatchObject({ code: 'no_executor' })
    await expect(live.dispatchInline(admission, null as never)).rejects.toMatchObject({
      code: 'no_executor',
    })
    const result = await live.dispatchInline(admission, (args) => args)

    expect(result).toMatchObject({ status: 'ok', value: { n: 1 } })
    expect(ofKind(await host.records(live), 'intent')[0]?.executor).toBe('inline')
    expect(await live.run({ ...PROBE, callId: 'c2' })).toMatchObject({
      status: 'error',
      error: { code: 'no_executor' },
    })
  })
})

describe('a responder', () => {
  it.each<[string, () => unknown, string]>([
    ['throws', () => fail(), 'responder_failed'],
    ['rejects', () => Promise.reject(new Error('no')), 'responder_failed'],
    ['answers undefined', () => undefined, 'responder_failed'],
    ['answers true', () => true, 'responder_failed'],
    ['answers a text', () => 'approve', 'responder_failed'],
    ['answers with other words', () => ({ answer: 'Approve' }), 'responder_failed'],
    ['answers with a list', () => ({ answer: ['approve'] }), 'responder_failed'],
    ['answers with a revoked proxy', () => Promise.resolve(revoked()), 'responder_failed'],
    ['answers with a throwing getter', () => throwing('answer'), 'responder_failed'],
    ['says no', () => ({ answer: 'reject', reason: 'because' }), 'rejected'],
  ])('that %s denies', async (_, answer, reason) => {
    const ran: unknown[] = []
    const responder = { kind: 'human', ask: answer } as never
    const host = inMemory({ policy: ASK, responder, tools: [aTool(() => ran.push(1))] })
    const live = await host.session()

    const result = await live.run(PROBE)

    expect(result).toMatchObject({
      status: 'denied',
      layer: 'approval_response',
      matchedRule: 'default:prompt',
      reason,
    })
    expect(ran).toEqual([])
  })

  it('that hangs is not waited for; its yes afterwards is nobody’s', async () => {
    const clock = fakeClock()
    const gate = aGate<unknown>()
    const ran: unknown[] = []
    const signals: AbortSignal[] = []
    const responder = aResponder((_, signal) => {
      signals.push(signal)
      return gate.promise
    })
    const host = inMemory({
      policy: ASK,
      responder,
      ports: { clock },
      tools: [aTool(() => ran.push(1))],
    })
    const live = await host.session()
    const running = live.run(PROBE)
    await responder.firstAsk

    clock.advance(24 * 60 * 60 * 1_000)
    const result = await running
    gate.open(YES)
    await settled()

    expect(result).toMatchObject({ status: 'denied', reason: 'expired' })
    expect(signals[0]?.aborted).toBe(true)
    expect(await live.run(PROBE)).toEqual(result)
    expect(ran).toEqual([])
  })

  it('that answers with a thenable of two minds is taken at its first word', async () => {
    const twice = {
      then(resolve: (value: unknown) => void, reject: (error: unknown) => void) {
        resolve({ answer: 'reject' })
        resolve(YES)
        reject(new Error('third'))
      },
    }
    const responder = { kind: 'human', ask: () => twice } as never
    const host = inMemory({ policy: ASK, responder, tools: [aTool(() => 1)] })
    const live = await host.session()

    expect(await live.run(PROBE)).toMatchObject({ status: 'denied', reason: 'rejected' })
    expect(ofKind(await host.records(live), 'approval')).toHaveLength(1)
  })
})

describe('links', () => {
  it('that dangle, turn in a circle or lead out open nothing outside', async () => {
    const host = onDisk({ policy: { ...OPEN, rules: ['allow read(@workspace)'] } })
    const { workspace, outside } = host.ground
    const live = await host.session()
    symlinkSync(join(outside, 'not-yet'), join(workspace, 'dangling'))
    symlinkSync('loop-b', join(workspace, 'loop-a'))
    symlinkSync('loop-a', join(workspace, 'loop-b'))
    symlinkSync(outside, join(workspace, 'door'))
    writeFileSync(join(outside, 'secret'), 'SECRET')

    const results: Result<unknown>[] = []
    for (const path of ['dangling', 'loop-a', 'loop-a/x', 'door/secret', 'door/new', 'door']) {
      results.push(
        await live.run({ tool: 'write', args: { file_path: path, content: 'mine' } }),
        await live.run({ tool: 'read', args: { file_path: path } }),
      )
    }

    for (const result of results) {
      expect(['denied', 'error']).toContain(result.status)
      expect(JSON.stringify(result)).not.toContain('SECRET')
    }
    expect(readdirSync(outside)).toEqual(['secret'])
    expect(readFileSync(join(outside, 'secret'), 'utf8')).toBe('SECRET')
  })

  it('swapped between evaluate and dispatch are judged again', async () => {
    const host = onDisk()
    const { workspace, outside } = host.ground
    mkdirSync(join(workspace, 'folder'))
    const live = await host.session()
    const admission = await admissionOf(live, {
      callId: 'c1',
      tool: 'write',
      args: { file_path: 'folder/file', content: 'mine' },
    })

    execFileSync('mv', [join(workspace, 'folder'), join(workspace, 'moved')])
    symlinkSync(outside, join(workspace, 'folder'))
    const result = await live.dispatch(admission)

    expect(result).toMatchObject({ status: 'denied', matchedRule: 'builtin:outside_profile' })
    expect(readdirSync(outside)).toEqual([])
  })
})

describe('a ledger', () => {
  const MARK: CallRequest = {
    callId: 'c1',
    tool: 'write',
    args: { file_path: 'marker', content: 'ran' },
  }
  const marker = ({ ground }: Host): string | null => ground.text(join(ground.workspace, 'marker'))

  it('on a full disk stops calls, and what was written stays readable', async () => {
    const ground = aGround()
    mkdirSync(ground.ledger)
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=512k,mode=0700', 'tmpfs', ground.ledger])
    try {
      const host = aHost({ store: jsonlStore(ground.ledger) }, ground)
      const live = await host.session()
      const results: Result<unknown>[] = []
      let calls = 0
      do {
        calls += 1
        results.push(
          await live.run({ tool: 'write', args: { file_path: `f${calls}`, content: '' } }),
        )
      } while (results.at(-1)?.status === 'ok' && calls < 2_000)

      expect(results.at(-1)).toMatchObject({ status: 'denied', reason: 'audit_unavailable' })
      expect(ground.text(join(ground.workspace, `f${calls}`))).toBeNull()
      expect(ground.text(join(ground.workspace, `f${calls - 1}`))).toBe('')
      expect(await live.run(MARK)).toMatchObject({ status: 'denied', reason: 'audit_unavailable' })
      expect(marker(host)).toBeNull()
      await expect(live.close()).rejects.toMatchObject({ name: 'RecordError' })
      await host.verify()
    } finally {
      execFileSync('umount', ['-l', ground.ledger])
      ground.clear()
    }
  })

  it('in a read-only folder opens no session', async () => {
    const ground = aGround()
    mkdirSync(ground.ledger)
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'ro,mode=0700', 'tmpfs', ground.ledger])
    try {
      const host = aHost({ store: jsonlStore(ground.ledger) }, ground)
      await expect(host.session()).rejects.toMatchObject({
        name: 'RecordError',
        code: 'store_failed',
      })
      execFileSync('mount', ['-o', 'remount,rw', ground.ledger])
      const live = await host.session()
      expect((await live.run(MARK)).status).toBe('ok')
      await host.sixgate[Symbol.asyncDispose]()
    } finally {
      execFileSync('umount', ['-l', ground.ledger])
      ground.clear()
    }
  })

  it('that others may write is refused', async () => {
    const ground = aGround()
    mkdirSync(ground.ledger)
    chmodSync(ground.ledger, 0o777)
    const host = aHost({ store: jsonlStore(ground.ledger) }, ground)

    await expect(host.session()).rejects.toMatchObject({ name: 'RecordError' })

    ground.clear()
  })

  it('with bytes of somebody else in it takes no more calls', async () => {
    const host = onDisk()
    const live = await host.session()
    await live.run({ ...MARK, callId: 'c0', args: { file_path: 'first', content: '' } })
    const file = runFile(host)

    appendFileSync(file, '{"torn":')
    const result = await live.run(MARK)

    expect(result).toMatchObject({ status: 'denied', reason: 'audit_unavailable' })
    expect(marker(host)).toBeNull()
    await expect(live.chain('c0')).resolves.toHaveLength(5)
  })

  it('with a line that is no record gives no chain rather than a guess', async () => {
    const host = onDisk()
    const live = await host.session()
    await live.run(MARK)
    const file = runFile(host)
    const good = readFileSync(file, 'utf8')

    const codes: unknown[] = []
    for (const bad of ['{"kind": "x"}\n', 'null\n', '{"kind":"decision"\n', '\ufeff{}\n']) {
      writeFileSync(file, good + bad)
      codes.push(
        await live.chain('c1').catch((error: unknown) => Reflect.get(error as object, 'code')),
      )
    }
    writeFileSync(file, good)

    expect(new Set(codes)).toEqual(new Set(['malformed_record']))
    await expect(live.chain('c1')).resolves.toHaveLength(5)
  })

  it('that fails at the n-th append never runs what is not on record', async () => {
    for (let n = 1; n < 12; n += 1) {
      const ran: string[] = []
      const store = failingStore(({ index }) => index === n)
      const host = inMemory({
        store,
        policy: ASK,
        responder: aResponder(() => YES),
        tools: [aTool((args) => void ran.push(JSON.stringify(args)))],
      })
      const live = await host.session()

      const results: Result<unknown>[] = []
      for (let call = 0; call < 3; call += 1) {
        results.push(await live.run({ callId: `c${call}`, tool: 'probe', args: { call } }))
      }

      const started = ofKind(await host.records(live), 'intent').length
      expect(ran).toHaveLength(started)
      expect(results.filter((one) => one.status === 'ok')).toHaveLength(started)
      for (const one of results.slice(started)) {
        expect(one).toMatchObject({ status: 'denied', reason: 'audit_unavailable' })
      }
    }
  })

  it('that cannot be opened now may be opened later', async () => {
    const inner = memoryStore()
    let tries = 0
    const host = inMemory({
      store: {
        ...inner,
        open: (id) =>
          (tries += 1) === 1 ? Promise.reject(new Error('not mounted')) : inner.open(id),
      },
    })

    await expect(host.session()).rejects.toBeInstanceOf(Error)
    expect((await (await host.session()).run(MARK)).status).toBe('ok')
  })
})

describe('a sandbox', () => {
  const BASH: CallRequest = { callId: 'c1', tool: 'bash', args: { command: 'echo ran > marker' } }
  const marker = ({ ground }: Host): string | null => ground.text(join(ground.workspace, 'marker'))
  const native = createNativeSandbox()

  it.each<[string, () => SandboxDriver]>([
    ['whose launcher is missing', () => createNativeSandbox({ launcher: '/nonexistent' })],
    ['whose launcher is a folder', () => createNativeSandbox({ launcher: '/tmp' })],
    ['whose launcher is no bubblewrap', () => createNativeSandbox({ launcher: '/usr/bin/false' })],
    ['whose probe throws', () => ({ ...native, probe: () => fail() })],
    ['whose probe rejects', () => ({ ...native, probe: () => Promise.reject(new Error('no')) })],
    ['whose probe gives nothing', () => ({ ...native, probe: () => Promise.resolve() as never })],
    [
      'whose probe forgets guarantees',
      () => ({
        ...native,
        probe: () => Promise.resolve({ status: 'ready', guarantees: {} } as never),
      }),
    ],
    ['that keeps nothing', () => ({ ...native, probe: () => Promise.resolve(keepsNothing()) })],
    ['whose text building throws', () => ({ ...native, confine: () => fail() })],
    [
      'that starts what does not exist',
      () => ({ ...native, confine: (r) => ({ ...native.confine(r), file: '/nonexistent' }) }),
    ],
    [
      'that says started and is not',
      () => ({
        ...native,
        confine: (r) => ({
          ...native.confine(r),
          file: '/bin/sh',
          args: ['-c', 'echo \'{"child-pid": 1}\' >&2; exit 0'],
        }),
      }),
    ],
  ])('%s runs nothing on the host', async (_, driver) => {
    const host = inMemory({ sandbox: driver(), responder: aResponder(() => YES) })
    const live = await host.session()

    const result = await live.run(BASH)

    expect(['denied', 'error']).toContain(result.status)
    expect(result.status === 'denied' ? result.matchedRule : 'builtin:').toMatch(/^builtin:/)
    expect(marker(host)).toBeNull()
  })

  it('is unavailable where the launcher cannot make user namespaces', async () => {
    const folder = aGround()
    const launcher = join(folder.base, 'bwrap')
    const inner = '--unshare-user --disable-userns --dev-bind / / /usr/bin/bwrap "$@"'
    writeFileSync(launcher, `#!/bin/sh\nexec /usr/bin/bwrap ${inner}\n`)
    chmodSync(launcher, 0o755)
    const host = inMemory({ sandbox: createNativeSandbox({ launcher }) })

    const result = await (await host.session()).run(BASH)

    expect(result).toMatchObject({ status: 'denied', matchedRule: 'builtin:sandbox_unavailable' })
    expect(marker(host)).toBeNull()
  })

  it('whose answer changes is believed once', async () => {
    let asked = 0
    const lying: SandboxDriver = {
      ...native,
      probe: async () => {
        asked += 1
        return asked === 1 ? keepsNothing() : native.probe()
      },
    }
    const host = inMemory({ sandbox: lying })
    const live = await host.session()

    const results = [await live.run(BASH), await live.run({ ...BASH, callId: 'c2' })]

    for (const one of results) expect(one.status).toBe('denied')
    expect(asked).toBe(1)
    expect(marker(host)).toBeNull()
  })
})

describe('options', () => {
  const ground = aGround()
  const policy = definePolicy(OPEN)
  const good: SixgateOptions = { policy, workspace: ground.workspace, tools: [bash, read] }
  const with_ = (changes: object): unknown => ({ ...good, ...changes })
  const plain = {
    name: 'x',
    inputSchema: z.unknown(),
    runsIn: 'process',
    always: [],
    needs: () => [],
  }

  it.each<[string, unknown, string]>([
    ['nothing', undefined, 'invalid_option'],
    ['null', null, 'invalid_option'],
    ['no policy', with_({ policy: undefined }), 'invalid_option'],
    ['an empty list of policies', with_({ policy: [] }), 'invalid_option'],
    ['a plain object as the policy', with_({ policy: { ...policy } }), 'invalid_option'],
    ['a policy among plain objects', with_({ policy: [policy, {}] }), 'invalid_option'],
    ['no tools', with_({ tools: undefined }), 'invalid_option'],
    ['tools that are no list', with_({ tools: { bash } }), 'invalid_option'],
    ['null for a tool', with_({ tools: [null] }), 'invalid_tool'],
    ['a tool without a name', with_({ tools: [{ ...plain, name: undefined }] }), 'invalid_tool'],
    ['a tool without needs', with_({ tools: [{ ...plain, needs: undefined }] }), 'invalid_tool'],
    ['a tool without a schema', with_({ tools: [{ ...plain, inputSchema: {} }] }), 'invalid_tool'],
    ['a tool without a place', with_({ tools: [{ ...plain, runsIn: 'host' }] }), 'invalid_tool'],
    [
      'a tool that needs the moon',
      with_({ tools: [{ ...plain, always: ['moon'] }] }),
      'invalid_tool',
    ],
    ['one tool twice', with_({ tools: [bash, bash] }), 'duplicate_tool'],
    [
      'two spellings of a tool',
      with_({ tools: [bash, { ...plain, name: 'BASH' }] }),
      'duplicate_tool',
    ],
    ['a responder without ask', with_({ responder: { kind: 'human' } }), 'invalid_option'],
    ['a responder of no kind', with_({ responder: { ask: () => YES } }), 'invalid_option'],
    [
      'a responder of a new kind',
      with_({ responder: { kind: 'robot', ask: () => YES } }),
      'invalid_option',
    ],
    ['a text for a responder', with_({ responder: 'ask me' }), 'invalid_option'],
    ['a driver without a probe', with_({ sandbox: { name: 'x' } }), 'invalid_option'],
    [
      'a driver without a plain name',
      with_({ sandbox: { ...createNativeSandbox(), name: 'A B' } }),
      'invalid_option',
    ],
    ['a store without open', with_({ store: {} }), 'invalid_option'],
    ['no workspace', with_({ workspace: undefined }), 'workspace_refused'],
    ['a number for a workspace', with_({ workspace: 7 }), 'workspace_refused'],
    ['an empty workspace', with_({ workspace: '' }), 'workspace_refused'],
    ['the root', with_({ workspace: '/' }), 'workspace_refused'],
    ['the home', with_({ workspace: homedir() }), 'workspace_refused'],
    ['what holds the home', with_({ workspace: dirname(homedir()) }), 'workspace_refused'],
    [
      'a workspace that is not there',
      with_({ workspace: join(ground.base, 'no') }),
      'workspace_refused',
    ],
    [
      'a workspace that is a file',
      with_({ workspace: join(ground.workspace, 'a.txt') }),
      'workspace_refused',
    ],
  ])('with %s are a ConfigError', (_, options, code) => {
    let thrown: unknown
    try {
      createSixgate(options as SixgateOptions)
    } catch (error) {
      thrown = error
    }

    expect(thrown).toBeInstanceOf(ConfigError)
    expect(thrown).toMatchObject({ code })
  })

  it('of a session are checked as well', async () => {
    const host = inMemory()
    const open = (options: unknown): Promise<unknown> =>
      host.sixgate.session(options as never).then(
        () => 'opened',
        (error: unknown) => Reflect.get(Object(error) as object, 'code'),
      )

    expect(await open({ cwd: '/' })).toBe('invalid_option')
    expect(await open({ cwd: 7 })).toBe('invalid_option')
    expect(await open({ task: 7 })).toBe('invalid_option')
    expect(await open({ task: '\ud800' })).toBe('invalid_option')
    expect(await open(null)).toBe('opened')
  })
})

async function admissionOf(session: Session, call: CallRequest): Promise<Admission> {
  const outcome = await session.evaluate(call)
  if (outcome.status !== 'admitted') throw new Error(`not admitted but ${outcome.status}`)
  return outcome.admission
}

function runFile({ ground }: Host): string {
  const runs = join(ground.ledger, 'runs')
  const folder = join(runs, readdirSync(runs)[0] ?? '')
  return join(folder, readdirSync(folder).find((name) => name.endsWith('.jsonl')) ?? '')
}

function keepsNothing(): Awaited<ReturnType<SandboxDriver['probe']>> {
  const lost = { status: 'unenforceable', cause: 'a lie', remedy: 'none' } as const
  const guarantees = Object.fromEntries(GUARANTEES.map((name) => [name, lost]))
  return { status: 'ready', guarantees: guarantees as never, cause: null, remedy: null }
}

function fail(): never {
  throw new TypeError('broken on purpose')
}

function cycle(): unknown {
  const value: Record<string, unknown> = {}
  value['self'] = value
  return value
}

function revoked(): unknown {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}

function throwing(key: string): unknown {
  return Object.defineProperty({}, key, { enumerable: true, get: fail })
}
