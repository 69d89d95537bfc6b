/** Opening a root session: its run, its first record and its first snapshot, durable before it is used. */

import { contentOf } from '../../trace/content.js'
import { canonicalDigest } from '../../encoding/canonical.js'
import { deriveKey } from '../../encoding/digest.js'
import { recorder } from '../../trace/recorder.js'
import type { RunOpenRecord } from '../../trace/records.js'
import type { EffectivePolicy } from '../../policy/effective-policy.js'
import type { LiveSession, SessionHome } from '../live-session.js'
import { draftSnapshot } from './keep.js'

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
  const id = around.ids.session()
  const log = await store.createRun(runId)
  const session: LiveSession = {
    id,
    kind: 'root',
    home,
    parent: null,
    spawnCallId: null,
    spawnsLeft: opening.policy.axes.delegation.spawnDepth,
    history: undefined,
    givenDigest: canonicalDigest(opening.policy.axes),
    createdAt: new Date(around.clock.wallMs()).toISOString(),
    coldParent: null,
    coldAncestors: [],
    snapshotVersion: 0,
    saving: Promise.resolve(),
    runId,
    taskId: opening.taskId ?? runId,
    cwd: opening.cwd,
    around,
    recorder: recorder({ runId, ledgerId: store.id }, { log, clock: around.clock }),
    ticketKey: deriveKey(store.secret, `ticket:${id}`),
    calls: new Map(),
    running: new Set(),
    closing: new AbortController(),
    policy: opening.policy,
    steps: 0,
    denied: 0,
    dispatched: 0,
  }
  const draft = draftSnapshot(session)
  await store.snapshots.put(id, draft.version, draft.bytes)
  await session.recorder.write([runOpen(session), draft.record], 'durable')
  home.sessions.add(session)
  around.events.emit('session', { session: id, state: 'start' })
  return session
}

function runOpen(session: LiveSession): RunOpenRecord {
  const { store } = session.home
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
  }
}
