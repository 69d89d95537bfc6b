import { describe, expect, it } from 'vitest'
import type { RecordCode } from '../core/errors.js'
import { integrity } from './integrity.js'
import type { DecisionRecord, RecordBody, TerminalRecord } from './records.js'

describe('what the recorder refuses', () => {
  it('[S0-04] refuses a second node with one id', () => {
    const chains = integrity()
    chains.check(aNode({ node_id: 'n1' }))

    expect(codeOf(chains, aNode({ node_id: 'n1', parent_id: 'n1' }))).toBe('duplicate_node')
  })

  it('[S0-05] refuses a parent of another call, a missing one, and a cycle', () => {
    const chains = integrity()
    chains.check(aNode({ node_id: 'n1', call_id: 'c1' }))
    chains.check(aNode({ node_id: 'm1', call_id: 'c2' }))

    expect(codeOf(chains, aNode({ node_id: 'n2', parent_id: 'm1' }))).toBe('foreign_parent')
    expect(codeOf(chains, aNode({ node_id: 'n2', parent_id: 'gone' }))).toBe('missing_parent')
    expect(codeOf(chains, aNode({ node_id: 'n2', parent_id: null }))).toBe('missing_parent')
    expect(codeOf(chains, aNode({ node_id: 'n2', parent_id: 'n2' }))).toBe('cyclic_chain')
  })

  it('[S0-05] refuses a parent that is not the directly preceding node', () => {
    const chains = integrity()
    chains.check(aNode({ node_id: 'n1' }))
    chains.check(aNode({ node_id: 'n2', parent_id: 'n1' }))

    expect(codeOf(chains, aNode({ node_id: 'n3', parent_id: 'n1' }))).toBe('cyclic_chain')
  })

  it('[S0-06] refuses a layer that is none of the six', () => {
    expect(codeOf(integrity(), aNode({ layer: 'seventh' }))).toBe('unknown_layer')
  })

  it('[S0-07] refuses a decision that is none of the four', () => {
    expect(codeOf(integrity(), aNode({ decision: 'maybe' }))).toBe('unknown_decision')
  })

  it('[S0-08] needs an id for every decision but no_match, and none for that', () => {
    const nameless = aNode({ decision: 'allow', matched_rule: null })
    const named = aNode({ decision: 'no_match', matched_rule: 'r1' })
    const invented = aNode({ decision: 'allow', matched_rule: 'builtin:invented' })

    expect(codeOf(integrity(), nameless)).toBe('untabled_rule')
    expect(codeOf(integrity(), named)).toBe('untabled_rule')
    expect(codeOf(integrity(), invented)).toBe('untabled_rule')
  })

  it('[S0-11] refuses a terminal event whose head is missing or of another call', () => {
    const chains = integrity()
    chains.check(aNode({ node_id: 'n1', call_id: 'c1' }))
    chains.check(aNode({ node_id: 'm1', call_id: 'c2' }))

    expect(codeOf(chains, aTerminal({ trace_head_id: 'gone' }))).toBe('missing_head')
    expect(codeOf(chains, aTerminal({ trace_head_id: 'm1' }))).toBe('foreign_head')
  })

  it('[S0-12] accepts `denied` only over the node that denied, and `dispatch_started` never', () => {
    const chains = integrity()
    chains.check(aNode({ node_id: 'n1', ...DENY }))

    const started = aTerminal({ trace_head_id: 'n1', event: 'dispatch_started' })
    expect(codeOf(chains, started)).toBe('missing_head')
    expect(codeOf(chains, aTerminal({ trace_head_id: 'n1', event: 'denied' }))).toBeUndefined()
  })

  it('[S0-16] refuses a second terminal event and every later node', () => {
    const chains = integrity()
    chains.check(aNode({ node_id: 'n1' }))
    chains.check(aTerminal({ trace_head_id: 'n1' }))

    expect(codeOf(chains, aTerminal({ trace_head_id: 'n1' }))).toBe('second_terminal')
    expect(codeOf(chains, aNode({ node_id: 'n2', parent_id: 'n1' }))).toBe('chain_closed')
  })

  it('[S0-16] reports the chains that were never closed', () => {
    const chains = integrity()
    chains.check(aNode({ node_id: 'n1', call_id: 'c1' }))
    chains.check(aNode({ node_id: 'm1', call_id: 'c2' }))
    chains.check(aTerminal({ trace_head_id: 'm1', call_id: 'c2' }))

    expect(chains.openCalls()).toEqual(['c1'])
  })

  it('[S0-17] refuses a dispatch whose head is an open question', () => {
    const chains = integrity()
    const ask = { layer: 'user_rule', decision: 'ask', matched_rule: 'r1' }
    chains.check(aNode({ node_id: 'n1', ...ask }))

    expect(codeOf(chains, aTerminal({ trace_head_id: 'n1' }))).toBe('missing_head')
  })

  it('lets nothing follow a denial', () => {
    const chains = integrity()
    chains.check(aNode({ node_id: 'n1', ...DENY }))

    expect(codeOf(chains, aNode({ node_id: 'n2', parent_id: 'n1' }))).toBe('chain_closed')
  })
})

const DENY = {
  decision: 'deny',
  matched_rule: 'builtin:tool_scope',
  reason_code: 'tool_scope',
}

function aNode(fields: object): RecordBody {
  return {
    kind: 'decision',
    node_id: 'n1',
    parent_id: null,
    call_id: 'c1',
    layer: 'work_mode',
    decision: 'allow',
    matched_rule: 'builtin:capability',
    policy_revision: '1:sha256:00',
    pass: 0,
    ...fields,
  } as unknown as DecisionRecord
}

function aTerminal(fields: object): RecordBody {
  return {
    kind: 'terminal',
    event_id: 'e1',
    call_id: 'c1',
    trace_head_id: 'n1',
    event: 'dispatch_started',
    timestamp: '2026-01-01T00:00:00.000Z',
    ...fields,
  } as unknown as TerminalRecord
}

function codeOf(chains: ReturnType<typeof integrity>, body: RecordBody): RecordCode | undefined {
  try {
    chains.check(body)
    return undefined
  } catch (error) {
    return (error as { code: RecordCode }).code
  }
}
