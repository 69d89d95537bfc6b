/** Closing a session (pipeline.md §6): its children first, then its questions, what runs, and the end of the run. */

import type { RunEndReason, RunEndRecord } from '../../trace/records.js'
import { cancelQuestion } from './cancel-question.js'
import { descendantsOf } from './descendants.js'
import type { LiveSession } from '../live-session.js'
import { endAll } from '../running.js'

/** How long calls get to end, in milliseconds. */
const GRACE = 5_000

/**
 * Refuses new calls, cancels questions, aborts what runs, and writes the end of the run, once. Rejects
 * with `RecordError` when the end cannot be written; the run is given up all the same.
 */
export async function closeSession(session: LiveSession, reason: RunEndReason): Promise<void> {
  if (session.closing.signal.aborted) return
  session.closing.abort()
  const below = descendantsOf(session).map((child) => closeSession(child, 'parent_closed'))
  await Promise.allSettled(below) // a child that cannot be ended keeps its parent not open
  await atMost(GRACE, session, quiet(session))
  await session.saving.catch(() => undefined) // who asked for that save has heard of its failure
  try {
    await session.recorder.write([runEnd(session, reason)], 'durable')
  } finally {
    session.home.sessions.delete(session)
    await session.recorder.close()
  }
  session.around.sandbox.end(session.id)
  await leaveParent(session, reason)
  session.around.events.emit('session', { session: session.id, state: 'end' })
}

/** Nothing is asked, judged, starting or running any more. */
async function quiet(session: LiveSession): Promise<void> {
  const ended = endAll(session)
  await Promise.all([...session.calls.values()].map((entry) => cancelQuestion(session, entry)))
  await session.starting.over()
  await ended
}

function atMost(ms: number, session: LiveSession, work: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    const stop = session.around.clock.after(ms, resolve)
    const finish = (): void => {
      stop()
      resolve()
    }
    // Whatever went wrong on the way, the end is written and lists what is open.
    work.then(finish, finish)
  })
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

function runEnd(session: LiveSession, reason: RunEndReason): RunEndRecord {
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
    in_doubt: [...session.unsettled].map((one) => one.call.trail.callId),
  }
}
