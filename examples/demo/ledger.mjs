/** Reads the run from disk, without the library: records are lines of JSON. */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** All records in order, the decision nodes by id, and each call's one terminal event. */
export function readRun(ledger) {
  const records = readdirSync(join(ledger, 'runs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.jsonl'))
    .flatMap((name) =>
      readFileSync(join(ledger, 'runs', name), 'utf8')
        .trim()
        .split('\n'),
    )
    .map((line) => JSON.parse(line))
  const decisions = records.filter(({ kind }) => kind === 'decision')
  const terminals = new Map()
  for (const event of records.filter(({ kind }) => kind === 'terminal')) {
    if (terminals.has(event.call_id)) throw new Error(`${event.call_id} ends twice`)
    terminals.set(event.call_id, event)
  }
  return { records, nodes: new Map(decisions.map((node) => [node.node_id, node])), terminals }
}

/** From the terminal event's head to the root, by parent_id. */
export function walkBack({ nodes, terminals }, callId) {
  const event = terminals.get(callId)
  if (event === undefined) throw new Error(`${callId} has no terminal event`)
  const chain = []
  for (let id = event.trace_head_id; id !== null; id = chain.at(-1).parent_id) {
    const node = nodes.get(id)
    if (node?.call_id !== callId) throw new Error(`${callId}: the chain breaks at ${id}`)
    if (chain.includes(node)) throw new Error(`${callId}: the chain has a cycle at ${id}`)
    chain.push(node)
  }
  return { event, chain }
}

/** The kinds of records that follow a call's judgement; none where it was denied. */
export function stepKinds({ records }, callId) {
  const kinds = records.filter(({ call_id }) => call_id === callId).map(({ kind }) => kind)
  return kinds.filter((kind) => kind === 'intent' || kind === 'step_result').join()
}

/** What the sandbox did not enforce, by the records of the calls that ran in it. */
export function unenforced({ records }) {
  return [...new Set(records.flatMap(({ sandbox }) => sandbox?.unenforced ?? []))]
}
