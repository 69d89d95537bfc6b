/** Situations of several steps that users of comparable tools reported as broken (test/cases/scenarios.md), each by its id. */

import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Answer } from '../../src/contract/approval.js'
import type { Policy, PolicyInput } from '../../src/contract/policy.js'
import type { CallRequest, Session } from '../../src/contract/session.js'
import type { SessionId } from '../../src/core/ids.js'
import { loadPolicy } from '../../src/load-policy.js'
import { definePolicy } from '../../src/policy/define.js'
import { fakeSandbox } from '../../src/testing/fake-sandbox.js'
import { bash as bashTool } from '../../src/tools/builtin/bash.js'
import { read as readTool } from '../../src/tools/builtin/read.js'
import { spawnAgent } from '../../src/tools/builtin/spawn-agent.js'
import { webFetch } from '../../src/tools/builtin/web-fetch.js'
import { write as writeTool } from '../../src/tools/builtin/write.js'
import {
  aGate,
  aGround,
  aResponder,
  NO,
  settled,
  YES,
  type Gate,
  type Ground,
  type Host,
  type HostParts,
} from '../builders/session.js'
import { aChild, aWorld, type World } from '../builders/tree.js'
import { useHosts } from './hosts.js'

const { inMemory } = useHosts()

/** What a case of the table is completed with (rules.md §7). */
const COMPLETED: PolicyInput = {
  workMode: 'full',
  network: 'on',
  sandbox: { mode: 'workspace_write' },
  delegation: {
    approvalPolicies: ['whitelist_accept', 'always_ask', 'accept_all', 'deny_unlisted'],
  },
}
const ME = { kind: 'human', id: 'ada' } as const

const agent = spawnAgent(() => Promise.resolve('done'))
const PARTS = {
  tools: [bashTool, readTool, writeTool, webFetch, agent],
  sandbox: fakeSandbox({ status: 'ready' }),
  responder: 'suspend',
} as const satisfies HostParts

function open(parts: HostParts = {}, ground?: Ground): Host {
  return inMemory({ policy: COMPLETED, ...PARTS, ...parts }, ground)
}

/** A host under one policy that says, besides its rules, what each case says. */
const under = (policy: PolicyInput, parts: HostParts = {}): Host =>
  open({ ...parts, policy: { ...COMPLETED, ...policy } })

const bash = (command: string): CallRequest => ({ tool: 'bash', args: { command } })
const write = (path: string): CallRequest => ({
  tool: 'write',
  args: { file_path: path, content: 'x' },
})

/** What `check` says and what `evaluate` ends in; both, since neither may say more than the other. */
async function judged(
  session: Session,
  call: CallRequest,
): Promise<{ readonly check: string; readonly ends: string; readonly rule: string | null }> {
  const { decision: check, visits } = await session.check(call)
  const { status } = await session.evaluate(call)
  const decided = visits.findLast(({ decision }) => decision === check)
  return { check, ends: status, rule: decided?.matchedRule ?? null }
}

const ASK = { check: 'ask', ends: 'suspended' }
const DENY = { check: 'deny', ends: 'denied' }

function policyFile(folder: string, text: string): string {
  const file = join(folder, 'policy.jsonc')
  writeFileSync(file, text)
  return file
}

/** A managed policy, read from a file that no session writes. */
function managed(ground: Ground, rules: readonly string[]): Promise<Policy> {
  const file = policyFile(ground.outside, JSON.stringify({ ...COMPLETED, rules }))
  return loadPolicy(file, { source: 'managed' })
}

describe('what an allow does not cover', () => {
  it('[B-19] a command that writes outside the workspace is denied by a mode that asks nobody', async () => {
    const host = open({ policy: { profile: 'terminal.auto', rules: ['allow bash'] } })
    const session = await host.session()

    const inside = await judged(session, bash('echo x > app.conf'))
    const outside = await judged(session, bash('echo x > /etc/app.conf'))

    expect(inside).toMatchObject({ check: 'allow', ends: 'admitted' })
    expect(outside).toMatchObject(DENY)
  })

  it('[B-19] and asks where somebody can be asked', async () => {
    const session = await under({ rules: ['allow bash'] }).session()

    expect(await judged(session, bash('echo x > /etc/app.conf'))).toMatchObject(ASK)
  })

  it('[B-67] a subcommand that its exception takes out', async () => {
    const host = under({
      rules: [
        'allow bash(git status:*)',
        {
          id: 'remotes',
          effect: 'allow',
          match: 'bash(git remote:*)',
          except: ['bash(git remote set-url:*)'],
        },
      ],
    })
    const session = await host.session()

    expect(await judged(session, bash('git remote show origin'))).toMatchObject({ check: 'allow' })
    for (const spelling of [
      'git remote set-url',
      'git remote  "set-url"',
      'git remote set\\-url',
    ]) {
      const call = bash(`${spelling} origin https://x.test/r.git`)
      expect(await judged(session, call)).toMatchObject(ASK)
    }
  })

  it('[B-68] a flag that runs a program, however it is quoted', async () => {
    const session = await under({ rules: ['allow bash(git diff:*)'] }).session()

    expect(await judged(session, bash('git diff --stat'))).toMatchObject({ check: 'allow' })
    for (const flag of ['--ext-diff', '--ext\\-diff', "--ext'-'diff", '"--ext-diff"']) {
      expect(await judged(session, bash(`git diff ${flag}`))).toMatchObject(ASK)
    }
  })
})

describe('a subagent', () => {
  const OPS: CallRequest = { tool: 'agent', args: { agent: 'ops', prompt: 'x' } }
  const other = { tool: 'agent', args: { agent: 'docs', prompt: 'x' } }

  it('[B-96] does not start itself again: its deny wins over an allow of everything', async () => {
    const host = under({
      rules: ['allow *', 'deny agent(ops)'],
      delegation: { spawnDepth: 2 },
    })
    const parent = await host.session()
    const ops = await aChild('spawn', parent)

    for (const session of [parent, ops]) {
      expect(await judged(session, OPS)).toMatchObject({ ...DENY, rule: 'deny agent(ops)' })
    }
  })

  it('[B-96] is stopped by its depth where no rule names it', async () => {
    const parent = await under({ rules: ['allow *'] }).session()
    const docs = await aChild('spawn', parent)

    expect(await parent.run(other)).toMatchObject({ value: { status: 'ok' } })
    expect(await docs.run(other)).toMatchObject({
      value: { status: 'failed', code: 'depth_exceeded' },
    })
  })

  it('[B-97] gets no mode that nobody knows, and none that is wider than its parent’s', async () => {
    const parent = await under({ workMode: 'rw', rules: ['deny bash(git commit:*)'] }).session()

    await expect(parent.spawn({ workMode: 'bypass' as never })).rejects.toMatchObject({
      code: 'invalid_constraint',
    })
    await expect(parent.spawn({ workMode: 'full' })).rejects.toMatchObject({ code: 'escalation' })
    for (const way of ['spawn', 'fork'] as const) {
      const child = await aChild(way, parent, { toolApproval: 'accept_all' })
      expect(await judged(child, bash('git commit -m x'))).toMatchObject({
        ...DENY,
        rule: 'deny bash(git commit:*)',
      })
    }
  })

  it('[B-97] gets no wider mode from a model that asks for one', async () => {
    const parent = await under({ workMode: 'rw', rules: ['allow agent'] }).session()
    const asking = (constraints: unknown): CallRequest => ({
      tool: 'agent',
      args: { prompt: 'x', constraints },
    })

    for (const wish of [{ workMode: 'bypass' }, { workMode: 'full' }, { mode: 'bypass' }]) {
      expect(await parent.run(asking(wish))).toMatchObject({ value: { status: 'failed' } })
    }
  })

  it.each([
    ['deny write', 'allow *'],
    ['allow *', 'allow write'],
  ])('[B-100] of a caller that only reads writes nothing (%s, %s)', async (...rules) => {
    const parent = await under({ workMode: 'ro', rules }).session()

    for (const way of ['spawn', 'fork'] as const) {
      const child = await aChild(way, parent, { toolApproval: 'accept_all' })
      expect(await child.run(write('a.ts'))).toMatchObject({
        status: 'denied',
        layer: 'work_mode',
        reason: 'missing_capability',
      })
    }
    await expect(parent.spawn({ capabilities: ['fs.read', 'fs.write'] })).rejects.toMatchObject({
      code: 'escalation',
    })
  })
})

describe('two questions at once', () => {
  const C1 = { ...bash('rm a'), callId: 'c1' }
  const C2 = { ...bash('rm b'), callId: 'c2' }
  const policy: PolicyInput = { rules: ['ask bash'] }

  it('[B-111] an answer to the first leaves the second waiting', async () => {
    const host = under(policy)
    const session = await host.session()
    const [one, two] = [await session.evaluate(C1), await session.evaluate(C2)]
    if (one.status !== 'suspended' || two.status !== 'suspended') throw new Error('no ticket')

    const crossed = await host.sixgate.resolve(one.ticket, C2, YES, ME)
    const resolved = await host.sixgate.resolve(one.ticket, C1, YES, ME)

    expect(crossed.status).not.toBe('admitted')
    expect(resolved).toMatchObject({ status: 'admitted', callId: 'c1' })
    expect(await session.evaluate(C2)).toMatchObject({ status: 'suspended', callId: 'c2' })
    expect(await host.sixgate.resolve(two.ticket, C2, NO, ME)).toMatchObject({ reason: 'rejected' })
  })

  it('[B-112] an answer that comes after the second was raised is the first one’s alone', async () => {
    const gates = new Map<string, Gate<Answer>>([
      ['c1', aGate<Answer>()],
      ['c2', aGate<Answer>()],
    ])
    const responder = aResponder(({ callId }) => gates.get(callId)?.promise)
    const session = await under(policy, { responder }).session()
    const ended: string[] = []
    const [one, two] = [C1, C2].map(async (call) => {
      const outcome = await session.evaluate(call)
      ended.push(call.callId)
      return outcome
    })
    await settled()
    expect(responder.asked.map(({ callId }) => callId)).toEqual(['c1', 'c2'])

    gates.get('c1')?.open(YES)
    expect((await one)?.status).toBe('admitted')
    await settled()
    expect(ended).toEqual(['c1'])

    gates.get('c2')?.open(NO)
    expect(await two).toMatchObject({ status: 'denied', reason: 'rejected' })
  })
})

describe('several sources of rules', () => {
  it('[B-134] an ask that is managed stands before an allow of the user', async () => {
    const ground = aGround()
    const own = definePolicy({ rules: ['allow bash(git:*)'] })
    const host = open({ policy: [await managed(ground, ['ask bash']), own] }, ground)

    expect(await judged(await host.session(), bash('git push'))).toMatchObject({
      ...ASK,
      rule: 'ask bash',
    })
  })

  it('[B-135] a source that says nothing takes nothing away', async () => {
    const ground = aGround()
    const file = await managed(ground, ['deny bash(condor_q:*)'])
    const silent = definePolicy({})
    const found: unknown[] = []
    for (const policy of [file, [file], [file, silent], [silent, file]]) {
      const host = open({ policy }, { ...ground, clear: () => undefined })
      found.push(await judged(await host.session(), bash('condor_q')))
    }

    expect(found).toEqual(Array(4).fill({ ...DENY, rule: 'deny bash(condor_q:*)' }))
    ground.clear()
  })

  it('[B-135] a source that comes back empty is refused, and what was in force stays', async () => {
    const ground = aGround()
    const host = open({ policy: await managed(ground, ['deny bash(condor_q:*)']) }, ground)
    const session = await host.session()
    const remote = join(ground.outside, 'remote.jsonc')
    writeFileSync(remote, '')

    await expect(loadPolicy(remote, { source: 'managed' })).rejects.toMatchObject({
      name: 'ConfigError',
    })
    expect(await judged(session, bash('condor_q'))).toMatchObject(DENY)
  })

  it('[B-136] a deny that is managed stands before the same allow of the user', async () => {
    const ground = aGround()
    const own = definePolicy({ rules: ['allow read(/home/u/**)', 'allow read(/home/u/.netrc)'] })
    const policy = [await managed(ground, ['deny read(/home/u/**)']), own]
    const host = open({ policy, ports: { home: '/home/u' } }, ground)
    const session = await host.session()

    for (const path of ['/home/u/.netrc', '~/.netrc', '/home/u/./x/../.netrc']) {
      const call = { tool: 'read', args: { file_path: path } }
      expect(await judged(session, call)).toMatchObject({ ...DENY, rule: 'deny read(/home/u/**)' })
    }
  })

  it('[B-138] an allow of the workspace counts for nothing until somebody trusts it', async () => {
    const ground = aGround()
    const rules = ['allow bash', 'deny bash(wget:*)']
    const file = policyFile(ground.workspace, JSON.stringify({ ...COMPLETED, rules }))
    const policy = [definePolicy(COMPLETED), await loadPolicy(file, { source: 'managed' })]
    const host = open({ policy, ports: { trustFile: () => null } }, ground)
    const session = await host.session()

    expect(await judged(session, bash('curl https://x.test'))).toMatchObject(ASK)
    expect(await judged(session, bash('wget https://x.test'))).toMatchObject(DENY)
    const own = await under({ rules }).session()
    expect(await judged(own, bash('curl https://x.test'))).toMatchObject({ check: 'allow' })
  })

  it('[B-139] an allow of the project lifts no restriction from above, nor its id', async () => {
    const ground = aGround()
    const above = await managed(ground, ['deny bash(sudo:*)'])
    const project = { ...COMPLETED, rules: ['allow bash(sudo:*)', 'allow bash'] }
    const file = await loadPolicy(policyFile(ground.workspace, JSON.stringify(project)))
    const found: unknown[] = []
    for (const source of [file, definePolicy(project)]) {
      const host = open({ policy: [above, source] }, { ...ground, clear: () => undefined })
      found.push(await judged(await host.session(), bash('sudo id')))
    }

    expect(found).toEqual(Array(2).fill({ ...DENY, rule: 'deny bash(sudo:*)' }))
    const taken = { id: 'no-sudo', match: 'bash(sudo:*)' } as const
    const twice = [
      definePolicy({ rules: [{ ...taken, effect: 'deny' }] }),
      definePolicy({ rules: [{ ...taken, effect: 'allow' }] }),
    ]
    expect(() => open({ policy: twice }, ground)).toThrow(
      expect.objectContaining({ code: 'duplicate_rule' }) as Error,
    )
    ground.clear()
  })
})

describe('a policy that does not load', () => {
  it('[B-141] by a key that nobody knows allows nothing: there is no policy and no host', async () => {
    const ground = aGround()
    const file = policyFile(ground.outside, '{\n  "defaultAction": "allow"\n}')
    const host = open({ policy: { rules: ['deny bash(ls)'] } }, ground)
    const session = await host.session()

    await expect(loadPolicy(file)).rejects.toMatchObject({
      name: 'ConfigError',
      code: 'unknown_key',
      file,
      line: 2,
      path: ['defaultAction'],
    })
    expect(() => definePolicy({ defaultAction: 'allow' } as PolicyInput)).toThrow(
      expect.objectContaining({ code: 'unknown_key' }) as Error,
    )
    expect(() => open({ policy: { document: {}, digest: '' } as never })).toThrow(
      expect.objectContaining({ name: 'ConfigError' }) as Error,
    )
    expect(await judged(session, bash('ls'))).toMatchObject(DENY)
  })

  it('[B-142] by its syntax leaves the last good one in force', async () => {
    const ground = aGround()
    const rules = ['deny bash(rm:*)']
    const file = policyFile(ground.outside, JSON.stringify({ ...COMPLETED, rules }))
    const host = open({ policy: await loadPolicy(file) }, ground)
    const session = await host.session()
    const { revision } = session
    writeFileSync(file, '{ "rules": ["deny bash(rm:*)" ')

    const reload = loadPolicy(file).then((policy) => host.sixgate.replacePolicy(session, policy))

    await expect(reload).rejects.toMatchObject({ name: 'ConfigError', code: 'syntax', file })
    expect(session.revision).toBe(revision)
    expect(await judged(session, bash('rm a'))).toMatchObject({ ...DENY, rule: 'deny bash(rm:*)' })
    expect(await judged(await host.session(), bash('rm a'))).toMatchObject(DENY)
  })
})

describe('a mode', () => {
  it('[B-143] full asks as its rule says, and what is explained is what is done', async () => {
    const responder = aResponder(() => NO)
    const host = under(
      { rules: ['ask bash(git push:*)', 'allow bash'], toolApproval: 'accept_all' },
      { responder },
    )
    const session = await host.session()
    const call = { ...bash('git push origin main'), callId: 'c1' }

    const explained = await session.check(call)
    expect(responder.asked).toEqual([])
    await session.evaluate(call)
    const done = (await session.chain('c1')).toReversed()

    expect(explained).toMatchObject({ decision: 'ask' })
    expect(responder.asked).toMatchObject([{ decidingRule: 'ask bash(git push:*)' }])
    expect(done.slice(0, explained.visits.length)).toMatchObject(
      explained.visits.map(({ layer, decision, matchedRule }) => ({
        layer,
        decision,
        matched_rule: matchedRule,
      })),
    )
  })

  it('[B-153] that only reads has no command run unasked that it cannot read through', async () => {
    const session = await under({ workMode: 'ro', rules: ['allow bash'] }).session()

    expect(await judged(session, bash('ls'))).toMatchObject({ check: 'allow' })
    expect(await judged(session, bash(`python3 -c "open('a','w')"`))).toMatchObject(ASK)
  })

  it('[B-154] that only reads lets no command write, allowed as it may be', async () => {
    const rules = ['allow bash', 'allow bash(printf:*)', 'allow write(**)']
    for (const more of [{}, { rules, toolApproval: 'accept_all' } as const]) {
      const session = await under({ workMode: 'ro', ...more }).session()

      expect(await session.run(bash('printf x >> f'))).toMatchObject({
        status: 'denied',
        layer: 'work_mode',
        reason: 'missing_capability',
      })
    }
  })
})

describe('a session that comes back', () => {
  /** A child on disk that was told more than its parent, and tightened. */
  async function kept(rules: readonly string[]): Promise<{
    readonly world: World
    readonly root: SessionId
    readonly child: SessionId
  }> {
    const policy = { ...COMPLETED, rules, toolApproval: 'accept_all' } as const
    const world = aWorld(inMemory, { ...PARTS, policy })
    const root = await world.host().session()
    const child = await aChild('spawn', root, { toolApproval: 'accept_all' })
    await root.tighten({ rules: ['deny bash(wget:*)'] })
    await child.tighten({ rules: ['deny bash(nc:*)'] })
    return { world, root: root.id, child: child.id }
  }
  const WIDE: PolicyInput = { ...COMPLETED, rules: ['allow *'], toolApproval: 'accept_all' }

  it('[B-161] in another process is as its snapshot says, and without one it is not there', async () => {
    const { world, child } = await kept(['deny write'])
    const { sixgate } = await world.restart({ policy: WIDE })

    const again = await sixgate.resume(child)
    expect(await judged(again, write('a'))).toMatchObject({ ...DENY, rule: 'deny write' })

    const fresh = await world.host().session()
    expect(await judged(fresh, write('a'))).toMatchObject({ check: 'allow' })

    const { sixgate: third } = await world.restart({ policy: WIDE })
    const snapshots = join(world.ground.ledger, 'snapshots', child)
    rmSync(snapshots, { recursive: true })
    mkdirSync(snapshots)
    await expect(third.resume(child)).rejects.toMatchObject({ name: 'SnapshotError' })
  })

  it.each(['snapshot', 'meet'] as const)(
    '[B-163] is under what it had and every tightening since, whatever its client says (%s)',
    async (choice) => {
      const { world, root, child } = await kept(['deny bash(curl:*)'])
      const { sixgate } = await world.restart({ policy: WIDE })

      await expect(sixgate.resume(root)).rejects.toMatchObject({ code: 'policy_differs' })
      const sessions = [await sixgate.resume(root, { policy: choice }), await sixgate.resume(child)]

      for (const session of sessions) {
        expect(await judged(session, bash('curl x'))).toMatchObject({
          ...DENY,
          rule: 'deny bash(curl:*)',
        })
        expect(await judged(session, bash('wget x'))).toMatchObject(DENY)
      }
      expect(await judged(sessions[1] as Session, bash('nc x 1'))).toMatchObject(DENY)
    },
  )
})
