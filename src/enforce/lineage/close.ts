/** Closing a session (pipeline.md §6): its children first, then its questions, what runs, and the end of the run. */

import type { CallId } from '../../core/ids.js'
import type { RunEndReason, RunEndRecord } from '../../trace/records.js'
import { rejudge } from '../evaluate.js'
import { descendantsOf } from './descendants.js'
import type { LiveSession } from '../live-session.js'
import { endAll } from '../running.js'

/** How long running calls get to end, in milliseconds. */
const GRACE = 5_000

/** Refuses new calls at once; rejects with `RecordError` when the end cannot be recorded. */
export async function closeSession(session: LiveSession, reason: RunEndReason): Promise<void> {
  if (session.closing.signal.aborted) return
  session.closing.abort()
  const below = descendantsOf(session)
  await Promise.all(below.map((child) => closeSession(child, 'parent_closed')))
  await settleSuspended(session)
  await endAll(session, GRACE)
  await session.saving.catch(() => undefined) // who asked for that save has heard of its failure
  const inDoubt: CallId[] = [...session.running].map((one) => one.call.trail.callId)
  await session.recorder.write([runEnd(session, reason, inDoubt)], 'durable')
  await session.recorder.close()
  session.home.sessions.delete(session)
  await leaveParent(session, reason)
  session.around.events.emit('session', { session: session.id, state: 'end' })
}

/** A question that still waits is answered by the end of the session: cancelled. */
async function settleSuspended(session: LiveSession): Promise<void> {
  for (const entry of session.calls.values()) {
    await entry.turn
    if (entry.call?.pending == null) continue
    entry.call.pending = null
    entry.call.answer = { verdict: 'refused', end: 'cancelled' }
    await rejudge(session, entry, entry.call)
  }
}

async function leaveParent(session: LiveSession, reason: RunEndReason): Promise<void> {
  const { parent } = session
  if (parent === null) return
  const record = { kind: 'delegation_end', child_run: session.runId, reason } as const
  try {
    await parent.recorder.write([record], 'written')
  } catch {
    // The parent's own run cannot be written: it dispatches nothing any more, and the child has ended.
  }
}

function runEnd(
  session: LiveSession,
  reason: RunEndReason,
  inDoubt: readonly CallId[],
): RunEndRecord {
  return {
    kind: 'run_end',
    reason,
    counts: {
      calls: session.calls.size,
      denied: session.denied,
      dispatched: session.dispatched,
      steps: session.steps,
      records: session.recorder.size() + 1,
    },
    undispatched: session.recorder.openCalls(),
    in_doubt: inDoubt,
  }
}
