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
  const began = session.around.clock.monotonicUs()
  const commands: ExecResult[] = []
  const end = await runToEnd(session, call, execution, (result) => commands.push(result))
  const duration = session.around.clock.monotonicUs() - began
  await note(session, {
    ...stepResult(call, { ...end, started: true }),
    ...facts(commands),
    duration_us: duration,
  })
  const result: Result<unknown> =
    end.status === 'ok'
      ? { status: 'ok', callId, value: end.value }
      : end.status === 'error'
        ? { status: 'error', callId, error: end.error, message: 'The tool failed.' }
        : stopped(session, call, end.status, true)
  session.around.events.emit('result', { callId, result })
  return result
}

/** Races the executor against everything that may stop it; the first to come counts. */
function runToEnd(
  session: LiveSession,
  call: LiveCall,
  { settled, run }: Execution,
  ran: (result: ExecResult) => void,
): Promise<End> {
  const life = new AbortController()
  const { signal } = call.prepared.submission
  return new Promise<End>((resolve) => {
    let finishRun: () => void = () => undefined
    const done = new Promise<void>((settledRun) => {
      finishRun = settledRun
    })
    const end = (status: Stopped): void => close({ status })
    const cancel = (): void => end('cancelled')
    const { facts, policy } = settled
    const startedUs = session.around.clock.monotonicUs()
    const running: RunningCall = { call, facts, policy, startedUs, end, done }
    const close = (how: End): void => {
      if (life.signal.aborted) return
      life.abort() // every handle of the context dies here
      session.running.delete(running)
      signal?.removeEventListener('abort', cancel)
      resolve(how)
    }
    session.running.add(running)
    signal?.addEventListener('abort', cancel)
    const context = toolContext(
      {
        prepared: call.prepared,
        subjects: settled.facts.subjects,
        profile: sandboxProfile(settled.policy, session.around),
        unconfined: settled.verdict.unconfined,
        session: session.home.nested(session, call.trail.callId, () => !life.signal.aborted),
        isHidden: hiddenBelow(call.prepared.call.tool, settled.policy, session.around),
        signal: life.signal,
        isAlive: () => !life.signal.aborted,
        ran,
      },
      session.around,
    )
    const ended = settleRun(run, call, context)
    session.around.events.emit('dispatch', { callId: call.trail.callId })
    void ended.then((how) => {
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
  if (!started) session.around.events.emit('result', { callId, result })
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

/** What the last command of the call adds: how it exited, and whether its time ran out. */
function facts(commands: readonly ExecResult[]): Partial<StepResultRecord> {
  const last = commands.at(-1)
  if (last === undefined) return {}
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
