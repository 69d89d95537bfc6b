/** The reader of a ledger (trace.md §6): what was decided, by whom, and in which order. It cannot act. */

import { RecordError } from '../core/errors.js'
import type { RunId } from '../core/ids.js'
import type { Ledger } from '../trace/ledger.js'
import type { DecisionNode } from '../trace/records.js'
import { chainOf } from './chain-of.js'
import { explain, verdictOf, type Explanation, type TraceVerdict } from './explain.js'
import { readRun, type CallView, type RunView } from './run-view.js'
import { timeline, type TimelineEntry } from './timeline.js'

/** One run at a glance. */
export interface RunSummary {
  readonly run: RunId
  readonly session: string | null
  readonly taskId: string | null
  /** `null` while the run is open, or when its writer never closed it. */
  readonly endReason: string | null
  readonly calls: number
  /** False when records are missing or stand twice. */
  readonly isContinuous: boolean
}

/** One call at a glance; nothing of its chain was checked. */
export interface CallSummary {
  readonly callId: string
  readonly verdict: TraceVerdict
  readonly tool: string | null
}

/** Reads anew with each question, so that a run that is still written shows what it has by then. */
export interface Trace {
  /** Ids of all runs, oldest first. */
  readonly runs: () => Promise<readonly RunId[]>
  readonly run: (run: string) => Promise<RunSummary>
  readonly calls: (run: string) => Promise<readonly CallSummary[]>
  /**
   * From the terminal event back to the root. Rejects with `RecordError` for every break, and with
   * `unknown_call` for a call id that no run or, without `run`, more than one run has.
   */
  readonly chain: (callId: string, run?: string) => Promise<readonly DecisionNode[]>
  readonly explain: (callId: string, run?: string) => Promise<Explanation>
  readonly timeline: (run: string) => Promise<readonly TimelineEntry[]>
}

/** Over the reading half of any ledger. */
export function traceOf(ledger: Pick<Ledger, 'read' | 'runs'>): Trace {
  // The ledger checks the id before it touches a path.
  const view = (run: string): Promise<RunView> => readRun(run as RunId, ledger.read(run as RunId))
  const holding = async (callId: string, run?: string): Promise<RunView> =>
    run === undefined ? only(callId, await ledger.runs(), view) : view(run)
  return Object.freeze<Trace>({
    runs: () => ledger.runs(),
    run: async (run) => summaryOf(await view(run)),
    calls: async (run) => [...(await view(run)).calls.values()].map(callSummary),
    chain: async (callId, run) => chainOf(await holding(callId, run), callId),
    explain: async (callId, run) => explain(await holding(callId, run), callId),
    timeline: async (run) => timeline(await view(run)),
  })
}

function callSummary(call: CallView): CallSummary {
  const { callId, intents } = call
  return { callId, verdict: verdictOf(call), tool: intents[0]?.tool.name ?? null }
}

function summaryOf({ run, open, end, calls, isContinuous }: RunView): RunSummary {
  return {
    run,
    session: open?.session ?? null,
    taskId: open?.task_id ?? null,
    endReason: end?.reason ?? null,
    calls: calls.size,
    isContinuous,
  }
}

/** Call ids are unique within a run only; a run that cannot be read might hold the call as well. */
async function only(
  callId: string,
  runs: readonly RunId[],
  view: (run: RunId) => Promise<RunView>,
): Promise<RunView> {
  const found: RunView[] = []
  for (const run of runs) {
    const one = await view(run)
    if (one.calls.has(callId)) found.push(one)
  }
  const [first, second] = found
  if (first !== undefined && second === undefined) return first
  throw new RecordError(
    'unknown_call',
    first === undefined
      ? 'no record of this call'
      : 'several runs have a call of this id: name one',
    { call_id: callId, runs: found.map(({ run }) => run) },
  )
}
