/** A policy on trial (hosts.md §2): it judges and records, and can do nothing else. */

import { afterEach, describe, expect, it } from 'vitest'
import { compose, systemPorts } from '../../src/compose.js'
import type { PolicyInput } from '../../src/contract/policy.js'
import type { SixgateOptions } from '../../src/contract/session.js'
import type { Shadow, ShadowSession } from '../../src/contract/shadow.js'
import { shadowId, workspaceId } from '../../src/enforce/session.js'
import { definePolicy } from '../../src/policy/define.js'
import { buildShadow } from '../../src/shadow.js'
import { memoryStore } from '../../src/store/memory.js'
import { jsonlStore } from '../../src/store/jsonl.js'
import { read } from '../../src/tools/builtin/read.js'
import { write } from '../../src/tools/builtin/write.js'
import { aGround, aResponder, aTool, YES, type Ground } from '../builders/session.js'
import { runsOf, type RunLines } from '../builders/trace-oracle.js'

interface Trial {
  readonly ground: Ground
  readonly shadow: Shadow
  readonly session: ShadowSession
  readonly runs: (id: (workspace: string) => string) => Promise<readonly RunLines[]>
}

const trials: Trial[] = []
afterEach(async () => {
  for (const { shadow, ground } of trials.splice(0)) {
    await shadow[Symbol.asyncDispose]()
    ground.clear()
  }
})

const POLICY: PolicyInput = {
  workMode: 'full',
  rules: ['allow read(a.txt)', 'ask write', 'deny read(secret)'],
}

async function aTrial(parts: Partial<SixgateOptions> = {}): Promise<Trial> {
  const ground = aGround()
  const store = parts.store ?? memoryStore()
  const options = { workspace: ground.workspace, tools: [read, write], ...parts, store }
  const policy = options.policy ?? definePolicy(POLICY)
  const shadow = buildShadow(compose({ ...options, policy }, systemPorts(), shadowId))
  const session = await shadow.session({ task: 'a trial' })
  const runs: Trial['runs'] = (id) => runsOf(store, id(ground.workspace))
  const trial = { ground, shadow, session, runs }
  trials.push(trial)
  return trial
}

const READ = { tool: 'read', args: { file_path: 'a.txt' } } as const
const WRITE = { tool: 'write', args: { file_path: 'b.txt', content: '' } } as const

describe('a policy on trial', () => {
  it('says what would have become of a call, and who would have settled it', async () => {
    const { session } = await aTrial({ responder: aResponder(() => YES) })

    expect(await session.evaluate(READ)).toMatchObject({
      decision: 'allow',
      layer: 'user_rule',
      matchedRule: 'allow read(a.txt)',
      reason: null,
    })
    expect(await session.evaluate(WRITE)).toMatchObject({
      decision: 'ask',
      layer: 'user_rule',
      matchedRule: 'ask write',
    })
    const secret = { tool: 'read', args: { file_path: 'secret' } }
    expect(await session.evaluate(secret)).toMatchObject({ decision: 'deny', reason: 'rule' })
  })

  it('asks nobody and runs nothing', async () => {
    let ran = 0
    const responder = aResponder(() => YES)
    const tools = [write, aTool(() => (ran += 1))]
    const { session, ground } = await aTrial({ responder, tools })

    await session.evaluate(WRITE)
    await session.evaluate({ tool: 'probe', args: {} })

    expect(responder.asked).toEqual([])
    expect(ran).toBe(0)
    expect(ground.text(`${ground.workspace}/b.txt`)).toBeNull()
  })

  it('has nothing with which a call could be admitted or a child made', async () => {
    const { session, shadow } = await aTrial()
    const names = [...Object.keys(session), ...Object.keys(shadow)]

    for (const name of [
      'dispatch',
      'dispatchInline',
      'run',
      'spawn',
      'fork',
      'resolve',
      'direct',
    ]) {
      expect(names).not.toContain(name)
    }
    expect(await session.evaluate(READ)).not.toHaveProperty('admission')
  })

  it('records every decision in a ledger of its own, whose runs say that nothing held', async () => {
    const { session, runs } = await aTrial()

    const outcome = await session.evaluate({ ...READ, callId: 'c1' })
    await session.close()

    expect(await runs(workspaceId)).toEqual([])
    const [run] = await runs(shadowId)
    expect(run?.records[0]).toMatchObject({ kind: 'run_open', enforcement: 'shadow' })
    expect(run?.records.map(({ kind }) => kind)).not.toContain('intent')
    expect(run?.records.at(-1)).toMatchObject({ kind: 'run_end', undispatched: ['c1'] })
    expect(outcome.callId).toBe('c1')
  })

  it('writes the terminal event of what it would deny', async () => {
    const { session, runs } = await aTrial()

    await session.evaluate({ tool: 'read', args: { file_path: 'secret' }, callId: 'c1' })

    expect((await session.chain('c1')).map(({ layer }) => layer)[0]).toBe('user_rule')
    const [run] = await runs(shadowId)
    expect(run?.records.filter(({ kind }) => kind === 'terminal')).toMatchObject([
      { event: 'denied', call_id: 'c1' },
    ])
  })

  it('gives a replay the same outcome and refuses the id to another call', async () => {
    const { session } = await aTrial()

    const first = await session.evaluate({ ...READ, callId: 'c1' })
    const again = await session.evaluate({ ...READ, callId: 'c1' })
    const other = await session.evaluate({ ...WRITE, callId: 'c1' })

    expect(again).toEqual(first)
    expect(other).toMatchObject({ decision: 'deny', reason: 'call_id_reused' })
  })

  it('without anybody to ask says that an ask would be denied', async () => {
    const { session } = await aTrial()

    expect(await session.evaluate(WRITE)).toMatchObject({
      decision: 'deny',
      reason: 'no_responder',
    })
  })

  it('agrees with check and hides the same tools', async () => {
    const { session } = await aTrial({ responder: aResponder(() => YES) })

    for (const call of [READ, WRITE]) {
      expect((await session.check(call)).decision).toBe((await session.evaluate(call)).decision)
    }
    expect(session.visibleTools().map(({ name }) => name)).toEqual(['read', 'write'])
  })

  it('keeps its own ledger out of reach, as the enforced one is', async () => {
    const beside = aGround()
    const { session } = await aTrial({ store: jsonlStore(beside.ledger) })

    const inside = { tool: 'read', args: { file_path: `${beside.ledger}/x` } }
    expect(await session.evaluate(inside)).toMatchObject({ reason: 'control_plane' })
    await session.close()
    beside.clear()
  })

  it('judges nothing once it is closed', async () => {
    const { session } = await aTrial()
    await session.close()

    expect(await session.evaluate(READ)).toMatchObject({ reason: 'session_closed' })
  })

  it.each([undefined, null, {}, { tool: 7 }])('never rejects: %j is no call', async (call) => {
    const { session } = await aTrial()

    expect(await session.evaluate(call as never)).toMatchObject({ decision: 'deny' })
  })
})
