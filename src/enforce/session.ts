/** The session that a host holds (api.md): a frozen face of what `LiveSession` keeps. */

import type { Result } from '../contract/outcome.js'
import type { CallRequest, CloseReason, Session } from '../contract/session.js'
import { AdmissionError } from '../core/errors.js'
import { canonicalDigest } from '../encoding/canonical.js'
import { contentOf } from '../trace/content.js'
import { walkBack } from '../trace/chain.js'
import type { Ledger } from '../trace/ledger.js'
import { recorder } from '../trace/recorder.js'
import type { RunEndRecord, RunOpenRecord } from '../trace/records.js'
import type { EffectivePolicy } from '../policy/effective-policy.js'
import { check } from './check.js'
import { dispatch } from './dispatch.js'
import { evaluate, rejudge } from './evaluate.js'
import { whenIdle, type CallEntry, type LiveSession } from './live-session.js'
import { unrecorded } from './messages.js'
import { endAll } from './running.js'
import { starting } from './start/starting.js'
import type { Surroundings } from './surroundings.js'
import { visibleTools } from './visible-tools.js'

/** What a new root session starts with. */
export interface Opening {
  readonly taskId: string
  readonly cwd: string
  readonly policy: EffectivePolicy
  readonly ticketKey: Uint8Array
  readonly around: Surroundings
}

/** Creates the run and writes its first record durably; rejects with `RecordError`. */
export async function openSession(opening: Opening, ledger: Ledger): Promise<LiveSession> {
  const { around, policy, taskId, cwd, ticketKey } = opening
  const runId = around.ids.run()
  const log = await ledger.createRun(runId)
  const session: LiveSession = {
    id: around.ids.session(),
    runId,
    taskId,
    cwd,
    around,
    recorder: recorder({ runId, ledgerId: ledger.id }, log, around.clock),
    ticketKey,
    calls: new Map(),
    starting: starting(),
    running: new Set(),
    unsettled: new Set(),
    closing: new AbortController(),
    policy,
    steps: 0,
    denied: 0,
    dispatched: 0,
  }
  try {
    await session.recorder.write([runOpen(session, ledger)], 'durable')
  } catch (cause) {
    await log.close() // nobody will ever write this run
    throw cause
  }
  around.events.emit('session', { session: session.id, state: 'start' })
  return session
}

function runOpen(session: LiveSession, ledger: Ledger): RunOpenRecord {
  return {
    kind: 'run_open',
    ledger_id: ledger.id,
    task_id: session.taskId,
    session: session.id,
    agent: 'root',
    principal: session.id,
    parent: null,
    delegation: null,
    policy_revision: session.policy.revision,
    policy: contentOf(session.policy.axes),
    retention: 'record',
    durability: ledger.durable ? 'barrier' : 'memory',
  }
}

/** The public face; `close` is shared with the object that made the session. */
export function faceOf(
  live: LiveSession,
  ledger: Ledger,
  close: (reason?: CloseReason) => Promise<void>,
): Session {
  return Object.freeze<Session>({
    id: live.id,
    get revision() {
      return live.policy.revision
    },
    check: (call) => check(live, call),
    evaluate: (call) => evaluate(live, call),
    dispatch: async <R>(admission: Parameters<Session['dispatch']>[0]) =>
      (await dispatch(live, admission, { kind: 'registered' })) as Result<R>,
    dispatchInline: async (admission, run) =>
      (await dispatch(live, admission, { kind: 'inline', run })) as never,
    run: async <R>(call: Parameters<Session['run']>[0]) => (await run(live, call)) as Result<R>,
    visibleTools: () => visibleTools(live.around.tools.all(), live.policy),
    chain: (callId) => walkBack(ledger.read(live.runId), callId),
    close,
    [Symbol.asyncDispose]: () => close(),
  })
}

/** Evaluates and dispatches; never rejects. */
async function run(live: LiveSession, call: CallRequest): Promise<Result<unknown>> {
  const outcome = await evaluate(live, call)
  if (outcome.status !== 'admitted') return outcome
  const { callId, admission } = outcome
  try {
    return await dispatch(live, admission, { kind: 'registered' })
  } catch (error) {
    // Nothing was started here: another run of the same call was first, or there is nothing to start.
    if (error instanceof AdmissionError && error.code === 'already_used') {
      return unrecorded('already_dispatched', callId)
    }
    return { status: 'error', callId, error, message: 'The tool cannot be started.' }
  }
}

/** How long calls get to end, in milliseconds. */
const GRACE = 5_000

/**
 * Refuses new calls, cancels questions, aborts what runs, and writes the end of the run, once. Rejects
 * with `RecordError` when the end cannot be written; the run is given up all the same.
 */
export async function closeSession(live: LiveSession, reason: CloseReason): Promise<void> {
  if (live.closing.signal.aborted) return
  live.closing.abort()
  await atMost(GRACE, live, quiet(live))
  try {
    await live.recorder.write([runEnd(live, reason)], 'durable')
  } finally {
    await live.recorder.close()
  }
  live.around.events.emit('session', { session: live.id, state: 'end' })
}

/** Nothing is asked, judged, starting or running any more. */
async function quiet(live: LiveSession): Promise<void> {
  const ended = endAll(live)
  await Promise.all([...live.calls.values()].map((entry) => settleSuspended(live, entry)))
  await live.starting.over()
  await ended
}

/** A question that still waits is answered by the end of the session: cancelled. */
async function settleSuspended(live: LiveSession, entry: CallEntry): Promise<void> {
  await whenIdle(entry)
  const { call } = entry
  if (call === null || call.pending === null) return
  call.pending = null
  call.answer = { verdict: 'refused', end: 'cancelled' }
  await rejudge(live, entry, call)
}

function atMost(ms: number, live: LiveSession, work: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    const stop = live.around.clock.after(ms, resolve)
    const finish = (): void => {
      stop()
      resolve()
    }
    // Whatever went wrong on the way, the end is written and lists what is open.
    work.then(finish, finish)
  })
}

function runEnd(live: LiveSession, reason: CloseReason): RunEndRecord {
  return {
    kind: 'run_end',
    reason,
    counts: {
      calls: live.calls.size,
      denied: live.denied,
      dispatched: live.dispatched,
      steps: live.steps,
      records: live.recorder.size() + 1,
    },
    undispatched: live.recorder.openCalls(),
    in_doubt: [...live.unsettled].map((one) => one.call.trail.callId),
  }
}

/** Identity of a workspace in the control directory: a digest, so that no path is a folder name. */
export function workspaceId(workspace: string): string {
  return canonicalDigest(workspace).slice(0, 32)
}
