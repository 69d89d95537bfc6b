/** What adversaries of the pipeline have found (pipeline.md §3 to §6): each of it was a hole once. */

import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Outcome, Suspended } from '../../src/contract/outcome.js'
import type { PolicyInput } from '../../src/contract/policy.js'
import type { CallRequest, Session } from '../../src/contract/session.js'
import { reaches } from '../../src/core/need.js'
import { definePolicy } from '../../src/policy/define.js'
import { createShadow } from '../../src/shadow.js'
import { memoryStore } from '../../src/store/memory.js'
import { shadowId } from '../../src/enforce/session.js'
import { fakeSandbox } from '../../src/testing/fake-sandbox.js'
import { read as readTool } from '../../src/tools/builtin/read.js'
import { defineTool } from '../../src/tools/define-tool.js'
import { runsOf } from '../builders/trace-oracle.js'
import {
  aGate,
  aGround,
  aResponder,
  aTool,
  OPEN,
  settled,
  YES,
  type Ground,
  type Host,
  type HostParts,
} from '../builders/session.js'
import { aWorld } from '../builders/tree.js'
import { ofKind, useHosts } from './hosts.js'

const { onDisk, inMemory } = useHosts()

/** Everything is granted and nothing is listed: each call asks. */
const ASKING: PolicyInput = { workMode: 'full', network: 'on' }
const ME = { kind: 'human', id: 'ada' } as const

function open(parts: HostParts = {}): Host {
  return inMemory({ policy: ASKING, sandbox: fakeSandbox({ status: 'ready' }), ...parts })
}

const bash = (command: string): CallRequest => ({ tool: 'bash', args: { command }, callId: 'c1' })
const read = (path: string): CallRequest => ({
  tool: 'read',
  args: { file_path: path },
  callId: 'c1',
})

async function suspended(session: Session, call: CallRequest): Promise<Suspended> {
  const outcome = await session.evaluate(call)
  if (outcome.status !== 'suspended') throw new Error(JSON.stringify(outcome))
  return outcome
}

/** A link of the workspace that can be led elsewhere. */
function lead({ workspace }: Ground, name: string, target: string): void {
  rmSync(join(workspace, name), { force: true })
  symlinkSync(target, join(workspace, name))
}

describe('a call that is denied while a question waits', () => {
  const endsOf = async (host: Host, session: Session): Promise<readonly string[]> =>
    ofKind(await host.records(session), 'terminal').map(({ event }) => event)

  it('has one terminal event, also when its session is closed', async () => {
    const host = open({ responder: 'suspend' })
    const session = await host.session()
    await suspended(session, read('a.txt'))
    const replay = await session.evaluate({ ...read('a.txt'), signal: AbortSignal.abort() })
    expect(replay).toMatchObject({ status: 'denied', reason: 'cancelled' })

    await session.close()

    expect(await endsOf(host, session)).toEqual(['denied'])
  })

  it('has one terminal event, also when something is remembered or its turn is aborted', async () => {
    const host = open({ responder: 'suspend' })
    const session = await host.session()
    const ticket = await suspended(session, { ...read('a.txt'), turn: 't1' })
    const other = { ...read('b.txt'), callId: 'c2' }
    const second = await suspended(session, other)
    await session.tighten({ rules: ['deny read(a.txt)'] })
    expect(await session.evaluate(read('a.txt'))).toMatchObject({ status: 'denied' })

    host.sixgate.abortTurn(session, 't1')
    await host.sixgate.resolve(second.ticket, other, { answer: 'approve', remember: 'p1' }, ME)
    await settled()

    expect(await endsOf(host, session)).toEqual(['denied'])
    expect(await host.sixgate.resolve(ticket.ticket, read('a.txt'), YES, ME)).toMatchObject({
      status: 'denied',
      reason: 'rule',
    })
  })
})

describe('a link that leads to the control plane', () => {
  it('is denied whatever somebody said while it led elsewhere', async () => {
    const host = onDisk({ policy: ASKING, responder: 'suspend' })
    const { workspace, ledger } = host.ground
    lead(host.ground, 'link', join(workspace, 'a.txt'))
    const session = await host.session()
    const { ticket } = await suspended(session, read('link'))

    lead(host.ground, 'link', ledger)
    const resolved = await host.sixgate.resolve(ticket, read('link'), YES, ME)

    expect(resolved).toMatchObject({ status: 'denied', matchedRule: 'builtin:control_plane' })
  })

  it('is denied at the start whatever a rule allowed while it led elsewhere', async () => {
    const host = onDisk({ policy: { ...OPEN, rules: ['allow read'] } })
    const { workspace, ledger } = host.ground
    lead(host.ground, 'link', join(workspace, 'a.txt'))
    const session = await host.session()
    const outcome = await session.evaluate(read('link'))
    if (outcome.status !== 'admitted') throw new Error(outcome.status)

    lead(host.ground, 'link', ledger)

    expect(await session.dispatch(outcome.admission)).toMatchObject({
      matchedRule: 'builtin:control_plane',
    })
  })
})

describe('a yes covers what was shown', () => {
  it('and not another file that the same link leads to afterwards', async () => {
    const host = open({ responder: 'suspend' })
    const { workspace, outside } = host.ground
    writeFileSync(join(outside, 'other.txt'), 'other')
    lead(host.ground, 'link', join(workspace, 'a.txt'))
    const session = await host.session()
    const { ticket } = await suspended(session, read('link'))

    lead(host.ground, 'link', join(outside, 'other.txt'))
    const resolved = await host.sixgate.resolve(ticket, read('link'), YES, ME)

    expect(resolved).toMatchObject({ status: 'denied', reason: 'stale' })
  })

  it('also between the answer and the start', async () => {
    const host = open({ responder: aResponder(() => YES) })
    const { workspace, outside } = host.ground
    writeFileSync(join(outside, 'other.txt'), 'other')
    lead(host.ground, 'link', join(workspace, 'a.txt'))
    const session = await host.session()
    const outcome = await session.evaluate(read('link'))
    if (outcome.status !== 'admitted') throw new Error(outcome.status)

    lead(host.ground, 'link', join(outside, 'other.txt'))

    expect(await session.dispatch(outcome.admission)).toMatchObject({ reason: 'stale' })
  })

  it('and not another script behind the same link', async () => {
    const host = open({ responder: 'suspend' })
    const { workspace } = host.ground
    writeFileSync(join(workspace, 'one.sh'), 'echo one')
    writeFileSync(join(workspace, 'two.sh'), 'rm -rf ~')
    lead(host.ground, 'run.sh', join(workspace, 'one.sh'))
    const session = await host.session()
    const { ticket } = await suspended(session, bash('sh run.sh'))

    lead(host.ground, 'run.sh', join(workspace, 'two.sh'))
    const resolved = await host.sixgate.resolve(ticket, bash('sh run.sh'), YES, ME)

    expect(resolved).toMatchObject({ status: 'denied', reason: 'stale' })
  })

  it('and not a program that came to stand before the one that was meant', async () => {
    const folders: string[] = []
    const { systemPrograms } = await import('../../src/platform/programs.js')
    const programs = systemPrograms(() => folders.join(':'))
    const host = open({ responder: 'suspend', ports: { programs } })
    const bin = join(host.ground.workspace, 'bin')
    mkdirSync(bin)
    folders.push(bin, '/usr/bin', '/bin')
    const session = await host.session()
    const { ticket } = await suspended(session, bash('sort a.txt'))

    writeFileSync(join(bin, 'sort'), '#!/bin/sh\necho', { mode: 0o755 })
    const resolved = await host.sixgate.resolve(ticket, bash('sort a.txt'), YES, ME)

    expect(resolved).toMatchObject({ status: 'denied', reason: 'stale' })
  })

  it('and not what a hook would make of the call after a restart', async () => {
    const world = aWorld(inMemory, { policy: ASKING, responder: 'suspend' })
    world.host().sixgate.hooks.add({
      id: 'safe',
      handler: () => ({ action: 'rewrite', args: { file_path: 'a.txt' } }),
    })
    const session = await world.host().session()
    const { ticket } = await suspended(session, read('b.txt'))

    const { sixgate } = await world.restart()
    const resolved = await sixgate.resolve(ticket, read('b.txt'), YES, ME)

    expect(resolved).toMatchObject({ status: 'denied', reason: 'stale' })
  })

  it('and that still stands after a restart', async () => {
    const world = aWorld(inMemory, { policy: ASKING, responder: 'suspend' })
    const session = await world.host().session()
    const { ticket } = await suspended(session, read('a.txt'))

    const { sixgate } = await world.restart()

    expect((await sixgate.resolve(ticket, read('a.txt'), YES, ME)).status).toBe('admitted')
  })
})

describe('a host that a call wanted to reach', () => {
  it('lets nobody run the tool itself by the answer to that', async () => {
    const ran: unknown[] = []
    const ends: Outcome[] = []
    const deploy = defineTool({
      name: 'deploy',
      inputSchema: z.looseObject({ url: z.string() }),
      always: ['external.effect'],
      needs: (args) => reaches(args.url),
      execute: async (args, { hosts }) => {
        ran.push(args)
        if (ran.length === 1) ends.push(await hosts.authorize('https://b.test'))
      },
    })
    const rules = ['allow deploy(a.test)']
    const host = open({
      policy: { ...ASKING, rules },
      tools: [deploy],
      responder: 'suspend',
    })
    const session = await host.session()
    await session.run({ tool: 'deploy', args: { url: 'https://a.test' } })
    const [end] = ends
    if (end?.status !== 'suspended') throw new Error(end?.status)
    const call = { tool: 'deploy', args: { url: 'https://b.test' } }
    const resolved = await host.sixgate.resolve(end.ticket, call, YES, ME)

    if (resolved.status === 'admitted') await session.dispatch(resolved.admission)

    expect(ran).toHaveLength(1)
  })

  it('is nobody’s after a restart: the call that wanted it is gone', async () => {
    const ends: Outcome[] = []
    const roam = defineTool({
      name: 'roam',
      inputSchema: z.looseObject({ url: z.string() }),
      needs: (args) => reaches(args.url),
      execute: async (_, { hosts }) => void ends.push(await hosts.authorize('https://b.test')),
    })
    const policy = { ...ASKING, rules: ['allow roam(a.test)'] }
    const world = aWorld(inMemory, { policy, tools: [roam], responder: 'suspend' })
    const session = await world.host().session()
    await session.run({ tool: 'roam', args: { url: 'https://a.test' } })
    const [end] = ends
    if (end?.status !== 'suspended') throw new Error(end?.status)

    const { sixgate } = await world.restart()
    const call = { tool: 'roam', args: { url: 'https://b.test' } }

    expect((await sixgate.resolve(end.ticket, call, YES, ME)).status).toBe('denied')
  })
})

describe('a call within a call', () => {
  it('that is still asked about when the outer one was stopped never starts', async () => {
    const answer = aGate<typeof YES>()
    const responder = aResponder(() => answer.promise)
    const inner: unknown[] = []
    const ran: unknown[] = []
    const outer = aTool(
      async (_, { session }) => void inner.push(await session.run({ tool: 'inner', args: {} })),
      { name: 'outer' },
    )
    const tools = [outer, aTool(() => ran.push(1), { name: 'inner' })]
    const policy = { ...OPEN, rules: ['allow outer', 'ask inner'] }
    const host = open({ policy, tools, responder })
    const session = await host.session()
    const life = new AbortController()
    const running = session.run({ tool: 'outer', args: {}, signal: life.signal })
    await responder.firstAsk

    life.abort()
    expect(await running).toMatchObject({ status: 'cancelled' })
    answer.open(YES)
    await settled()

    expect(ran).toEqual([])
    expect(inner).toMatchObject([{ status: 'denied', reason: 'cancelled' }])
  })

  it('that is asked about when the outer one has ended by itself never starts', async () => {
    const answer = aGate<typeof YES>()
    const responder = aResponder(() => answer.promise)
    const ran: unknown[] = []
    const inner: Promise<unknown>[] = []
    const outer = aTool(
      async (_, { session }) => {
        inner.push(session.run({ tool: 'inner', args: {} }).catch((error: unknown) => error))
        await responder.firstAsk
      },
      { name: 'outer' },
    )
    const tools = [outer, aTool(() => ran.push(1), { name: 'inner' })]
    const policy = { ...OPEN, rules: ['allow outer', 'ask inner'] }
    const host = open({ policy, tools, responder })
    const session = await host.session()
    await session.run({ tool: 'outer', args: {} })

    answer.open(YES)
    await Promise.all(inner)

    expect(ran).toEqual([])
  })

  it('belongs to the turn of the outer one, whatever turn it names', async () => {
    const responder = aResponder(() => new Promise(() => undefined))
    const inner: unknown[] = []
    const outer = aTool(
      async (_, { session }) =>
        void inner.push(await session.run({ tool: 'inner', args: {}, turn: 'other' })),
      { name: 'outer' },
    )
    const tools = [outer, aTool(() => 1, { name: 'inner' })]
    const policy = { ...OPEN, rules: ['allow outer', 'ask inner'] }
    const host = open({ policy, tools, responder })
    const session = await host.session()
    const running = session.run({ tool: 'outer', args: {}, turn: 't1' })
    await responder.firstAsk

    host.sixgate.abortTurn(session, 't1')

    expect(await running).toMatchObject({ status: 'ok' })
    expect(inner).toMatchObject([{ status: 'denied', reason: 'cancelled' }])
  })

  it('is checked as it would be judged: one that makes itself again is denied', async () => {
    const found: unknown[] = []
    const tool = aTool(async (args, { session }) => {
      found.push((await session.check({ tool: 'probe', args })).decision)
      found.push((await session.evaluate({ tool: 'probe', args })).status)
    })
    const host = open({ policy: OPEN, tools: [tool] })
    const session = await host.session()

    await session.run({ tool: 'probe', args: { a: 1 } })

    expect(found).toEqual(['deny', 'denied'])
  })
})

describe('a turn that was aborted', () => {
  it('cancels a question that came up at the dispatch of a call', async () => {
    const answer = aGate<typeof YES>()
    const responder = aResponder(() => answer.promise)
    const ran: unknown[] = []
    const host = open({ policy: OPEN, tools: [aTool(() => ran.push(1))], responder })
    const session = await host.session()
    const outcome = await session.evaluate({ tool: 'probe', args: {}, turn: 't1' })
    if (outcome.status !== 'admitted') throw new Error(outcome.status)
    await session.tighten({ rules: ['ask probe'] })
    const running = session.dispatch(outcome.admission)
    await responder.firstAsk

    host.sixgate.abortTurn(session, 't1')
    answer.open(YES)

    expect(await running).toMatchObject({ status: 'denied', reason: 'cancelled' })
    expect(ran).toEqual([])
  })

  it('is aborted for check as it is for evaluate', async () => {
    const host = open({ policy: OPEN, tools: [aTool(() => 1)] })
    const session = await host.session()
    host.sixgate.abortTurn(session, 't1')
    const call = { tool: 'probe', args: {}, turn: 't1' }

    expect((await session.check(call)).decision).toBe('deny')
    expect((await session.evaluate(call)).status).toBe('denied')
  })

  it('stays aborted for a call that an earlier process left open', async () => {
    const world = aWorld(inMemory, { policy: ASKING, responder: 'suspend' })
    const session = await world.host().session()
    await suspended(session, { ...read('a.txt'), turn: 't1' })
    const { sixgate } = await world.restart()
    const again = await sixgate.resume(session.id)

    sixgate.abortTurn(again, 't1')

    expect(await again.evaluate({ ...read('a.txt'), turn: 't1' })).toMatchObject({
      status: 'denied',
      reason: 'cancelled',
    })
  })
})

describe('never rejects', () => {
  it.each([[null], [{ children: null }], [{ children: [null] }], [{ children: [7] }]])(
    'a call of the host with %j fixes nothing',
    async (options) => {
      const host = open({ tools: [readTool] })
      const session = await host.session()
      const result = host.sixgate.direct(session).run(read('a.txt'), options as never)
      expect(await result).toMatchObject({ status: 'ok' })
    },
  )

  it.each([[null], [{ usage: null }], [{ usage: { tokensIn: 1n } }], [7]])(
    'what reports no facts is refused by a typed error (%#)',
    async (facts) => {
      const host = open({
        policy: OPEN,
        tools: [aTool((_, { report }) => report(facts as never))],
      })
      const session = await host.session()
      const result = await session.run({ tool: 'probe', args: {} })
      expect(result).toMatchObject({ error: { code: 'invalid_input' } })
    },
  )
})

describe('what is remembered', () => {
  const rememberedFor = async (first: string, then: string): Promise<readonly [number, string]> => {
    const responder = aResponder(({ proposals: [one] }) =>
      one === undefined ? YES : { answer: 'approve', remember: one.id },
    )
    const host = open({ responder })
    const session = await host.session()
    await session.evaluate({ tool: 'bash', args: { command: first } })
    await session.evaluate({ tool: 'bash', args: { command: then } })
    return [responder.asked.length, JSON.stringify(responder.asked[0]?.proposals)]
  }

  it.each([
    ["rm 'a b'", 'rm a b'],
    ["rm 'a b'", 'rm axb'],
    ["rm 'a b'", 'rm a/b'],
    ['rm "a b"', "rm 'a' 'b'"],
    ["rm ''", 'rm x'],
    ["rm '' x", 'rm y x'],
    ["rm '*'", 'rm other'],
    ['rm \\*', 'rm *'],
    ['rm {a,b}', 'rm z'],
    ["rm '{a,b}'", 'rm a b'],
    ["rm '{a,b}'", 'rm {a,b}'],
    ["rm '~'", 'rm ~'],
    ["rm '$HOME'", 'rm $HOME'],
    ["rm 'a\nb'", 'rm a b'],
    ["rm 'a\tb'", 'rm a b'],
    ['rm *.txt', 'rm a.txt'],
    ['rm a.txt', 'RM a.txt'],
    ['rm a.txt', 'rm A.txt'],
    ['ls', 'ls && rm x'],
    ['cat a.txt', 'cat a.txt > b.txt'],
    ['echo x > a.txt', 'echo x > b.txt'],
    ["echo x > 'a[b'", 'echo x > ab'],
    ["echo x > '{a,b}'", 'echo x > a'],
    ["echo x > '!a'", 'echo x > b'],
    ["echo x > 'a*'", 'echo x > ab'],
    ['ls', 'LD_PRELOAD=./x.so ls'],
    ['ls', 'PATH=. ls'],
    ['git status', 'git -c core.pager=x status'],
    ['ls', './ls'],
    ['./x', 'cd sub && ./x'],
    ["git log 'a:*'", 'git log a b'],
    ["git 'log:*'", 'git log x'],
    ['foo :*', 'foo bar'],
  ])('%s does not cover %s', async (first, then) => {
    const [asked, shown] = await rememberedFor(first, then)
    expect([asked, shown]).toEqual([2, shown])
  })
})

describe('what was remembered before', () => {
  const later: readonly (readonly [string, PolicyInput])[] = [
    ['plans', { workMode: 'plan' }],
    ['never asks', { ...ASKING, approvalResponse: 'never' }],
  ]
  it.each(later)('counts no more once the policy %s', async (_, policy) => {
    const responder = aResponder(() => ({ answer: 'approve', remember: 'p1' }))
    const host = open({ responder })
    const session = await host.session()
    await session.evaluate(read('a.txt'))
    expect((await session.check(read('a.txt'))).decision).toBe('allow')

    await host.sixgate.replacePolicy(session, definePolicy(policy))

    expect((await session.check(read('a.txt'))).decision).not.toBe('allow')
  })
})

describe('the end of a run on trial', () => {
  it('counts the calls that were judged', async () => {
    const [store, ground] = [memoryStore(), aGround()]
    const { workspace } = ground
    const policy = definePolicy(OPEN)
    const shadow = createShadow({ workspace, policy, tools: [readTool], store })
    const session = await shadow.session({ task: 'a task' })
    await session.evaluate(read('a.txt'))
    await session.evaluate({ tool: 'none', args: {}, callId: 'c2' })
    await session.close()

    const [run] = await runsOf(store, shadowId(workspace))

    expect(run?.records.at(-1)).toMatchObject({ counts: { calls: 2, denied: 1 } })
    ground.clear()
  })
})
