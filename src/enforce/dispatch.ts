/** `dispatch` (pipeline.md §6, H-14): five steps in this order, and nothing starts before the fourth. */

import type { Admission, Denied, Result } from '../contract/outcome.js'
import type { Execute } from '../contract/tool.js'
import { AdmissionError } from '../core/errors.js'
import { unreachable } from '../core/unreachable.js'
import { redeem, rightfulCall } from './admission.js'
import { execute } from './start/execute.js'
import { intentRecord } from './start/intent.js'
import { hasDrifted } from './ask/binds.js'
import { underPolicy } from './facts.js'
import { whenIdle, type LiveCall, type LiveSession } from './live-session.js'
import { denied, unrecorded } from './messages.js'
import { settle, terminal, type Settled } from './settle.js'

/** Which code runs, and what the record says of it. */
export type Executor =
  { readonly kind: 'registered' } | { readonly kind: 'inline'; readonly run: Execute<unknown> }

/** Rejects only with `AdmissionError`. Everything else is a value, and nothing ran unless it says so. */
export async function dispatch(
  session: LiveSession,
  admission: Admission,
  executor: Executor,
): Promise<Result<unknown>> {
  const call = rightfulCall(session, admission)
  const run = executor.kind === 'inline' ? executor.run : call.prepared.registered?.tool.execute
  // A mistake of the host's wiring uses nothing up: it may hand in an executor and try again.
  if (typeof run !== 'function') {
    throw new AdmissionError('no_executor', 'the tool was registered without an executor')
  }
  redeem(session, admission)
  const entry = session.calls.get(call.trail.callId)
  if (entry !== undefined) await whenIdle(entry)
  if (call.status !== 'admitted') return standing(session, call)
  call.status = 'dispatched' // step 1: from here on the call is `starting` and never judged again
  if (session.closing.signal.aborted)
    return unrecorded(session.around.words, 'session_closed', call.trail.callId)
  const started = session.starting.enter()
  try {
    const settled = await refold(session, call) // step 2
    if (settled.status !== 'admitted') return stopBefore(session, call, settled)
    return await start(session, call, { settled, executor, run: run as Execute<unknown>, started })
  } finally {
    started()
  }
}

/** What stands for a call that a replay has denied or suspended since it was admitted. */
function standing(session: LiveSession, call: LiveCall): Result<unknown> {
  const { outcome } = call
  if (outcome !== null && outcome.status !== 'admitted') return outcome
  return unrecorded(session.around.words, 'already_dispatched', call.trail.callId)
}

type Refolded = Settled | { readonly status: 'unrecorded'; readonly refusal: Denied }

async function refold(session: LiveSession, call: LiveCall): Promise<Refolded> {
  try {
    return await settle(session, call)
  } catch {
    // What cannot be recorded does not run.
    const refusal = unrecorded(session.around.words, 'audit_unavailable', call.trail.callId)
    return { status: 'unrecorded', refusal }
  }
}

function stopBefore(
  session: LiveSession,
  call: LiveCall,
  settled: Exclude<Refolded, { readonly status: 'admitted' }>,
): Result<unknown> {
  switch (settled.status) {
    case 'unrecorded':
      return settled.refusal
    case 'denied':
      call.status = 'denied'
      call.outcome = denied(session.around.words, call.prepared, settled)
      break
    case 'suspended':
      call.status = 'suspended'
      call.outcome = settled.suspended
      break
    default:
      return unreachable(settled)
  }
  const entry = session.calls.get(call.trail.callId)
  if (entry !== undefined) entry.turn = Promise.resolve(call.outcome)
  return call.outcome
}

interface Start {
  readonly settled: Settled & { readonly status: 'admitted' }
  readonly executor: Executor
  readonly run: Execute<unknown>
  /** Says that the session's end need not wait for this start any more. */
  readonly started: () => void
}

/** Steps 3 to 5: the intent and its event in one durable write, one more look, then the tool. */
async function start(
  session: LiveSession,
  call: LiveCall,
  { settled, executor, run, started }: Start,
): Promise<Result<unknown>> {
  try {
    const intent = intentRecord(session, call, { settled, executor: executor.kind })
    session.steps += 1
    await session.recorder.write([intent, terminal(session, call, 'dispatch_started')], 'durable')
  } catch {
    // No durable record, no dispatch; the open chain is reported when the run ends.
    return unrecorded(session.around.words, 'audit_unavailable', call.trail.callId)
  }
  // INVARIANT: nothing is awaited between this look and the start; see stale-start.property.test.ts
  const hindered = hindrance(session, call, settled)
  if (hindered !== null) return execute(session, call, { settled, run, hindered })
  session.dispatched += 1
  const running = execute(session, call, { settled, run, hindered })
  started()
  return running
}

/** What moved while the record was written. */
function hindrance(
  session: LiveSession,
  call: LiveCall,
  { policy, facts }: Start['settled'],
): 'cancelled' | 'revoked' | null {
  if (session.policy.revision !== policy.revision) return 'revoked'
  const isBound = call.answer?.verdict === 'approved'
  // What PATH leads to is looked up once more.
  const { subjects } = isBound ? underPolicy(facts, policy, session.around) : facts
  if (isBound && hasDrifted(call, subjects, session.around)) return 'revoked'
  const isCancelled = call.signals.isAborted() || session.closing.signal.aborted
  return isCancelled ? 'cancelled' : null
}
