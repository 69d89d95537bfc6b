import { describe, expect, test } from 'vitest'
import type { RunId } from '../core/ids.js'
import { canonicalBytes } from '../encoding/canonical.js'
import { traceOf, type Trace } from './trace.js'

const RUN = '01J00000000000000000000001' as RunId

/** A reader over records of a hostile writer. */
function traced(records: readonly object[]): Trace {
  return traceOf({
    runs: () => Promise.resolve([RUN]),
    async *read() {
      for (const [seq, record] of records.entries()) {
        yield canonicalBytes({ v: 1, run_id: RUN, seq, wall_ms: 0, ...record })
      }
    },
  })
}

const aNode = (node_id: string, parent_id: string | null, more: object = {}): object => ({
  kind: 'decision',
  node_id,
  parent_id,
  call_id: 'c',
  layer: 'work_mode',
  decision: 'allow',
  matched_rule: 'builtin:capability',
  policy_revision: '1:sha256:0',
  pass: 0,
  ...more,
})

const anEnd = (trace_head_id: string, event = 'denied'): object => ({
  kind: 'terminal',
  call_id: 'c',
  trace_head_id,
  event,
  timestamp: '',
})

const DENY = { layer: 'network', decision: 'deny', matched_rule: 'builtin:network_off' }

describe('a chain that is broken is refused', () => {
  test.each([
    ['a node that hangs under nothing', [aNode('b', 'a', DENY), anEnd('b')], 'missing_parent'],
    ['an end that names nothing', [aNode('a', null, DENY), anEnd('x')], 'missing_head'],
    [
      'a node of another call',
      [aNode('a', null, { call_id: 'd' }), aNode('b', 'a', DENY), anEnd('b')],
      'foreign_parent',
    ],
    ['a circle', [aNode('a', 'b'), aNode('b', 'a', DENY), anEnd('b')], 'cyclic_chain'],
    ['two ends', [aNode('a', null, DENY), anEnd('a'), anEnd('a')], 'second_terminal'],
    ['a node twice', [aNode('a', null), aNode('a', null, DENY), anEnd('a')], 'duplicate_node'],
    ['a layer that does not exist', [aNode('a', null, { layer: 'seventh' })], 'unknown_layer'],
    ['a decision that does not exist', [aNode('a', null, { decision: 'x' })], 'unknown_decision'],
    ['a node without an id', [aNode('a', null, { node_id: 1 })], 'malformed_record'],
    ['a record of another run', [aNode('a', null, { run_id: 'x' })], 'malformed_record'],
    ['a record of another version', [aNode('a', null, { v: 2 })], 'malformed_record'],
    ['a call that nothing is told of', [], 'unknown_call'],
  ])('%s', async (_, records, code) => {
    await expect(traced(records).chain('c', RUN)).rejects.toMatchObject({ code })
    await expect(traced(records).explain('c', RUN)).rejects.toMatchObject({ code })
  })

  test('a dispatch without an intent is explained by nothing', async () => {
    const trace = traced([aNode('a', null), anEnd('a', 'dispatch_started')])

    await expect(trace.explain('c')).rejects.toMatchObject({ code: 'malformed_record' })
  })
})

test('a call without an end is undecided, and walked from its last node', async () => {
  const trace = traced([aNode('a', null), aNode('b', 'a', { layer: 'network' })])

  expect(await trace.explain('c')).toMatchObject({
    verdict: 'undecided',
    decidedBy: { layer: 'network' },
  })
})

test('layers are not reached by the last walk, whatever an earlier one visited', async () => {
  const trace = traced([
    aNode('a', null),
    aNode('b', 'a', { layer: 'sandbox', matched_rule: 'builtin:driver.x' }),
    aNode('c', 'b', { pass: 1 }),
    aNode('d', 'c', { ...DENY, pass: 1 }),
    anEnd('d'),
  ])

  const { notReached, path } = await trace.explain('c')

  expect(path).toHaveLength(4)
  expect(notReached).toEqual(['user_rule', 'tool_approval', 'approval_response', 'sandbox'])
})

test('a kind of a later version is told by its name', async () => {
  const trace = traced([{ kind: 'novelty', more: [] }])

  expect(await trace.timeline(RUN)).toMatchObject([{ kind: 'novelty', callId: null, text: '' }])
})

test('a record that is missing shows in the summary', async () => {
  const trace = traced([aNode('a', null, { seq: 1 })])

  expect(await trace.run(RUN)).toMatchObject({ isContinuous: false })
})
