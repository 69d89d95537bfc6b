/** Asking in full (pipeline.md §5): what may be remembered, how often somebody is asked, and what a yes is bound to. */

import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import type { Answer, ApprovalRequest } from '../../src/contract/approval.js'
import type { PolicyInput } from '../../src/contract/policy.js'
import type { CallRequest } from '../../src/contract/session.js'
import { fakeClock } from '../../src/testing/fake-clock.js'
import { fakeSandbox } from '../../src/testing/fake-sandbox.js'
import { read as readTool } from '../../src/tools/builtin/read.js'
import { webFetch } from '../../src/tools/builtin/web-fetch.js'
import type { GrantRecord } from '../../src/trace/records.js'
import {
  aGate,
  aHost,
  aResponder,
  NO,
  settled,
  YES,
  type Host,
  type HostParts,
} from '../builders/session.js'
import { aWorld } from '../builders/tree.js'

const hosts: Host[] = []
afterEach(async () => {
  for (const host of hosts.splice(0)) {
    await host.sixgate[Symbol.asyncDispose]()
    await host.verify()
    host.ground.clear()
  }
})

/** Everything is granted and nothing is listed: what is not remembered asks. */
const ASKING: PolicyInput = { workMode: 'full', network: 'on' }
const ME = { kind: 'human', id: 'ada' } as const

function open(parts: HostParts = {}): Host {
  const host = aHost({ policy: ASKING, sandbox: fakeSandbox({ status: 'ready' }), ...parts })
  hosts.push(host)
  return host
}

const bash = (command: string): CallRequest => ({ tool: 'bash', args: { command } })
const read = (path: string): CallRequest => ({ tool: 'read', args: { file_path: path } })

/** Has the first proposal remembered, where there is one. */
const always = (request: ApprovalRequest): Answer => {
  const [proposal] = request.proposals
  return proposal === undefined ? YES : { answer: 'approve', remember: proposal.id }
}

/** How often somebody was asked about each of the calls, in order. */
async function asks(
  calls: readonly CallRequest[],
  parts: HostParts = {},
): Promise<readonly number[]> {
  const responder = aResponder(always)
  const host = open({ ...parts, responder })
  const session = await host.session()
  const counts: number[] = []
  for (const call of calls) {
    const before = responder.asked.length
    await session.evaluate(call)
    counts.push(responder.asked.length - before)
  }
  return counts
}

describe('[H-12] a remembered grant', () => {
  it.each([
    ['[B-123] a compound command', bash('cd src && ls -l')],
    ['[B-124] a command with a redirection', bash('echo x > ./out.txt')],
    ['[B-125] a program of the workspace', bash('./gradlew test')],
    ['[B-126] one that runs what the workspace says', bash('npm test')],
    ['a file that is read', read('a.txt')],
    ['a file that is written', { tool: 'write', args: { file_path: 'b', content: 'x' } }],
  ])('%s is asked about once', async (_, call) => {
    expect(await asks([call, call])).toEqual([1, 0])
  })

  it.each([
    ['[B-116] another target', bash('git status && rm -rf ./tmp'), bash('rm -rf other')],
    ['[B-118] another program', bash('touch 1.txt'), bash('rm 1.txt')],
    ['[B-122] another command', bash('rm -r build'), bash('curl x.test')],
    ['[B-127] other words', bash('grep foo f1'), bash('grep bar f2')],
    ['more words', bash('git log'), bash('git log --output=x')],
    ['a part that was not shown', bash('ls'), bash('ls; rm -rf x')],
    ['a file beside it', read('a.txt'), read('b.txt')],
    [
      'the same words in another folder',
      bash('rm x'),
      { tool: 'bash', args: { command: 'rm x', cwd: 'sub' } },
    ],
    ['another access', read('a.txt'), { tool: 'write', args: { file_path: 'a.txt', content: '' } }],
  ])('does not cover %s', async (_, first, second) => {
    expect(await asks([first, second])).toEqual([1, 1])
  })

  it.each([
    ['[B-119] an interpreter that is fed', bash("python3 - <<'E'\nprint(1)\nE")],
    ['[B-121] a program of many names', bash("busybox sh -c 'date'")],
    ['a shell', bash('sh run.sh')],
    ['a wrapper', bash('timeout 5 ls')],
    ['a package runner', bash('npx eslint .')],
    ['a command whose words are not fixed', bash('ls $dir')],
    ['operands from elsewhere', bash('ls | xargs rm')],
    ['text that nobody can read', bash('ls "')],
  ])('is never offered for %s', async (_, call) => {
    expect(await asks([call, call])).toEqual([1, 1])
  })

  it('[B-124b] is not offered when a rule of the user asked: it asks every time', async () => {
    const policy = { ...ASKING, rules: ['ask bash'] }

    expect(await asks([bash('make'), bash('make')], { policy })).toEqual([1, 1])
  })

  it('is not offered when an escalation asked, nor outside of the sandbox', async () => {
    const escape = {
      tool: 'bash',
      args: { command: 'ls', sandbox_permissions: 'require_escalated', justification: 'because' },
    }
    const policy: PolicyInput = { ...ASKING, sandbox: { onUnavailable: 'ask_host' } }
    const sandbox = fakeSandbox({ status: 'unavailable' })

    expect(await asks([escape, escape])).toEqual([1, 1])
    expect(await asks([bash('ls'), bash('ls')], { policy, sandbox })).toEqual([1, 1])
  })

  it('is not offered when a hook asked, nor under a policy that only reads', async () => {
    const responder = aResponder(always)
    const host = open({ responder, policy: { workMode: 'plan' } })
    const session = await host.session()
    await session.evaluate(read('a.txt'))
    expect(responder.asked[0]?.proposals).toEqual([])

    const other = open({ responder })
    const asking = await other.session()
    other.sixgate.hooks.add({ id: 'look', handler: () => ({ action: 'ask', reason: 'x' }) })
    await asking.evaluate(read('a.txt'))
    expect(responder.asked[1]?.proposals).toEqual([])
  })

  it('[B-117] of a page is for its host', async () => {
    const fetch = (url: string): CallRequest => ({ tool: 'web_fetch', args: { url } })
    const calls = ['https://github.test/x', 'https://github.test/y', 'https://evil.test/'].map(
      fetch,
    )

    expect(await asks(calls, { tools: [webFetch] })).toEqual([1, 0, 1])
  })

  it('can be for the folder of a file, when that is what the person chose', async () => {
    const responder = aResponder((request) => {
      const [, folder] = request.proposals
      return folder === undefined ? YES : { answer: 'approve', remember: folder.id }
    })
    const host = open({ responder })
    const session = await host.session()

    await session.evaluate(read('src/a.ts'))
    await session.evaluate(read('src/deep/b.ts'))
    await session.evaluate(read('docs/c.md'))

    expect(responder.asked).toHaveLength(2)
    expect(responder.asked[0]?.proposals.map(({ entries }) => entries[0]?.text)).toEqual([
      `read(${host.ground.workspace}/src/a.ts)`,
      `read(${host.ground.workspace}/src/**)`,
    ])
  })

  it('lets a deny and an ask of the policy go first, and is the allow of layer 4', async () => {
    const responder = aResponder(always)
    const host = open({ responder })
    const session = await host.session()
    await session.evaluate(bash('git status'))

    const covered = await session.evaluate({ ...bash('git status'), callId: 'c1' })
    expect(covered.status).toBe('admitted')
    expect((await session.chain('c1')).map((node) => node.matched_rule)).toContainEqual(
      expect.stringMatching(/^grant:/),
    )

    await session.tighten({ rules: ['ask bash(git:*)'] })
    await session.evaluate(bash('git status'))
    expect(responder.asked).toHaveLength(2)
    await session.tighten({ rules: ['deny bash(git:*)'] })
    expect(await session.evaluate(bash('git status'))).toMatchObject({ reason: 'rule' })
  })

  it('moves no revision and is recorded in full', async () => {
    const host = open({ responder: aResponder(always) })
    const session = await host.session()
    const { revision } = session

    await session.evaluate(bash('cd d && ls'))

    const grant = (await host.records(session)).find(
      (one): one is typeof one & GrantRecord => one.kind === 'grant',
    )
    expect(session.revision).toBe(revision)
    expect(grant).toMatchObject({
      proposal: 'p1',
      rules: ['bash(cd d)', 'bash(ls)'],
      scope: 'session',
    })
  })

  it('is of its session alone: neither a sibling nor a child has it', async () => {
    const responder = aResponder(always)
    const host = open({ responder })
    const [one, other] = [await host.session(), await host.session()]
    await one.evaluate(read('a.txt'))
    const child = await one.spawn()

    expect(await child.evaluate(read('a.txt'))).toMatchObject({ reason: 'never' })
    await other.evaluate(read('a.txt'))
    expect(responder.asked).toHaveLength(2)
  })

  it('is there again when its session is resumed in another process', async () => {
    const responder = aResponder(always)
    const parts = { policy: ASKING, responder, tools: [readTool] }
    const world = aWorld((given, ground) => aHost(given, ground), parts)
    const session = await world.host().session()
    await session.evaluate(read('a.txt'))
    const { sixgate } = await world.restart()
    const resumed = await sixgate.resume(session.id)

    const outcome = await resumed.evaluate(read('a.txt'))

    expect(outcome.status).toBe('admitted')
    expect(responder.asked).toHaveLength(1)
    await sixgate[Symbol.asyncDispose]()
    world.ground.clear()
  })

  it.each(['p9', '', 'bash(**)', 7, null, {}])(
    'cannot be named by anything but an offer: %j is no answer',
    async (remember) => {
      const responder = aResponder(() => ({ answer: 'approve', remember }))
      const host = open({ responder })
      const session = await host.session()

      expect(await session.evaluate(read('a.txt'))).toMatchObject({ reason: 'responder_failed' })

      const other = open({ responder: 'suspend' })
      const asking = await other.session()
      const call = { ...read('a.txt'), callId: 'c1' }
      const outcome = await asking.evaluate(call)
      if (outcome.status !== 'suspended') throw new Error(outcome.status)
      const answer = { answer: 'approve', remember } as Answer
      const resolved = await other.sixgate.resolve(outcome.ticket, call, answer, ME)
      expect(resolved.status).toBe('suspended')
    },
  )

  it('[B-114] settles the questions that wait and that it covers, and no others', async () => {
    const gates = [aGate<Answer>(), aGate<Answer>(), aGate<Answer>()]
    let asked = 0
    const responder = aResponder(() => gates[asked++]?.promise)
    const host = open({ responder })
    const session = await host.session()
    const first = session.evaluate({ ...read('a.txt'), callId: 'c1' })
    const second = session.evaluate({ ...read('a.txt'), callId: 'c2' })
    const third = session.evaluate({ ...read('b.txt'), callId: 'c3' })
    await settled()

    gates[0]?.open({ answer: 'approve', remember: 'p1' })

    expect([(await first).status, (await second).status]).toEqual(['admitted', 'admitted'])
    await settled()
    gates[2]?.open(NO)
    expect(await third).toMatchObject({ reason: 'rejected' })
    const verdicts = (await host.records(session)).flatMap((one) =>
      one.kind === 'approval' ? [one.verdict] : [],
    )
    expect(verdicts).toEqual(['approve', 'superseded', 'reject'])
  })

  it('[B-114] settles tickets that it covers, which are then not asked about again', async () => {
    const host = open({ responder: 'suspend' })
    const session = await host.session()
    const [one, two] = ['c1', 'c2'].map((callId) => ({ ...read('a.txt'), callId }))
    if (one === undefined || two === undefined) throw new Error('no calls')
    const [first, second] = [await session.evaluate(one), await session.evaluate(two)]
    if (first.status !== 'suspended' || second.status !== 'suspended') throw new Error('no ticket')

    await host.sixgate.resolve(first.ticket, one, { answer: 'approve', remember: 'p1' }, ME)
    await settled()

    expect((await session.evaluate(two)).status).toBe('admitted')
    expect((await host.sixgate.resolve(second.ticket, two, NO, ME)).status).toBe('admitted')
  })

  it('[B-115] of an answer that came too late is none', async () => {
    const host = open({ responder: 'suspend' })
    const session = await host.session()
    const call = { ...read('a.txt'), callId: 'c1' }
    const outcome = await session.evaluate(call)
    if (outcome.status !== 'suspended') throw new Error(outcome.status)

    await host.sixgate.resolve(outcome.ticket, call, NO, ME)
    await host.sixgate.resolve(outcome.ticket, call, { answer: 'approve', remember: 'p1' }, ME)

    const kinds = (await host.records(session)).map(({ kind }) => kind)
    expect(kinds).not.toContain('grant')
    expect((await session.evaluate({ ...read('a.txt'), callId: 'c2' })).status).toBe('denied')
  })
})

describe('[H-13] nobody is worn down by questions', () => {
  const files = (count: number): readonly CallRequest[] =>
    Array.from({ length: count }, (_, index) => read(`f${index}`))

  it('eight questions may wait at once, and the ninth is not asked', async () => {
    const host = open({ responder: 'suspend' })
    const session = await host.session()

    const ends = []
    for (const call of files(9)) ends.push((await session.evaluate(call)).status)

    expect(ends).toEqual([...Array<string>(8).fill('suspended'), 'denied'])
    expect(await session.evaluate(read('another'))).toMatchObject({ reason: 'ask_budget' })
    expect(await session.check(read('another'))).toMatchObject({ decision: 'deny' })
  })

  it('a question that was answered makes room for the next one', async () => {
    const host = open({ responder: 'suspend', policy: { ...ASKING, budgets: { asksPending: 1 } } })
    const session = await host.session()
    const call = { ...read('a.txt'), callId: 'c1' }
    const outcome = await session.evaluate(call)
    if (outcome.status !== 'suspended') throw new Error(outcome.status)
    await host.sixgate.resolve(outcome.ticket, call, YES, ME)

    expect((await session.evaluate(read('b.txt'))).status).toBe('suspended')
  })

  it('thirty questions an hour are asked, and more in the next hour', async () => {
    const clock = fakeClock()
    const responder = aResponder(() => YES)
    const host = open({ responder, ports: { clock } })
    const session = await host.session()

    for (const call of files(31)) await session.evaluate(call)
    expect(responder.asked).toHaveLength(30)
    clock.advance(3_600_000)
    await session.evaluate(read('later'))

    expect(responder.asked).toHaveLength(31)
  })

  it('after three refusals nobody is asked until a person speaks', async () => {
    const responder = aResponder(() => NO)
    const host = open({ responder })
    const session = await host.session()

    for (const call of files(4)) await session.evaluate(call)
    expect(responder.asked).toHaveLength(3)
    host.sixgate.userTurn(session)
    await session.evaluate(read('later'))

    expect(responder.asked).toHaveLength(4)
  })

  it('a call that was refused is refused again without a question, until a person speaks', async () => {
    const responder = aResponder(() => NO)
    const host = open({ responder })
    const session = await host.session()
    await session.evaluate(read('a.txt'))

    const again = await session.evaluate(read('a.txt'))
    const other = await session.evaluate(read('b.txt'))
    host.sixgate.userTurn(session)
    const after = await session.evaluate(read('a.txt'))

    expect([again, other, after].map((one) => 'reason' in one && one.reason)).toEqual([
      'already_rejected',
      'rejected',
      'rejected',
    ])
    expect(responder.asked).toHaveLength(3)
  })

  it('does not take an expiry for a refusal', async () => {
    const clock = fakeClock()
    const responder = aResponder(() => new Promise(() => undefined))
    const policy: PolicyInput = { ...ASKING, approvalResponse: { policy: 'prompt', timeoutMs: 10 } }
    const host = open({ responder, policy, ports: { clock } })
    const session = await host.session()

    for (let time = 0; time < 2; time += 1) {
      const asking = session.evaluate(read('a.txt'))
      await settled()
      clock.advance(10)
      expect(await asking).toMatchObject({ reason: 'expired' })
    }

    expect(responder.asked).toHaveLength(2)
  })
})

describe('a yes is bound to what is executed', () => {
  const script = (host: Host, text: string): void =>
    writeFileSync(join(host.ground.workspace, 'run.sh'), text)

  it.each([
    ['[B-73] a script', 'sh run.sh'],
    ['a script in a folder of its own', 'cd . && sh ./run.sh'],
    ['a program by its path', './run.sh'],
    ['a file that says what runs', 'make -f run.sh'],
    ['another way to say that', 'make --makefile=run.sh'],
  ])('%s that changed meanwhile is not run', async (_, command) => {
    const host = open({ responder: 'suspend' })
    script(host, 'echo one')
    const session = await host.session()
    const call = { ...bash(command), callId: 'c1' }
    const outcome = await session.evaluate(call)
    if (outcome.status !== 'suspended') throw new Error(outcome.status)
    expect(outcome.ticket.binds).toHaveLength(1)

    script(host, 'rm -rf /')
    const resolved = await host.sixgate.resolve(outcome.ticket, call, YES, ME)

    expect(resolved).toMatchObject({ status: 'denied', reason: 'stale' })
  })

  it.each([
    ['where an argument of the call starts it', { command: './run.sh', cwd: 'sub' }],
    ['where the text has come to', { command: 'cd sub && ./run.sh' }],
    ['as a script there', { command: 'sh run.sh', cwd: 'sub' }],
  ])('in the folder %s', async (_, args) => {
    const host = open({ responder: 'suspend' })
    const folder = join(host.ground.workspace, 'sub')
    mkdirSync(folder)
    script(host, 'echo one')
    writeFileSync(join(folder, 'run.sh'), 'echo one')
    const session = await host.session()
    const call = { tool: 'bash', args, callId: 'c1' }
    const outcome = await session.evaluate(call)
    if (outcome.status !== 'suspended') throw new Error(outcome.status)
    expect(outcome.ticket.binds).toHaveLength(1)

    writeFileSync(join(folder, 'run.sh'), 'rm -rf /')
    const resolved = await host.sixgate.resolve(outcome.ticket, call, YES, ME)

    expect(resolved).toMatchObject({ status: 'denied', reason: 'stale' })
  })

  it('also between the answer and the start', async () => {
    const host = open({ responder: 'suspend' })
    script(host, 'echo one')
    const session = await host.session()
    const call = { ...bash('sh run.sh'), callId: 'c1' }
    const outcome = await session.evaluate(call)
    if (outcome.status !== 'suspended') throw new Error(outcome.status)
    const resolved = await host.sixgate.resolve(outcome.ticket, call, YES, ME)
    if (resolved.status !== 'admitted') throw new Error(resolved.status)

    rmSync(join(host.ground.workspace, 'run.sh'))

    expect(await session.dispatch(resolved.admission)).toMatchObject({ reason: 'stale' })
  })

  it('and runs when nothing changed', async () => {
    const host = open({ responder: 'suspend' })
    script(host, 'echo one')
    const session = await host.session()
    const call = { ...bash('sh run.sh'), callId: 'c1' }
    const outcome = await session.evaluate(call)
    if (outcome.status !== 'suspended') throw new Error(outcome.status)

    const resolved = await host.sixgate.resolve(outcome.ticket, call, YES, ME)

    expect(resolved.status).toBe('admitted')
  })

  it('[B-75] and to its arguments: other ones are another call', async () => {
    const host = open({ responder: 'suspend' })
    const session = await host.session()
    const call = { ...bash("sh -c 'echo ok'"), callId: 'c1' }
    const outcome = await session.evaluate(call)
    if (outcome.status !== 'suspended') throw new Error(outcome.status)
    const other = { ...bash("sh -c 'echo other'"), callId: 'c1' }

    expect((await host.sixgate.resolve(outcome.ticket, other, YES, ME)).status).toBe('suspended')
  })

  it('[B-76] and to the policy: a deny that came meanwhile wins', async () => {
    const host = open({ responder: 'suspend' })
    const session = await host.session()
    const call = { ...bash('deploy'), callId: 'c1' }
    const outcome = await session.evaluate(call)
    if (outcome.status !== 'suspended') throw new Error(outcome.status)
    const resolved = await host.sixgate.resolve(outcome.ticket, call, YES, ME)
    if (resolved.status !== 'admitted') throw new Error(resolved.status)

    await session.tighten({ rules: ['deny bash(deploy)'] })

    expect(await session.dispatch(resolved.admission)).toMatchObject({ reason: 'rule' })
  })
})
