/** The start of a tool and its end (pipeline.md §6 step 5): whatever happens becomes one step result. */

import type { Result } from '../../contract/outcome.js'
import type { Execute } from '../../contract/tool.js'
import type { LiveCall, LiveSession, Stopped } from '../live-session.js'
import type { Settled } from '../settle.js'
import { startRun } from './run.js'
import { note, stepResult } from './step.js'

/** What `dispatch` hands over. */
export interface Execution {
  readonly settled: Settled & { readonly status: 'admitted' }
  readonly run: Execute<unknown>
  /** What moved while the intent was written: then nothing starts. */
  readonly hindered: 'cancelled' | 'revoked' | null
}

/** Starts the tool without yielding first, unless something hinders it. Never rejects. */
export async function execute(
  session: LiveSession,
  call: LiveCall,
  execution: Execution,
): Promise<Result<unknown>> {
  const { callId } = call.trail
  const { words } = session.around
  if (execution.hindered !== null) {
    const record = stepResult(call, { status: execution.hindered, started: false })
    await note(session, record)
    return stopped(session, call, { status: execution.hindered, started: false })
  }
  const end = await startRun(session, call, execution)
  const result: Result<unknown> =
    end.status === 'ok'
      ? { status: 'ok', callId, value: end.value }
      : end.status === 'error'
        ? { status: 'error', callId, error: end.error, message: words.failed }
        : stopped(session, call, { status: end.status, started: true })
  session.around.events.emit('result', { callId, result: Object.freeze(result) })
  return result
}

function stopped(
  session: LiveSession,
  call: LiveCall,
  { status, started }: { readonly status: Stopped; readonly started: boolean },
): Result<unknown> {
  const { callId } = call.trail
  const effects = started ? 'unknown' : 'none'
  const { words } = session.around
  const message = `${words.stopped[status]}${started ? words.discarded : words.notStarted}`
  const result = { status, callId, started, effects, message } as const
  if (!started) session.around.events.emit('result', { callId, result: Object.freeze(result) })
  return result
}
