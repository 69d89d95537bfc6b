/** `sixgate trace`: the calls of a ledger with the path of each, walked back by its links (trace.md §6). */

import { openTrace, RecordError, type Explanation, type Trace } from '../../audit/entry.js'
import { readArguments, usageFault } from '../arguments.js'
import { EXIT, type Command } from '../command.js'
import { layerLines, layerRows, type VisitedLayer } from '../layer-lines.js'
import type { Output } from '../output.js'

/** Reads only. Exit code 1 when a chain is broken or a run cannot be read; what is broken is never mended. */
export const trace: Command = {
  name: 'trace',
  usage: '[--run id] [--call id] [--json] <folder>',
  summary: 'show the recorded calls with their paths: 0 whole, 1 with gaps',
  async run(args, output) {
    const given = readArguments(args, { call: 'text', run: 'text' })
    const [folder, ...rest] = given.positionals
    if (folder === undefined || rest.length > 0) throw usageFault('give one folder of a ledger')
    const reader = await openTrace(folder)
    const run = given.text('run')
    const told = await tellRuns(reader, run === undefined ? await reader.runs() : [run])
    const runs = ofCall(told, given.text('call'))
    if (given.flag('json')) output.json({ runs: runs.map(runDocument) })
    else for (const one of runs) print(one, output)
    return runs.some(hasGap) ? EXIT.failed : EXIT.ok
  },
}

/** A call as far as its records can be followed. */
interface ToldCall {
  readonly callId: string
  readonly explanation: Explanation | null
  readonly gap: Gap | null
}

interface ToldRun {
  readonly run: string
  readonly title: string
  readonly endReason: string | null
  readonly gap: Gap | null
  readonly calls: readonly ToldCall[]
}

interface Gap {
  readonly code: string
  readonly message: string
}

async function tellRuns(reader: Trace, runs: readonly string[]): Promise<readonly ToldRun[]> {
  const told: ToldRun[] = []
  for (const run of runs) told.push(await tellRun(reader, run))
  return told
}

async function tellRun(reader: Trace, run: string): Promise<ToldRun> {
  const summary = await orGap(() => reader.run(run))
  if ('gap' in summary) {
    return { run, title: 'cannot be read', endReason: null, gap: summary.gap, calls: [] }
  }
  const { taskId, endReason, calls, isContinuous } = summary.value
  const told: ToldCall[] = []
  for (const { callId } of await reader.calls(run)) {
    const explained = await orGap(() => reader.explain(callId, run))
    told.push(
      'gap' in explained
        ? { callId, explanation: null, gap: explained.gap }
        : { callId, explanation: explained.value, gap: null },
    )
  }
  const title = `task ${taskId ?? '?'}, ${endReason ?? 'not closed'}, ${calls} calls`
  return { run, title, endReason, gap: isContinuous ? null : DISCONTINUOUS, calls: told }
}

const DISCONTINUOUS: Gap = {
  code: 'malformed_record',
  message: 'records are missing or stand twice',
}

async function orGap<T>(
  read: () => Promise<T>,
): Promise<{ readonly value: T } | { readonly gap: Gap }> {
  try {
    return { value: await read() }
  } catch (error) {
    // Reported, never filled: nothing is told of what cannot be followed.
    if (error instanceof RecordError) return { gap: { code: error.code, message: error.message } }
    throw error
  }
}

function ofCall(runs: readonly ToldRun[], callId: string | undefined): readonly ToldRun[] {
  if (callId === undefined) return runs
  const found = runs
    .map((run) => ({ ...run, calls: run.calls.filter((call) => call.callId === callId) }))
    .filter((run) => run.calls.length > 0 || run.gap !== null)
  if (found.some(({ calls }) => calls.length > 0)) return found
  throw new RecordError('unknown_call', 'no record of this call', { call_id: callId })
}

function hasGap({ gap, calls }: ToldRun): boolean {
  return gap !== null || calls.some((call) => call.gap !== null)
}

function print({ run, title, gap, calls }: ToldRun, output: Output): void {
  output.line(`run ${run}: ${title}`)
  if (gap !== null) output.line(`  gap: ${gap.message} (${gap.code})`)
  for (const call of calls) {
    output.line(
      `  call ${call.callId}: ${call.explanation === null ? 'broken' : headOf(call.explanation)}`,
    )
    if (call.gap !== null) output.line(`    gap: ${call.gap.message} (${call.gap.code})`)
    if (call.explanation === null) continue
    for (const line of layerLines(visitsOf(call.explanation))) output.line('    ', ...line)
  }
}

function headOf({ verdict, tool, decidedBy, answer, step }: Explanation): string {
  return [
    `${tool === null ? '' : `${tool} `}${verdict} by ${decidedBy.layer} \`${decidedBy.matchedRule ?? '-'}\``,
    ...(decidedBy.reason === null ? [] : [`(${decidedBy.reason})`]),
    ...(answer === null ? [] : [`${answer.kind} said ${answer.verdict}`]),
    ...(step === null ? [] : [`${step.status}${step.exit === null ? '' : `, exit ${step.exit}`}`]),
  ].join('; ')
}

function visitsOf({ path }: Explanation): readonly VisitedLayer[] {
  return path.map(({ layer, decision, matched_rule }) => ({
    layer,
    decision,
    matchedRule: matched_rule,
  }))
}

function runDocument({ run, endReason, gap, calls }: ToldRun): object {
  return {
    run,
    end_reason: endReason,
    gap,
    calls: calls.map(({ callId, explanation, gap: broken }) => ({
      call_id: callId,
      gap: broken,
      ...(explanation === null ? {} : callDocument(explanation)),
    })),
  }
}

function callDocument(explanation: Explanation): object {
  const { verdict, tool, decidedBy, answer, step, path, notReached } = explanation
  return {
    verdict,
    tool,
    decided_by: {
      layer: decidedBy.layer,
      decision: decidedBy.decision,
      matched_rule: decidedBy.matchedRule,
      reason_code: decidedBy.reason,
      policy_revision: decidedBy.policyRevision,
    },
    answer,
    step,
    layers: layerRows(visitsOf(explanation)),
    not_reached: notReached,
    chain: path,
  }
}
