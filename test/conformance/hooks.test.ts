/** Hooks and observers (pipeline.md §4 "Guards"): they tighten, fail shut, and leave their record. */

import { afterEach, describe, expect, it } from 'vitest'
import type { Hook, HookAnswer, HookCall } from '../../src/contract/hooks.js'
import type { Session } from '../../src/contract/session.js'
import { ConfigError } from '../../src/core/errors.js'
import type { DecisionRecord, HookChangeRecord, IntentRecord } from '../../src/trace/records.js'
import { fakeClock } from '../../src/testing/fake-clock.js'
import {
  aFileHost,
  aGate,
  aHost,
  aResponder,
  aTool,
  NO,
  OPEN,
  settled,
  YES,
  type Host,
  type HostParts,
} from '../builders/session.js'

const hosts: Host[] = []
afterEach(async () => {
  for (const host of hosts.splice(0)) {
    await host.sixgate[Symbol.asyncDispose]()
    await host.verify()
    host.ground.clear()
  }
})

function open(parts: HostParts = {}): Host {
  const host = aHost(parts)
  hosts.push(host)
  return host
}

const READ = { tool: 'read', args: { file_path: 'a.txt' } } as const
const CONTINUE = { action: 'continue' } as const

function aHook(id: string, answer: unknown, rest: Partial<Hook> = {}): Hook {
  return { id, handler: () => answer as HookAnswer, ...rest }
}

/** What the probe tool of a host was run with. */
function aProbe(): { readonly ran: unknown[]; readonly tool: ReturnType<typeof aTool> } {
  const ran: unknown[] = []
  return { ran, tool: aTool((args) => void ran.push(args)) }
}

describe('a hook gates every call before it is judged', () => {
  it('[S1-91] continue lets the call go on as if there were no hook', async () => {
    const host = open()
    const session = await host.session()
    host.sixgate.hooks.add(aHook('quiet', CONTINUE))

    const result = await session.run({ ...READ, callId: 'c1' })

    expect(result.status).toBe('ok')
    expect((await session.chain('c1')).map(({ layer }) => layer)).not.toContain('guard')
  })

  it('[S1-91] block denies with the hook as the root of the chain, whatever the rules allow', async () => {
    const host = open({ policy: { ...OPEN, rules: ['allow *'] } })
    const session = await host.session()
    host.sixgate.hooks.add(aHook('no-reads', { action: 'block', reason: 'not on Mondays' }))

    const result = await session.run({ ...READ, callId: 'c1' })

    expect(result).toMatchObject({
      status: 'denied',
      layer: 'guard',
      matchedRule: 'guard:no-reads',
      reason: 'hook',
    })
    expect(result).toHaveProperty('humanMessage', expect.stringContaining('not on Mondays'))
    expect(result).toHaveProperty('message', expect.not.stringContaining('Mondays'))
    expect(await session.chain('c1')).toMatchObject([
      { layer: 'guard', decision: 'deny', matched_rule: 'guard:no-reads', parent_id: null },
    ])
  })

  it('[B-132] ask is an ask that nothing clears but an answer', async () => {
    const responder = aResponder(() => YES)
    const host = open({ policy: { ...OPEN, rules: ['allow read'] }, responder })
    const session = await host.session()
    host.sixgate.hooks.add(aHook('look', { action: 'ask', reason: 'is this one fine?' }))

    const result = await session.run({ ...READ, callId: 'c1' })

    expect(result.status).toBe('ok')
    expect(responder.asked).toMatchObject([
      { decidingRule: 'guard:look', reason: { text: 'is this one fine?' } },
    ])
    expect((await session.chain('c1')).toReversed().map((n) => [n.layer, n.decision])).toEqual([
      ['guard', 'ask'],
      ['work_mode', 'allow'],
      ['network', 'no_match'],
      ['user_rule', 'allow'],
      ['approval_response', 'allow'],
      ['sandbox', 'no_match'],
    ])
  })

  it('[B-133] an ask under a policy that never asks ends denied', async () => {
    const host = open({ policy: { ...OPEN, approvalResponse: 'never' } })
    const session = await host.session()
    host.sixgate.hooks.add(aHook('look', { action: 'ask', reason: 'x' }))

    expect(await session.run(READ)).toMatchObject({ matchedRule: 'default:never', reason: 'never' })
  })

  it('[S1-61] a deny rule still denies after a hook has asked, and nobody is asked', async () => {
    const responder = aResponder(() => YES)
    const host = open({ policy: { ...OPEN, rules: ['deny read'] }, responder })
    const session = await host.session()
    host.sixgate.hooks.add(aHook('look', { action: 'ask', reason: 'x' }))

    expect(await session.run(READ)).toMatchObject({ layer: 'user_rule', reason: 'rule' })
    expect(responder.asked).toEqual([])
  })

  it('[S1-61] the floor and the control plane speak before any hook, and no hook is run for them', async () => {
    const heard: HookCall[] = []
    const host = aFileHost({ policy: OPEN })
    hosts.push(host)
    const session = await host.session()
    host.sixgate.hooks.add({ id: 'all', handler: (call) => (heard.push(call), CONTINUE) })

    const floor = await session.run({ tool: 'bash', args: { command: 'rm -rf /' } })
    const plane = await session.run({
      tool: 'read',
      args: { file_path: `${host.ground.ledger}/x` },
    })

    expect(floor).toMatchObject({ reason: 'floor.recursive_delete' })
    expect(plane).toMatchObject({ reason: 'control_plane' })
    expect(heard).toEqual([])
  })

  it('the strictest of several answers counts, and every matching hook is heard', async () => {
    const heard: string[] = []
    const host = open({ responder: aResponder(() => YES) })
    const session = await host.session()
    const say = (id: string, answer: HookAnswer): Hook => ({
      id,
      handler: () => (heard.push(id), answer),
    })
    host.sixgate.hooks.add(say('a', { action: 'block', reason: 'a' }))
    host.sixgate.hooks.add(say('b', CONTINUE))
    host.sixgate.hooks.add(say('c', { action: 'ask', reason: 'c' }))

    expect(await session.run(READ)).toMatchObject({ matchedRule: 'guard:a' })
    expect(heard).toEqual(['a', 'b', 'c'])
  })

  it('lower priority numbers are heard first, and equal ones by id', async () => {
    const heard: string[] = []
    const host = open()
    const session = await host.session()
    const add = (id: string, priority?: number): void =>
      void host.sixgate.hooks.add({ id, priority, handler: () => (heard.push(id), CONTINUE) })
    add('late', 900)
    add('default')
    add('b', 1)
    add('a', 1)

    await session.run(READ)

    expect(heard).toEqual(['a', 'b', 'default', 'late'])
  })

  it('an aborted call stops waiting for its hooks and ends cancelled', async () => {
    const host = open()
    const session = await host.session()
    const waits = aGate()
    const hook = aHook('slow', CONTINUE, {
      handler: () => (waits.open(), new Promise<HookAnswer>(() => undefined)),
    })
    host.sixgate.hooks.add(hook)
    const abort = new AbortController()

    const running = session.run({ ...READ, signal: abort.signal })
    await waits.promise
    abort.abort()

    expect(await running).toMatchObject({ status: 'denied', reason: 'cancelled' })
  })

  it('closing the session ends the wait for a hook', async () => {
    const host = open()
    const session = await host.session()
    const waits = aGate()
    host.sixgate.hooks.add({
      id: 'slow',
      handler: () => (waits.open(), new Promise<HookAnswer>(() => undefined)),
    })

    const running = session.run(READ)
    await waits.promise
    await session.close()

    expect(await running).toMatchObject({ status: 'denied', reason: 'cancelled' })
  })

  it('a replay does not run hooks again: their answers are facts', async () => {
    let heard = 0
    const host = open()
    const session = await host.session()
    host.sixgate.hooks.add({ id: 'count', handler: () => ((heard += 1), CONTINUE) })

    const first = await session.evaluate({ ...READ, callId: 'c1' })
    const second = await session.evaluate({ ...READ, callId: 'c1' })

    expect([first.status, second.status]).toEqual(['admitted', 'admitted'])
    expect(heard).toBe(1)
  })

  it('check has no side effect and runs no hook', async () => {
    let heard = 0
    const host = open()
    const session = await host.session()
    host.sixgate.hooks.add({ id: 'count', handler: () => ((heard += 1), CONTINUE) })

    await session.check(READ)

    expect(heard).toBe(0)
  })

  it('a call that is no call reaches no hook', async () => {
    let heard = 0
    const host = open()
    const session = await host.session()
    host.sixgate.hooks.add({ id: 'count', handler: () => ((heard += 1), CONTINUE) })

    expect(await session.run({ tool: 'read', args: {} })).toMatchObject({ reason: 'invalid_args' })
    expect(await session.run({ tool: 'none', args: {} })).toMatchObject({ reason: 'unknown_tool' })
    expect(heard).toBe(0)
  })
})

describe('[S1-92] a hook that fails blocks', () => {
  const answers: readonly (readonly [string, unknown])[] = [
    ['nothing', undefined],
    ['null', null],
    ['a word', 'continue'],
    ['true', true],
    ['a list', [{ action: 'continue' }]],
    ['no action', {}],
    ['[B-129] allow', { action: 'allow' }],
    ['[B-145] approve', { action: 'approve' }],
    ['skip', { action: 'skip' }],
    ['retry', { action: 'retry' }],
    ['escalate', { action: 'escalate' }],
    ['another spelling', { action: 'Continue' }],
    ['[B-128] the answer of another system', { permissionDecision: 'deny' }],
    ['an exit code', 0],
    ['a block without a reason', { action: 'block' }],
    ['an ask without a reason', { action: 'ask' }],
    ['a rewrite without arguments', { action: 'rewrite' }],
    ['arguments that are no JSON', { action: 'rewrite', args: { at: new Date() } }],
    ['an action that throws', Object.defineProperty({}, 'action', { get: fail })],
  ]

  it.each(answers)('[S1-91] %s is no answer of a gate', async (_, answer) => {
    const host = open({ policy: { ...OPEN, rules: ['allow *'] } })
    const session = await host.session()
    host.sixgate.hooks.add(aHook('odd', answer))

    expect(await session.run(READ)).toMatchObject({
      matchedRule: 'guard:odd',
      reason: 'hook',
    })
  })

  it.each([
    ['throws', fail],
    ['rejects', () => Promise.reject(new Error('broken'))],
    ['rejects with nothing', () => Promise.reject(undefined as unknown as Error)],
    ['is missing', undefined],
    ['is no function', 'handler'],
  ])('a handler that %s blocks', async (_, handler) => {
    const host = open()
    const session = await host.session()
    host.sixgate.hooks.add({ id: 'odd', handler: handler as Hook['handler'] })

    expect(await session.run(READ)).toMatchObject({ matchedRule: 'guard:odd' })
  })

  it('[B-130] a handler that hangs blocks after 30 seconds, or after its own time', async () => {
    const clock = fakeClock()
    const host = open({ ports: { clock } })
    const session = await host.session()
    const signals: AbortSignal[] = []
    host.sixgate.hooks.add({ id: 'hangs', handler: hang(signals) })
    const short = host.sixgate.hooks.add({ id: 'short', timeoutMs: 5, handler: hang(signals) })

    const first = session.run(READ)
    await settled()
    clock.advance(29_999)
    await settled()
    expect(signals.map(({ aborted }) => aborted)).toEqual([false])
    clock.advance(1)
    await settled()
    clock.advance(5)

    expect(await first).toMatchObject({ matchedRule: 'guard:hangs' })
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true])
    short[Symbol.dispose]()
  })

  it('a handler that keeps the whole process from looking at the clock is late all the same', async () => {
    const clock = fakeClock()
    const host = open({ ports: { clock } })
    const session = await host.session()
    // No timer fires in between: the handler held the thread for longer than it had.
    const late = { ...clock, after: () => () => undefined }
    const blocking = open({ ports: { clock: late } })
    const other = await blocking.session()
    blocking.sixgate.hooks.add({
      id: 'blocks',
      timeoutMs: 50,
      handler: () => (clock.advance(1_000), CONTINUE),
    })

    expect(await other.run(READ)).toMatchObject({ matchedRule: 'guard:blocks' })
    expect((await session.run(READ)).status).toBe('ok')
  })

  it('all hooks of a call together have 60 seconds, and what has no time left blocks', async () => {
    const clock = fakeClock()
    const host = open({ ports: { clock } })
    const session = await host.session()
    const late: string[] = []
    for (const id of ['a', 'b']) {
      host.sixgate.hooks.add({ id, handler: () => waitFor(clock, 25_000) })
    }
    host.sixgate.hooks.add({ id: 'c', handler: hang([]) })
    host.sixgate.hooks.add({ id: 'd', handler: () => (late.push('d'), CONTINUE) })

    const result = session.run(READ)
    for (const ms of [25_000, 25_000, 10_000]) {
      await settled()
      clock.advance(ms)
    }

    expect(await result).toMatchObject({ matchedRule: 'guard:c' })
    expect(late).toEqual([])
  })

  it('[S1-93] a handler that answers later is waited for, and a second answer changes nothing', async () => {
    const host = open()
    const session = await host.session()
    const gate = aGate<HookAnswer>()
    host.sixgate.hooks.add({ id: 'later', handler: () => gate.promise })

    const running = session.run(READ)
    await settled()
    gate.open({ action: 'block', reason: 'no' })
    gate.open(CONTINUE)

    expect(await running).toMatchObject({ matchedRule: 'guard:later' })
  })
})

describe('a rewrite changes the arguments and nothing else', () => {
  it('the policy sees the new arguments, the executor gets them, and both digests are on record', async () => {
    const { ran, tool } = aProbe()
    const host = open({ tools: [tool] })
    const session = await host.session()
    host.sixgate.hooks.add(aHook('tidy', { action: 'rewrite', args: { text: 'clean' } }))

    await session.run({ tool: 'probe', args: { text: 'dirty' }, callId: 'c1' })

    const records = await host.records(session)
    const intent = records.find((one): one is typeof one & IntentRecord => one.kind === 'intent')
    const node = records.find((one): one is typeof one & DecisionRecord => one.kind === 'decision')
    expect(ran).toEqual([{ text: 'clean' }])
    expect(intent?.rewritten?.by).toEqual(['tidy'])
    expect(intent?.args.d).not.toBe(intent?.rewritten?.args.d)
    expect(node?.rewritten).toEqual({ ...intent?.rewritten, from: intent?.args.d })
  })

  it('a deny rule meets what the hook made of the call', async () => {
    const host = open({ policy: { ...OPEN, rules: ['deny read(b.txt)'] } })
    const session = await host.session()
    host.sixgate.hooks.add(aHook('move', { action: 'rewrite', args: { file_path: 'b.txt' } }))

    expect(await session.run(READ)).toMatchObject({ layer: 'user_rule', reason: 'rule' })
  })

  it('an allow of the old arguments is none of the new ones', async () => {
    const policy = { workMode: 'ro', rules: ['allow read(a.txt)'] } as const
    const host = open({ policy })
    const session = await host.session()
    host.sixgate.hooks.add(aHook('move', { action: 'rewrite', args: { file_path: 'b.txt' } }))

    expect(await session.run(READ)).toMatchObject({ reason: 'no_responder' })
  })

  it('rewrites compose in order, each hook seeing what the one before left', async () => {
    const { ran, tool } = aProbe()
    const host = open({ tools: [tool] })
    const session = await host.session()
    const append = (id: string): Hook => ({
      id,
      handler: ({ args }) => ({ action: 'rewrite', args: [...(args as string[]), id] }),
    })
    host.sixgate.hooks.add(append('b'))
    host.sixgate.hooks.add(append('a'))

    await session.run({ tool: 'probe', args: ['start'] })

    expect(ran).toEqual([['start', 'a', 'b']])
  })

  it('new arguments that do not fit the tool are denied like any others', async () => {
    const host = open()
    const session = await host.session()
    host.sixgate.hooks.add(aHook('break', { action: 'rewrite', args: { file_path: 7 } }))

    expect(await session.run(READ)).toMatchObject({ layer: 'work_mode', reason: 'invalid_args' })
  })

  it('a rewrite towards the floor is the floor', async () => {
    const host = open()
    const session = await host.session()
    host.sixgate.hooks.add(aHook('ruin', { action: 'rewrite', args: { command: 'rm -rf /' } }))

    expect(await session.run({ tool: 'bash', args: { command: 'ls' } })).toMatchObject({
      reason: 'floor.recursive_delete',
    })
  })

  it('a hook is told frozen arguments, and changing its own objects later changes nothing', async () => {
    const { ran, tool } = aProbe()
    const host = open({ tools: [tool] })
    const session = await host.session()
    const made = { list: ['one'] }
    let frozen = false
    host.sixgate.hooks.add({
      id: 'sly',
      handler({ args }) {
        frozen = Object.isFrozen(args) && Object.isFrozen((args as { list: unknown }).list)
        return { action: 'rewrite', args: made }
      },
    })

    const outcome = await session.evaluate({ tool: 'probe', args: { list: [] } })
    made.list.push('two')
    if (outcome.status === 'admitted') await session.dispatch(outcome.admission)

    expect(frozen).toBe(true)
    expect(ran).toEqual([{ list: ['one'] }])
  })

  it('a ticket is redeemed with the arguments as they were submitted', async () => {
    const host = open({ responder: 'suspend' })
    const session = await host.session()
    host.sixgate.hooks.add(aHook('a-move', { action: 'rewrite', args: { file_path: './a.txt' } }))
    host.sixgate.hooks.add(aHook('b-ask', { action: 'ask', reason: 'x' }))
    const call = { ...READ, callId: 'c1' }

    const outcome = await session.evaluate(call)
    if (outcome.status !== 'suspended') throw new Error(outcome.status)
    const by = { kind: 'human', id: 'ada' } as const
    const forged = { ...call, args: { file_path: './a.txt' } }

    expect((await host.sixgate.resolve(outcome.ticket, forged, YES, by)).status).toBe('suspended')
    expect((await host.sixgate.resolve(outcome.ticket, call, YES, by)).status).toBe('admitted')
  })
})

describe('[S1-89] which calls a hook hears of', () => {
  const WRITE = { tool: 'write', args: { file_path: 'src/a.ts', content: '' } }
  const bash = (command: string): { tool: string; args: unknown } => ({
    tool: 'bash',
    args: { command },
  })

  it.each([
    ['a tool by name, upper and lower case aside', { tool: 'READ' }, READ, true],
    ['another tool', { tool: 'write' }, READ, false],
    ['a tool by wildcard', { tool: 'wr*' }, WRITE, true],
    ['a path that is written', { path: 'src/**' }, WRITE, true],
    ['a path that is read', { path: 'a.txt' }, READ, true],
    ['a path in another spelling', { path: 'SRC/A.TS' }, WRITE, true],
    ['another path', { path: 'docs/**' }, WRITE, false],
    ['a command', { command: 'git push:*' }, bash('git push origin'), true],
    ['a command inside of another', { command: 'git push:*' }, bash('true; git  push'), true],
    ['a command behind quotes', { command: 'git push:*' }, bash('g"i"t push'), true],
    ['a path that a command writes', { path: 'out.txt' }, bash('echo x > out.txt'), true],
    ['another command', { command: 'git push:*' }, bash('git status'), false],
    ['both parts', { tool: 'bash', command: 'ls:*' }, bash('ls -l'), true],
    ['only one of two parts', { tool: 'read', command: 'ls:*' }, bash('ls -l'), false],
  ])('%s', async (_, match, call, hears) => {
    const host = open()
    const session = await host.session()
    host.sixgate.hooks.add(aHook('some', { action: 'block', reason: 'x' }, { match }))

    const outcome = await session.evaluate(call)

    expect('matchedRule' in outcome && outcome.matchedRule === 'guard:some').toBe(hears)
  })

  it('a command that is too large to look at is heard of by every hook', async () => {
    const host = open()
    const session = await host.session()
    const match = { command: 'git push:*' }
    host.sixgate.hooks.add(aHook('some', { action: 'block', reason: 'x' }, { match }))

    const outcome = await session.evaluate(bash(`echo ${'x'.repeat(70_000)}`))

    expect(outcome).toMatchObject({ matchedRule: 'guard:some' })
  })
})

describe('hooks come and go on record', () => {
  it('[S1-90] counts its hooks, and an unknown id removes nothing', async () => {
    const host = open()
    const { hooks } = host.sixgate

    expect(hooks.size).toBe(0)
    hooks.add(aHook('a', CONTINUE))
    expect([hooks.size, hooks.remove('b'), hooks.remove('a'), hooks.size]).toEqual([
      1,
      false,
      true,
      0,
    ])
    await host.session()
  })

  it('[S1-89] refuses an id that is taken, and the first hook stays', () => {
    const host = open()
    host.sixgate.hooks.add(aHook('a', CONTINUE))

    expect(() => host.sixgate.hooks.add(aHook('a', CONTINUE))).toThrow(
      expect.objectContaining({ name: 'ConfigError', code: 'duplicate_hook' }) as Error,
    )
    expect(host.sixgate.hooks.size).toBe(1)
  })

  it('what was added is disposed of alone, also when its id was taken again', () => {
    const host = open()
    const first = host.sixgate.hooks.add(aHook('a', CONTINUE))
    host.sixgate.hooks.remove('a')
    host.sixgate.hooks.add(aHook('a', CONTINUE))

    first[Symbol.dispose]()

    expect(host.sixgate.hooks.size).toBe(1)
  })

  it('takes 32 hooks and not one more', () => {
    const host = open()
    for (let n = 0; n < 32; n += 1) host.sixgate.hooks.add(aHook(`h${n}`, CONTINUE))

    expect(() => host.sixgate.hooks.add(aHook('one-more', CONTINUE))).toThrow(ConfigError)
  })

  it.each([
    ['no id', { id: undefined }],
    ['[H-08] an id like those of the library', { id: 'builtin:x' }],
    ['an id in capitals', { id: 'Hook' }],
    ['an id of 65 characters', { id: 'x'.repeat(65) }],
    ['a priority that is no number', { priority: 'first' }],
    ['no time', { timeoutMs: 0 }],
    ['too much time', { timeoutMs: 60_001 }],
    ['a matcher with an unknown part', { match: { tools: 'read' } }],
    ['a matcher of another kind', { match: 'read' }],
    ['a tool pattern that is none', { match: { tool: 're ad' } }],
    ['an unbalanced path pattern', { match: { path: 'a(b' } }],
    ['a prefix on a path', { match: { path: 'src:*' } }],
  ])('refuses a hook with %s', (_, wrong) => {
    const host = open()
    const hook = { ...aHook('a', CONTINUE), ...wrong } as Hook

    expect(() => host.sixgate.hooks.add(hook)).toThrow(
      expect.objectContaining({ name: 'ConfigError', code: 'invalid_option' }) as Error,
    )
    expect(host.sixgate.hooks.size).toBe(0)
  })

  it('every change is a record of every open run, and a run begins with the hooks that it finds', async () => {
    const host = open()
    const before = await host.session()
    host.sixgate.hooks.add(aHook('a', CONTINUE, { priority: 7, match: { tool: 'bash' } }))
    const after = await host.session()
    const child = await after.spawn()
    host.sixgate.hooks.remove('a')
    await settled()

    const added = ['add', { id: 'a', priority: 7, timeout_ms: 30_000, match: { tool: 'bash' } }]
    const removed = ['remove', added[1]]
    for (const session of [before, after, child]) {
      expect(await changes(host, session)).toEqual([added, removed])
    }
  })
})

describe('observers change nothing', () => {
  it('hear of a call after it is on record, whatever they do', async () => {
    const { ran, tool } = aProbe()
    const host = open({ tools: [tool], responder: aResponder(() => NO) })
    const session = await host.session()
    const seen: string[] = []
    host.sixgate.on('decision', (node) => {
      seen.push(node.layer)
      throw new Error('an observer fails')
    })
    host.sixgate.on('dispatch', () => void seen.push('dispatch'))

    await session.run({ tool: 'probe', args: {} })

    expect(ran).toHaveLength(1)
    expect(seen).toContain('sandbox')
    expect(seen.at(-1)).toBe('dispatch')
  })
})

async function changes(host: Host, session: Session): Promise<readonly unknown[]> {
  const records = await host.records(session)
  return records
    .filter((one): one is typeof one & HookChangeRecord => one.kind === 'hook_change')
    .map(({ action, hook }) => [action, hook])
}

function fail(): never {
  throw new Error('broken')
}

function hang(signals: AbortSignal[]): Hook['handler'] {
  return ({ signal }) => {
    signals.push(signal)
    return new Promise(() => undefined)
  }
}

function waitFor(clock: ReturnType<typeof fakeClock>, ms: number): Promise<HookAnswer> {
  return new Promise((resolve) => void clock.after(ms - 1, () => resolve(CONTINUE)))
}
