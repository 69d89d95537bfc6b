/** What every run must keep, read from its lines alone: an oracle that shares no code with the writer. */

import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import type { Store } from '../../src/contract/session.js'
import type { TraceRecord } from '../../src/trace/records.js'

/** Records of one kind. */
type Of<K extends TraceRecord['kind']> = Extract<TraceRecord, { readonly kind: K }>

/** One run as it stands in its ledger. */
export interface RunLines {
  readonly ledgerId: string
  readonly lines: readonly Uint8Array[]
  readonly records: readonly TraceRecord[]
}

/** Every run of one workspace, read through a ledger of its own. */
export async function runsOf(store: Store, workspace: string): Promise<readonly RunLines[]> {
  const ledger = await store.open(workspace)
  const runs: RunLines[] = []
  for (const run of await ledger.runs()) {
    const lines: Uint8Array[] = []
    for await (const line of ledger.read(run)) lines.push(line)
    const records = lines.map((line) => JSON.parse(textOf(line)) as TraceRecord)
    runs.push({ ledgerId: ledger.id, lines, records })
  }
  return runs
}

/** Throws what does not hold. A run may be open; one that is closed must account for everything. */
export function verifyRun(run: RunLines): void {
  checkBytes(run)
  checkEnvelopes(run)
  checkRevisions(run.records)
  checkSteps(run.records)
  for (const callId of callsOf(run.records)) checkCall(ofCall(run.records, callId))
  checkEnd(run.records)
}

function textOf(line: Uint8Array): string {
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(line)
}

/** RFC 8785 for what records hold: sorted keys, no blanks, integers. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, one]) => `${JSON.stringify(key)}:${canonical(one)}`).join(',')}}`
}

function checkBytes({ lines, records }: RunLines): void {
  for (const [index, line] of lines.entries()) {
    expect(textOf(line), `line ${index} is canonical`).toBe(canonical(records[index]))
  }
}

function checkEnvelopes({ ledgerId, lines, records }: RunLines): void {
  const run = records[0]?.run_id ?? ''
  let prev = createHash('sha256').update(`sixgate-genesis-v1\n${ledgerId}\n${run}`).digest('hex')
  for (const [index, record] of records.entries()) {
    expect(record.seq, 'seq has no gap').toBe(index)
    expect(record.run_id, 'one run').toBe(run)
    expect(record.prev, `record ${index} names the one before`).toBe(prev)
    expect(record.kind === 'run_open', 'a run opens once, first').toBe(index === 0)
    const bytes = Buffer.concat([Buffer.of(0), lines[index] ?? Buffer.alloc(0)])
    prev = createHash('sha256').update(bytes).digest('hex')
  }
}

/** A dispatch is under the revision in force where its intent stands; numbers only grow. */
function checkRevisions(records: readonly TraceRecord[]): void {
  let current = ''
  for (const record of records) {
    if (record.kind === 'run_open') current = record.policy_revision
    if (record.kind === 'policy_change') {
      expect(record.from).toBe(current)
      expect(numberOf(record.to)).toBe(numberOf(current) + 1)
      current = record.to
    }
    if (record.kind === 'intent' && hasStarted(records, record)) {
      expect(record.policy_revision, 'dispatched under the revision in force').toBe(current)
    }
  }
}

function numberOf(revision: string): number {
  return Number(revision.split(':')[0])
}

/** An intent whose step result says that nothing started is no dispatch (trace.md §7). */
function hasStarted(records: readonly TraceRecord[], intent: Of<'intent'>): boolean {
  return !records.some(
    (one) => one.kind === 'step_result' && one.call_id === intent.call_id && !one.started,
  )
}

/** Steps count without gap, and each intent stands directly before its event. */
function checkSteps(records: readonly TraceRecord[]): void {
  let step = 0
  for (const [index, record] of records.entries()) {
    const next = records[index + 1]
    if (record.kind === 'intent') {
      expect(record.step).toBe(step)
      step += 1
      expect(next).toMatchObject({
        kind: 'terminal',
        event: 'dispatch_started',
        call_id: record.call_id,
      })
    }
    if (record.kind === 'terminal' && record.event === 'dispatch_started') {
      expect(records[index - 1]).toMatchObject({ kind: 'intent', call_id: record.call_id })
    }
  }
}

function callsOf(records: readonly TraceRecord[]): readonly string[] {
  const ids = records.flatMap((one) =>
    'call_id' in one && one.call_id !== null ? one.call_id : [],
  )
  return [...new Set<string>(ids)]
}

/** A `late_result` has the form of a `step_result`. */
type Step = Of<'step_result' | 'late_result'>

interface Call {
  readonly all: readonly TraceRecord[]
  readonly nodes: readonly Of<'decision'>[]
  readonly terminals: readonly Of<'terminal'>[]
  readonly intents: readonly Of<'intent'>[]
  readonly steps: readonly Step[]
}

function ofCall(records: readonly TraceRecord[], callId: string): Call {
  const all = records.filter((one) => 'call_id' in one && one.call_id === callId)
  return {
    all,
    nodes: all.filter((one) => one.kind === 'decision'),
    terminals: all.filter((one) => one.kind === 'terminal'),
    intents: all.filter((one) => one.kind === 'intent'),
    steps: all.filter(isStep),
  }
}

function isStep(one: TraceRecord): one is Step {
  return one.kind === 'step_result' || one.kind === 'late_result'
}

function checkCall(call: Call): void {
  checkNodes(call)
  checkTerminal(call)
  checkExecution(call)
}

const ORDER = [
  'guard',
  'work_mode',
  'network',
  'user_rule',
  'tool_approval',
  'approval_response',
  'sandbox',
]

function checkNodes({ nodes }: Call): void {
  expect(new Set(nodes.map((node) => node.node_id)).size).toBe(nodes.length)
  for (const [index, node] of nodes.entries()) {
    const before = nodes[index - 1]
    expect(node.parent_id, 'the parent is the node before').toBe(before?.node_id ?? null)
    expect(before?.decision, 'nothing follows a deny').not.toBe('deny')
    const pass = before?.pass ?? -1
    const isFirst = node.pass !== pass
    expect(node.pass).toBe(isFirst ? pass + 1 : pass)
    expect(node.facts !== undefined, 'facts stand on the first node of a pass').toBe(isFirst)
    if (!isFirst && before !== undefined) {
      expect(ORDER.indexOf(node.layer), 'layers in order').toBeGreaterThan(
        ORDER.indexOf(before.layer),
      )
      expect(node.policy_revision, 'one revision a pass').toBe(before.policy_revision)
    }
  }
}

function checkTerminal({ all, nodes, terminals }: Call): void {
  expect(terminals.length, 'at most one terminal event').toBeLessThan(2)
  const [terminal] = terminals
  const head = nodes.at(-1)
  if (terminal === undefined) {
    expect(head?.decision, 'a deny is followed by its event').not.toBe('deny')
    return
  }
  expect(terminal.trace_head_id).toBe(head?.node_id)
  expect(terminal.event === 'denied').toBe(head?.decision === 'deny')
  expect(head?.decision).not.toBe('ask')
  expect(terminal.timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  const nodesAfter = all.slice(all.indexOf(terminal)).filter((one) => one.kind === 'decision')
  expect(nodesAfter, 'no node after the terminal event').toEqual([])
}

function checkExecution({ all, nodes, intents, steps, terminals }: Call): void {
  expect(intents.length).toBe(terminals.filter((one) => one.event === 'dispatch_started').length)
  expect(steps.filter((one) => one.kind === 'step_result').length).toBeLessThan(2)
  const [intent] = intents
  if (intent === undefined) {
    expect(steps, 'nothing ran without an intent').toEqual([])
    return
  }
  const admitting = nodes.find((node) => node.node_id === intent.admitting.node_id)
  expect(admitting).toMatchObject({
    decision: 'allow',
    layer: intent.admitting.layer,
    matched_rule: intent.admitting.matched_rule,
    policy_revision: intent.policy_revision,
  })
  for (const step of steps) expect(all.indexOf(step)).toBeGreaterThan(all.indexOf(intent))
  if (steps.length > 0) expect(steps[0]?.kind, 'a late result is late').toBe('step_result')
}

/** Nothing follows the end, and the end accounts for every call. */
function checkEnd(records: readonly TraceRecord[]): void {
  const ends = records.filter((one) => one.kind === 'run_end')
  expect(ends.length).toBeLessThan(2)
  const [end] = ends
  if (end === undefined) return
  expect(records.at(-1)).toBe(end)
  const calls = callsOf(records).map((id) => ({ id, ...ofCall(records, id) }))
  const intents = records.filter((one) => one.kind === 'intent')
  expect(end.counts).toMatchObject({
    denied: records.filter((one) => one.kind === 'terminal' && one.event === 'denied').length,
    dispatched: intents.filter((intent) => hasStarted(records, intent)).length,
    steps: intents.length,
    records: records.length,
  })
  const open = calls.filter(({ nodes, terminals }) => nodes.length > 0 && terminals.length === 0)
  expect(sorted(end.undispatched)).toEqual(sorted(open.map(({ id }) => id)))
  const unresolved = calls.filter(({ intents: own, steps }) => own.length > 0 && steps.length === 0)
  for (const { id } of unresolved) expect(end.in_doubt, 'a start without an end').toContain(id)
}

function sorted(ids: readonly string[]): readonly string[] {
  return [...ids].sort()
}
