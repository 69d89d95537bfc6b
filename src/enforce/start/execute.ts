/** The start of a tool and its end (pipeline.md §6 step 5): whatever happens becomes one step result. */

import type { Result } from '../../contract/outcome.js'
import type { ExecResult } from '../../contract/sandbox.js'
import type { Execute } from '../../contract/tool.js'
import { copyJson } from '../../encoding/plain-json.js'
import { contentOf } from '../../trace/content.js'
import type { StepResultRecord } from '../../trace/records.js'
import { toolContext } from '../call/context.js'
import type { LiveCall, LiveSession, RunningCall } from '../live-session.js'
import { hiddenBelow } from './hidden.js'
import { sandboxProfile } from './profile.js'
import type { Settled } from '../settle.js'

/** What `dispatch` hands over. */
export interface Execution {
  readonly settled: Settled & { readonly status: 'admitted' }
  readonly run: Execute<unknown>
  /** What moved while the intent was written: then nothing starts. */
  readonly hindered: 'cancelled' | 'revoked' | null
}

type Stopped = 'cancelled' | 'revoked'
type End =
  | { readonly status: 'ok'; readonly value: unknown }
  | { readonly status: 'error'; readonly error: unknown }
  | { readonly status: Stopped }

/** Starts the tool without yielding first, unless something hinders it. Never rejects. */
export async function execute(
  session: LiveSession,
  call: LiveCall,
  execution: Execution,
): Promise<Result<unknown>> {
  const { callId } = call.trail
  if (execution.hindered !== null) {
    const record = stepResult(call, { status: execution.hindered, started: false })
    await note(session, record)
    return stopped(session, call, execution.hindered, false)
  }
  const end = await runToEnd(session, call, execution)
  const result: Result<unknown> =
    end.status === 'ok'
      ? { status: 'ok', callId, value: end.value }
      : end.status === 'error'
        ? { status: 'error', callId, error: end.error, message: 'The tool failed.' }
        : stopped(session, call, end.status, true)
  session.around.events.emit('result', { callId, result: Object.freeze(result) })
  return result
}

/** Races the executor against everything that may stop it; the first to come counts and is recorded. */
function runToEnd(session: LiveSession, call: LiveCall, { settled, run }: Execution): Promise<End> {
  const life = new AbortController()
  const commands: ExecResult[] = []
  const began = session.around.clock.monotonicUs()
  return new Promise<End>((resolve) => {
    let finishRun: () => void = () => undefined
    const done = new Promise<void>((settledRun) => {
      finishRun = settledRun
    })
    const end = (status: Stopped): void => close({ status })
    const cancel = (): void => end('cancelled')
    const running: RunningCall = { call, facts: settled.facts, end, done }
    const close = (how: End): void => {
      if (life.signal.aborted) return
      life.abort() // every handle of the context dies here
      session.running.delete(running)
      stopListening()
      // Sealed at once, so that nothing of this call, a late result least of all, comes before it.
      const duration_us = session.around.clock.monotonicUs() - began
      const step = { ...stepResult(call, { ...how, started: true }), ...facts(how, commands) }
      resolve(note(session, { ...step, duration_us }).then(() => how))
    }
    session.running.add(running)
    session.unsettled.add(running)
    const stopListening = call.signals.onAbort(cancel)
    const context = toolContext(
      {
        prepared: call.prepared,
        subjects: settled.facts.subjects,
        profile: sandboxProfile(settled.policy, session.around),
        unconfined: settled.verdict.unconfined,
        isHidden: hiddenBelow(call.prepared.call.tool, settled.policy, session.around),
        signal: life.signal,
        isAlive: () => !life.signal.aborted,
        ran: (result) => commands.push(result),
      },
      session.around,
    )
    const ended = settleRun(run, call, context)
    session.around.events.emit('dispatch', { callId: call.trail.callId })
    void ended.then((how) => {
      session.unsettled.delete(running)
      finishRun()
      if (life.signal.aborted) void note(session, lateResult(call, how))
      else close(how)
    })
  })
}

async function settleRun(
  run: Execute<unknown>,
  call: LiveCall,
  context: Parameters<Execute<unknown>>[1],
): Promise<End> {
  try {
    return { status: 'ok', value: await run(call.prepared.args, context) }
  } catch (error) {
    // The tool's own fault: it ran, and its caller gets what it threw.
    return { status: 'error', error }
  }
}

function stopped(
  session: LiveSession,
  call: LiveCall,
  status: Stopped,
  started: boolean,
): Result<unknown> {
  const { callId } = call.trail
  const effects = started ? 'unknown' : 'none'
  const what =
    status === 'revoked' ? 'The policy no longer allows this call' : 'The call was cancelled'
  const message = `${what}; ${started ? 'its result is discarded' : 'it did not start'}.`
  const result = { status, callId, started, effects, message } as const
  if (!started) session.around.events.emit('result', { callId, result: Object.freeze(result) })
  return result
}

function stepResult(
  call: LiveCall,
  end: (End | { readonly status: Stopped }) & { readonly started: boolean },
): StepResultRecord {
  return {
    kind: 'step_result',
    call_id: call.trail.callId,
    status: end.status,
    started: end.started,
    result: end.status === 'ok' ? resultRef(end.value) : null,
    exit: null,
    duration_us: 0,
    effects: effectsOf(end),
  }
}

function effectsOf({
  status,
  started,
}: {
  readonly status: End['status']
  readonly started: boolean
}): StepResultRecord['effects'] {
  if (status === 'ok' || status === 'error') return null
  return started ? 'unknown' : 'none'
}

/** A result that is no plain JSON has no digest; the step is recorded all the same. */
function resultRef(value: unknown): StepResultRecord['result'] {
  const copy = copyJson(value ?? null)
  return copy.ok ? contentOf(copy.value) : null
}

/** What the last command of a call that ended by itself adds: how it exited, and whether its time ran out. */
function facts({ status }: End, commands: readonly ExecResult[]): Partial<StepResultRecord> {
  const last = commands.at(-1)
  if (last === undefined || (status !== 'ok' && status !== 'error')) return {}
  return { exit: last.exitCode, ...(last.killedBy === 'timeout' ? { status: 'timeout' } : {}) }
}

/** An end that came after the call was stopped: kept, and given to nobody. */
function lateResult(call: LiveCall, end: End): StepResultRecord {
  return { ...stepResult(call, { ...end, started: true }), kind: 'late_result' }
}

/** The tool has run already: a record that fails now poisons the writer, which stops the next call. */
async function note(session: LiveSession, record: StepResultRecord): Promise<void> {
  try {
    await session.recorder.write([record], 'written')
  } catch {
    // Nothing more is dispatched in this session; recovery reports this call as in doubt.
  }
}
