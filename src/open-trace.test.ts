import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { jsonlStore, definePolicy, memoryStore, type Session, type Store } from './index.js'
import { openTrace } from './audit/entry.js'
import { createTestSixgate, fakeClock, scriptedResponder } from './testing/entry.js'
import { read, write } from './tools/entry.js'

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'open-trace-')))
const workspace = join(folder, 'workspace')
mkdirSync(workspace)
afterAll(() => rmSync(folder, { recursive: true }))

/** One session with a denied, an answered and an allowed call. */
async function recorded(store: Store): Promise<Session> {
  const sixgate = createTestSixgate(
    {
      policy: definePolicy({
        workMode: 'rw',
        rules: ['allow write(a)', 'ask write(b)', 'deny read(secret)'],
      }),
      workspace,
      tools: [read, write],
      responder: scriptedResponder([{ answer: 'approve' }], { kind: 'human' }),
      store,
    },
    { clock: fakeClock() },
  )
  const session = await sixgate.session({ task: 'a task' })
  await session.run({ callId: 'denied', tool: 'read', args: { file_path: 'secret' } })
  await session.run({ callId: 'asked', tool: 'write', args: { file_path: 'b', content: '' } })
  await session.run({ callId: 'allowed', tool: 'write', args: { file_path: 'a', content: '' } })
  return session
}

describe.each([
  ['a memory store', memoryStore],
  ['a folder', () => jsonlStore(join(folder, `ledger-${readdirSync(folder).length}`))],
])('the trace of %s', (_, makeStore) => {
  test('tells runs and calls in order', async () => {
    const store = makeStore()
    const session = await recorded(store)

    const trace = await openTrace(store, { workspace })
    const [run, ...others] = await trace.runs()

    expect(others).toEqual([])
    expect(await trace.calls(run!)).toEqual([
      { callId: 'denied', verdict: 'denied', tool: null },
      { callId: 'asked', verdict: 'dispatched', tool: 'write' },
      { callId: 'allowed', verdict: 'dispatched', tool: 'write' },
    ])
    expect(await trace.run(run!)).toMatchObject({ taskId: 'a task', endReason: null, calls: 3 })
    await session.close()
    expect(await trace.run(run!)).toMatchObject({ endReason: 'completed', isContinuous: true })
  })

  test('walks the same chain as the session does', async () => {
    const store = makeStore()
    const session = await recorded(store)

    const trace = await openTrace(store, { workspace })

    expect(await trace.chain('asked')).toEqual(await session.chain('asked'))
    await expect(trace.chain('nope')).rejects.toMatchObject({ code: 'unknown_call' })
  })

  test('explains who decided, what was not reached and who answered', async () => {
    const store = makeStore()
    await recorded(store)

    const trace = await openTrace(store, { workspace })

    expect(await trace.explain('denied')).toMatchObject({
      verdict: 'denied',
      decidedBy: { layer: 'user_rule', matchedRule: 'deny read(secret)', reason: 'rule' },
      notReached: ['tool_approval', 'approval_response', 'sandbox'],
      answer: null,
      step: null,
    })
    expect(await trace.explain('asked')).toMatchObject({
      verdict: 'dispatched',
      tool: 'write',
      decidedBy: { layer: 'approval_response', decision: 'allow', matchedRule: 'default:prompt' },
      notReached: ['tool_approval'],
      answer: { kind: 'human', verdict: 'approve' },
      step: { status: 'ok', started: true },
    })
    expect((await trace.explain('allowed')).path.map(({ layer }) => layer)).toEqual([
      'work_mode',
      'network',
      'user_rule',
      'sandbox',
    ])
  })

  test('tells the run record by record', async () => {
    const store = makeStore()
    await recorded(store)

    const trace = await openTrace(store, { workspace })
    const [run] = await trace.runs()
    const entries = await trace.timeline(run!)

    expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_entry, index) => index))
    expect(entries.filter(({ callId }) => callId === 'denied').map(({ text }) => text)).toEqual([
      'work_mode allow builtin:capability',
      'network no_match -',
      'user_rule deny deny read(secret)',
      'denied',
    ])
  })
})

test('a call id that two runs have needs the name of one', async () => {
  const store = memoryStore()
  await recorded(store)
  await recorded(store)

  const trace = await openTrace(store, { workspace })
  const [run] = await trace.runs()

  await expect(trace.chain('asked')).rejects.toMatchObject({ code: 'unknown_call' })
  expect(await trace.chain('asked', run)).toHaveLength(5)
})

test('a folder without a ledger is refused and stays as it is', async () => {
  const empty = mkdtempSync(join(folder, 'empty-'))

  await expect(openTrace(empty)).rejects.toMatchObject({ code: 'store_failed' })
  await expect(openTrace(join(empty, 'none'))).rejects.toMatchObject({ code: 'store_failed' })
  expect(readdirSync(empty)).toEqual([])
})

test('a run id that is none touches no path', async () => {
  const store = jsonlStore(join(folder, 'ledger-ids'))
  await recorded(store)

  const trace = await openTrace(join(folder, 'ledger-ids'))

  await expect(trace.calls('../../etc')).rejects.toMatchObject({ code: 'malformed_record' })
})
