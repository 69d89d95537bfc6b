/** Walking back (trace.md §6): from a call's terminal event to its root, refusing every break. */

import { RecordError, type RecordCode } from '../core/errors.js'
import type { NodeId } from '../core/ids.js'
import { nodeOf, type DecisionNode, type DecisionRecord, type TerminalRecord } from './records.js'
import { parseRecord } from './parse-record.js'

/**
 * The nodes of one call, head first, root last. A call without a terminal event is walked from the
 * last node written. Rejects with `unknown_call`, `duplicate_node`, `missing_parent`, `foreign_parent`,
 * `cyclic_chain`, `missing_head`, `foreign_head` or `second_terminal`; a gap is reported, never filled.
 */
export async function walkBack(
  lines: AsyncIterable<Uint8Array>,
  callId: string,
): Promise<readonly DecisionNode[]> {
  return walkFrom(await gather(lines, callId), callId)
}

/** What a walk needs of a run that was read: all its nodes, and where the call's chain ends. */
export interface Gathered {
  readonly nodes: ReadonlyMap<NodeId, DecisionRecord>
  /** The last node of the call, whatever it hangs under. */
  readonly last: DecisionRecord | undefined
  readonly terminal: TerminalRecord | undefined
}

/** As `walkBack`, over records that were read before. Throws what `walkBack` rejects with. */
export function walkFrom(
  { nodes, last, terminal }: Gathered,
  callId: string,
): readonly DecisionNode[] {
  const start = terminal?.trace_head_id ?? last?.node_id
  if (start === undefined) {
    throw new RecordError('unknown_call', 'no record of this call', { call_id: callId })
  }
  const chain: DecisionNode[] = []
  const seen = new Set<NodeId>()
  for (let at: NodeId | null = start; at !== null;) {
    const node = nodes.get(at)
    if (node === undefined) throw broken(at === start ? 'missing_head' : 'missing_parent', callId)
    if (node.call_id !== callId) {
      throw broken(at === start ? 'foreign_head' : 'foreign_parent', callId)
    }
    if (seen.has(at)) throw broken('cyclic_chain', callId)
    seen.add(at)
    chain.push(nodeOf(node))
    at = node.parent_id
  }
  return chain
}

async function gather(lines: AsyncIterable<Uint8Array>, callId: string): Promise<Gathered> {
  const nodes = new Map<NodeId, DecisionRecord>()
  let last: DecisionRecord | undefined
  let terminal: TerminalRecord | undefined
  for await (const line of lines) {
    const record = parseRecord(line)
    if (record.kind === 'decision') {
      // Two nodes of one name: nobody can say which of them decided.
      if (nodes.has(record.node_id)) throw broken('duplicate_node', callId)
      nodes.set(record.node_id, record)
      if (record.call_id === callId) last = record
    }
    if (record.kind === 'terminal' && record.call_id === callId) {
      if (terminal !== undefined) throw broken('second_terminal', callId)
      terminal = record
    }
  }
  return { nodes, last, terminal }
}

function broken(
  code: Extract<
    RecordCode,
    | 'duplicate_node'
    | 'missing_head'
    | 'foreign_head'
    | 'missing_parent'
    | 'foreign_parent'
    | 'cyclic_chain'
    | 'second_terminal'
  >,
  callId: string,
): RecordError {
  return new RecordError(code, 'the recorded chain is broken', { call_id: callId })
}
