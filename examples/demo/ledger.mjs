/** Reads the run from disk, without the library: records are lines of JSON. */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Every run of the ledger, the parent's first. */
export function readRuns(ledger) {
  return readdirSync(join(ledger, 'runs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => readRun(join(ledger, 'runs', name)))
    .sort((left, right) => Number(left.open.parent !== null) - Number(right.open.parent !== null))
}

/** All records in order, the decision nodes by id, and each call's one terminal event. */
function readRun(file) {
  const lines = readFileSync(file, 'utf8').trim().split('\n')
  const records = lines.map((line) => JSON.parse(line))
  const decisions = records.filter(({ kind }) => kind === 'decision')
  const terminals = new Map()
  for (const event of records.filter(({ kind }) => kind === 'terminal')) {
    if (terminals.has(event.call_id)) throw new Error(`${event.call_id} ends twice`)
    terminals.set(event.call_id, event)
  }
  const nodes = new Map(decisions.map((node) => [node.node_id, node]))
  return { open: records[0], records, nodes, terminals }
}

/** What was given in both runs: how the policy changed after the start. */
export function tightenings({ records }) {
  return records.flatMap(({ kind, constraints }) =>
    kind === 'policy_change' ? [JSON.stringify(constraints)] : [],
  )
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
export function unenforced(runs) {
  const records = runs.flatMap((run) => run.records)
  return [...new Set(records.flatMap(({ sandbox }) => sandbox?.unenforced ?? []))]
}
