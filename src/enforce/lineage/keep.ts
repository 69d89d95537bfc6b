/** Keeping a session (delegation.md §4): its snapshot is stored before the run says which version counts. */

import type { Snapshot } from '../../delegation/snapshot.js'
import { sealSnapshot } from '../../delegation/snapshot.js'
import { sha256 } from '../../encoding/digest.js'
import type { SnapshotRecord } from '../../trace/records.js'
import type { LiveSession } from '../live-session.js'

/** A version that is ready to be stored. */
export interface Draft {
  readonly version: number
  readonly bytes: Uint8Array
  readonly record: SnapshotRecord
}

/** The session as it is at this moment; takes the next version. */
export function draftSnapshot(session: LiveSession): Draft {
  session.snapshotVersion += 1
  const version = session.snapshotVersion
  const bytes = sealSnapshot(snapshotOf(session, version), session.home.store.secret)
  const record: SnapshotRecord = {
    kind: 'snapshot',
    session: session.id,
    version,
    digest: sha256(bytes),
  }
  return { version, bytes, record }
}

/**
 * Stores the present state after what is being stored already. Rejects when it cannot: a resumed
 * session is then its last kept version, met with the tightenings that its runs hold.
 */
export function saveSnapshot(session: LiveSession): Promise<void> {
  const draft = draftSnapshot(session)
  const saved = session.saving.catch(() => undefined).then(() => store(session, draft))
  session.saving = saved
  saved.catch(() => undefined) // whoever asked for the save hears of it; nobody else has to
  return saved
}

async function store(session: LiveSession, draft: Draft): Promise<void> {
  const { snapshots } = session.home.store
  await snapshots.put(session.id, draft.version, draft.bytes)
  await session.recorder.write([draft.record], 'durable')
  // Versions below the one that the run names count for nothing: one that stays is no failure.
  await snapshots.prune(session.id, draft.version).catch(() => undefined)
}

function snapshotOf(session: LiveSession, version: number): Snapshot {
  const { policy, parent, home } = session
  return {
    schema_version: 1,
    session_id: session.id,
    run_id: session.runId,
    parent_session_id: parent?.id ?? session.coldParent?.parent_session_id ?? null,
    spawn_call_id: session.spawnCallId,
    kind: session.kind,
    principal: principalOf(session),
    workspace: home.around.roots.workspace,
    platform: home.around.roots.platform,
    task_id: session.taskId,
    cwd: session.cwd,
    spawns_left: session.spawnsLeft,
    policy: policy.axes,
    policy_revision: policy.revision,
    parent_policy_revision:
      parent?.policy.revision ?? session.coldParent?.parent_policy_revision ?? null,
    given_digest: session.givenDigest,
    ancestors: [...liveAncestors(session), ...currentMarks(oldest(session))],
    version,
    created_at: session.createdAt,
    updated_at: new Date(home.around.clock.wallMs()).toISOString(),
  }
}

/** Who the host runs as: a snapshot of another user is not this one's. */
function principalOf(session: LiveSession): string {
  return session.home.around.principal
}

function liveAncestors(session: LiveSession): Snapshot['ancestors'] {
  const marks: Snapshot['ancestors'][number][] = []
  for (let at = session.parent; at !== null; at = at.parent) {
    marks.push({ run_id: at.runId, size: at.recorder.size() })
  }
  return marks
}

function oldest(session: LiveSession): LiveSession {
  return session.parent === null ? session : oldest(session.parent)
}

/** A session that is open here reflects every tightening of an ancestor that is open here. */
function currentMarks(session: LiveSession): Snapshot['ancestors'] {
  const open = new Map([...session.home.sessions].map((one) => [one.runId, one]))
  return session.coldAncestors.map((mark) => ({
    run_id: mark.run_id,
    size: Math.max(mark.size, open.get(mark.run_id)?.recorder.size() ?? 0),
  }))
}
