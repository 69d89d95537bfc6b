/** Opening a root session: its run, its first record and its first snapshot, durable before it is used. */

import { contentOf } from '../../trace/content.js'
import { canonicalDigest } from '../../encoding/canonical.js'
import { recorder } from '../../trace/recorder.js'
import type { RunOpenRecord } from '../../trace/records.js'
import type { EffectivePolicy } from '../../policy/effective-policy.js'
import { hooksInForce } from '../guards/hook-records.js'
import type { LiveSession, SessionHome } from '../live-session.js'
import { draftSnapshot } from './keep.js'
import { newSession } from './new-session.js'

/** What a new root session starts with. */
export interface Opening {
  /** Absent: the run's own id. */
  readonly taskId: string | undefined
  readonly cwd: string
  readonly policy: EffectivePolicy
}

/** Rejects with `RecordError`: then nothing was opened. */
export async function openRoot(home: SessionHome, opening: Opening): Promise<LiveSession> {
  const { around, store } = home
  const runId = around.ids.run()
  const log = await store.createRun(runId)
  const session = newSession({
    id: around.ids.session(),
    kind: 'root',
    home,
    parent: null,
    spawnsLeft: opening.policy.axes.delegation.spawnDepth,
    givenDigest: canonicalDigest(opening.policy.axes),
    createdAt: new Date(around.clock.wallMs()).toISOString(),
    recorder: recorder({ runId, ledgerId: store.id }, { log, clock: around.clock }),
    taskId: opening.taskId ?? runId,
    cwd: opening.cwd,
    policy: opening.policy,
  })
  await begin(session)
  around.events.emit('session', { session: session.id, state: 'start' })
  return session
}

async function begin(session: LiveSession): Promise<void> {
  const { snapshots } = session.home.store
  const draft = draftSnapshot(session)
  try {
    await snapshots.put(session.id, draft.version, draft.bytes)
    // In one step, so that every later change of the hooks is in the run.
    session.home.sessions.add(session)
    const records = [runOpen(session), draft.record, ...hooksInForce(session.around)]
    await session.recorder.write(records, 'durable')
  } catch (cause) {
    // Nobody will ever write this run, nor resume from a snapshot that it does not know.
    session.home.sessions.delete(session)
    await Promise.allSettled([session.recorder.close(), snapshots.remove(session.id)])
    throw cause
  }
}

function runOpen(session: LiveSession): RunOpenRecord {
  const { store, enforcement } = session.home
  return {
    kind: 'run_open',
    ledger_id: store.id,
    task_id: session.taskId,
    session: session.id,
    agent: 'root',
    principal: session.around.principal,
    parent: null,
    delegation: null,
    history: null,
    policy_revision: session.policy.revision,
    policy: contentOf(session.policy.axes),
    retention: 'record',
    durability: store.durable ? 'barrier' : 'memory',
    ...(enforcement === 'shadow' ? { enforcement } : {}),
  }
}
