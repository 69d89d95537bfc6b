/**
 * What no chain may break (pipeline.md §4 "Nodes and events"): checked before a record is written,
 * so that a mistake of the writer is refused instead of recorded.
 */

import { DECISIONS } from '../core/effect.js'
import { RecordError, type RecordCode } from '../core/errors.js'
import type { CallId, NodeId } from '../core/ids.js'
import { LAYER_NAMES } from '../core/layer-name.js'
import { isTabled, isTabledReason } from '../core/reasons.js'
import type { DecisionRecord, RecordBody, TerminalRecord } from './records.js'

/** Chains of one run. `check` throws `RecordError`; what it accepts it remembers. */
export interface Integrity {
  readonly check: (body: RecordBody) => void
  /** Calls with nodes and no terminal event. */
  readonly openCalls: () => readonly CallId[]
}

/** Starts with no chains. */
export function integrity(): Integrity {
  const chains = new Map<CallId, Chain>()
  const owners = new Map<NodeId, CallId>()
  return {
    check(body) {
      if (body.kind === 'decision') checkNode(body, chains, owners)
      if (body.kind === 'terminal') checkTerminal(body, chains, owners)
    },
    openCalls: () => [...chains].filter(([, chain]) => !chain.isClosed).map(([callId]) => callId),
  }
}

interface Chain {
  /** Of the last node only what the next record is checked against. */
  readonly head: Pick<DecisionRecord, 'node_id' | 'decision'>
  readonly isClosed: boolean
}

function checkNode(
  node: DecisionRecord,
  chains: Map<CallId, Chain>,
  owners: Map<NodeId, CallId>,
): void {
  if (!LAYERS.includes(node.layer)) throw refuse('unknown_layer', node)
  if (!(DECISIONS as readonly string[]).includes(node.decision)) {
    throw refuse('unknown_decision', node)
  }
  if (!isKnown(node)) throw refuse('untabled_rule', node)
  if (owners.has(node.node_id)) throw refuse('duplicate_node', node)
  checkParent(node, chains.get(node.call_id), owners)
  chains.set(node.call_id, {
    head: { node_id: node.node_id, decision: node.decision },
    isClosed: false,
  })
  owners.set(node.node_id, node.call_id)
}

const LAYERS: readonly string[] = ['guard', ...LAYER_NAMES]

/** Sayings that the table was asked about and has: a policy says the same few things over and over. */
const tabled = new Set<string>()
const REMEMBERED = 1024

function isKnown({ layer, decision, matched_rule, reason_code }: DecisionRecord): boolean {
  const reason = reason_code ?? null
  const saying = JSON.stringify([layer, decision, matched_rule, reason])
  if (tabled.has(saying)) return true
  if (!isTabled(layer, decision, matched_rule)) return false
  if (!isTabledReason(layer, decision, reason)) return false
  if (tabled.size >= REMEMBERED) tabled.clear()
  tabled.add(saying)
  return true
}

/** The parent is the directly preceding node of the same call; only the first node has none. */
function checkParent(
  node: DecisionRecord,
  chain: Chain | undefined,
  owners: ReadonlyMap<NodeId, CallId>,
): void {
  if (chain?.isClosed === true || chain?.head.decision === 'deny') {
    throw refuse('chain_closed', node)
  }
  const expected = chain?.head.node_id ?? null
  if (node.parent_id === expected) return
  if (node.parent_id === null) throw refuse('missing_parent', node)
  if (node.parent_id === node.node_id) throw refuse('cyclic_chain', node)
  const owner = owners.get(node.parent_id)
  if (owner === undefined) throw refuse('missing_parent', node)
  throw refuse(owner === node.call_id ? 'cyclic_chain' : 'foreign_parent', node)
}

function checkTerminal(
  event: TerminalRecord,
  chains: Map<CallId, Chain>,
  owners: ReadonlyMap<NodeId, CallId>,
): void {
  const chain = chains.get(event.call_id)
  if (chain?.isClosed === true) throw refuse('second_terminal', event)
  if (chain === undefined || chain.head.node_id !== event.trace_head_id) {
    const owner = owners.get(event.trace_head_id)
    const isForeign = owner !== undefined && owner !== event.call_id
    throw refuse(isForeign ? 'foreign_head' : 'missing_head', event)
  }
  const endsDenied = chain.head.decision === 'deny'
  if (endsDenied !== (event.event === 'denied') || chain.head.decision === 'ask') {
    throw refuse('missing_head', event)
  }
  chains.set(event.call_id, { head: chain.head, isClosed: true })
}

function refuse(code: RecordCode, record: DecisionRecord | TerminalRecord): RecordError {
  return new RecordError(code, `a ${record.kind} record that breaks its chain was refused`, {
    call_id: record.call_id,
  })
}
