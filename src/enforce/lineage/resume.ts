/** Cold resume (delegation.md §4, H-16): the stored snapshot, met with every tightening since; never recomputed. */

import { SnapshotError } from '../../core/errors.js'
import type { CallId, RunId, SessionId } from '../../core/ids.js'
import { openSnapshot, type AncestorMark, type Snapshot } from '../../delegation/snapshot.js'
import { tightenedBelow } from '../../delegation/tighten.js'
import { canonicalDigest } from '../../encoding/canonical.js'
import { sha256 } from '../../encoding/digest.js'
import { axes as table, AXIS_NAMES } from '../../policy/axes.js'
import type { AxisName } from '../../policy/axis.js'
import type { PolicyAxes } from '../../policy/effective-policy.js'
import { readRun, type ReadRun } from '../../trace/read-run.js'
import type { RunLog } from '../../trace/ledger.js'
import { recorder } from '../../trace/recorder.js'
import type {
  PolicyChangeRecord,
  RecordBody,
  RecoveryRecord,
  SnapshotRecord,
} from '../../trace/records.js'
import { hooksInForce } from '../guards/hook-records.js'
import type { LiveSession, SessionHome, Tightening } from '../live-session.js'
import { saveSnapshot } from './keep.js'
import { newSession } from './new-session.js'
import { restoredCalls, restoredGrants } from './restore.js'
import { changeSince, policyAfter } from './resumed-revision.js'

/** What the host gave to `createSixgate`, and what it wants when that differs from the snapshot. */
export interface Given {
  readonly axes: PolicyAxes
  readonly choice: 'snapshot' | 'meet' | undefined
}

/** Rejects with `SnapshotError`: then the session stays closed and every call of it is denied. */
export async function resumeSession(
  home: SessionHome,
  id: SessionId,
  given: Given,
): Promise<LiveSession> {
  if (!home.store.durable) {
    throw new SnapshotError('not_durable', 'without a durable ledger nothing can be resumed')
  }
  const { snapshot, run, newest } = await lastSnapshot(home, id)
  checkPlace(snapshot, home)
  if (run.isEnded) throw new SnapshotError('run_ended', 'the session was closed')
  const met = await withTightenings(home, snapshot, run)
  const axes = withGiven(met.axes, snapshot, given)
  const { log, torn } = await reopened(home, snapshot.run_id)
  const session = await orGiveUp(log, () => {
    // No wait between the last look at this process' tightenings and the place among its sessions.
    const current = withRecent(home, axes, met.ancestors)
    const live = liveAgain(home, { ...met, snapshot, run, newest, axes: current, log })
    home.sessions.add(live)
    return live
  })
  const hooks = hooksInForce(home.around)
  await begin(session, [recovery(run, torn), ...changeSince(run, session), ...hooks])
  await saveSnapshot(session)
  home.around.events.emit('session', { session: session.id, state: 'start' })
  return session
}

/** A run that was taken over and cannot be gone on with is given back. */
async function orGiveUp<T>(log: RunLog, act: () => T): Promise<T> {
  try {
    return act()
  } catch (cause) {
    await log.close().catch(() => undefined) // the lock ends with the process at the latest
    throw new SnapshotError(
      'policy_differs',
      'the policy of the session cannot be bound here',
      cause,
    )
  }
}

async function begin(session: LiveSession, records: readonly RecordBody[]): Promise<void> {
  try {
    await session.recorder.write(records, 'durable')
  } catch (cause) {
    // Nothing can be recorded, so nothing runs.
    session.home.sessions.delete(session)
    await session.recorder.close().catch(() => undefined) // the lock ends with the process at the latest
    throw new SnapshotError('session_live', 'the run of the session cannot be written', cause)
  }
}

interface Kept {
  readonly snapshot: Snapshot
  readonly run: ReadRun
  /** The highest version in the store: one that no run names was left by a crash, and its number is taken. */
  readonly newest: number
}

/** The version that the run says counts; what the store has beside it is nobody's snapshot. */
async function lastSnapshot(home: SessionHome, id: SessionId): Promise<Kept> {
  const versions = await storedVersions(home, id)
  const newest = versions.at(-1)
  if (newest === undefined)
    throw new SnapshotError('missing', 'there is no snapshot of the session')
  const candidate = openSnapshot(await bytesOf(home, id, newest), home.store.secret, id)
  const run = await readKept(home, candidate.run_id)
  const last = run.records.findLast(
    (record): record is typeof record & SnapshotRecord =>
      record.kind === 'snapshot' && record.session === id,
  )
  if (last === undefined) throw new SnapshotError('ledger_behind', 'the run knows no snapshot')
  if (last.version > newest) throw new SnapshotError('not_latest', 'a later snapshot is missing')
  const bytes = await bytesOf(home, id, last.version)
  if (sha256(bytes) !== last.digest) {
    throw new SnapshotError('mac_mismatch', 'the snapshot is not the one that the run names')
  }
  return { snapshot: openSnapshot(bytes, home.store.secret, id), run, newest }
}

async function storedVersions(home: SessionHome, id: SessionId): Promise<readonly number[]> {
  try {
    return await home.store.snapshots.versions(id)
  } catch (cause) {
    // An id that names no session, or a store that cannot answer, brings nothing back.
    throw new SnapshotError('missing', 'there is no snapshot of the session', cause)
  }
}

async function bytesOf(home: SessionHome, id: SessionId, version: number): Promise<Uint8Array> {
  const bytes = await home.store.snapshots.get(id, version)
  if (bytes === null) throw new SnapshotError('missing', 'the snapshot that counts is missing')
  return bytes
}

async function readKept(home: SessionHome, runId: RunId): Promise<ReadRun> {
  try {
    return await readRun(home.store.read(runId), { runId, ledgerId: home.store.id })
  } catch (cause) {
    // A run that does not read back as it was written proves no version.
    throw new SnapshotError('ledger_behind', 'the run of the session cannot be read', cause)
  }
}

function checkPlace({ principal, workspace, platform }: Snapshot, { around }: SessionHome): void {
  if (principal !== around.principal) {
    throw new SnapshotError('other_principal', 'the snapshot belongs to another user')
  }
  if (workspace !== around.roots.workspace) {
    throw new SnapshotError('other_workspace', 'the snapshot belongs to another workspace')
  }
  if (platform !== around.roots.platform) {
    throw new SnapshotError('other_platform', 'the snapshot was made on another platform')
  }
}

/** Every tightening after the snapshot: its own, and those of each ancestor since the mark. */
async function withTightenings(home: SessionHome, snapshot: Snapshot, run: ReadRun): Promise<Met> {
  const own = run.records.findLastIndex((record) => record.kind === 'snapshot')
  let axes = apply(snapshot.policy, changesFrom(run, own + 1))
  const ancestors: AncestorMark[] = []
  for (const mark of snapshot.ancestors) {
    const ancestor = await readKept(home, mark.run_id)
    if (ancestor.size < mark.size) {
      throw new SnapshotError('ledger_behind', 'a run of an ancestor is shorter than it was')
    }
    axes = apply(axes, changesFrom(ancestor, mark.size))
    ancestors.push({ run_id: mark.run_id, size: ancestor.size })
  }
  return { axes, ancestors }
}

/** The policy with everything that was read, and how far each ancestor's run was read. */
interface Met {
  readonly axes: PolicyAxes
  readonly ancestors: readonly AncestorMark[]
}

/** What ancestors that are open in this process were tightened by since their runs were read. */
function withRecent(
  home: SessionHome,
  axes: PolicyAxes,
  ancestors: readonly AncestorMark[],
): PolicyAxes {
  const isLater = ({ runId, seq }: Tightening): boolean =>
    ancestors.some((mark) => mark.run_id === runId && seq >= mark.size)
  return home.tightenings
    .filter(isLater)
    .reduce((tight, { constraints }) => tightenedBelow(tight, constraints), axes)
}

function changesFrom(run: ReadRun, start: number): readonly PolicyChangeRecord[] {
  return run.records
    .slice(start)
    .filter(
      (record): record is typeof record & PolicyChangeRecord => record.kind === 'policy_change',
    )
}

function apply(axes: PolicyAxes, changes: readonly PolicyChangeRecord[]): PolicyAxes {
  return changes.reduce(
    (tight, { source, constraints }) =>
      source === 'tighten' && constraints !== null ? tightenedBelow(tight, constraints) : tight,
    axes,
  )
}

/** A resumed root keeps its snapshot; a policy that the host changed meanwhile needs its word. */
function withGiven(
  axes: PolicyAxes,
  snapshot: Snapshot,
  { axes: given, choice }: Given,
): PolicyAxes {
  if (snapshot.given_digest === null || snapshot.given_digest === canonicalDigest(given))
    return axes
  switch (choice) {
    case undefined:
      throw new SnapshotError(
        'policy_differs',
        'the given policy is not the one the session began with',
      )
    case 'snapshot':
      return axes
    case 'meet':
      return AXIS_NAMES.reduce((met, name) => meetAxis(met, given, name), axes)
  }
}

function meetAxis<Name extends AxisName>(
  left: PolicyAxes,
  right: PolicyAxes,
  name: Name,
): PolicyAxes {
  return { ...left, [name]: table[name].meet(left[name], right[name]) }
}

async function reopened(
  home: SessionHome,
  runId: RunId,
): ReturnType<SessionHome['store']['reopenRun']> {
  try {
    return await home.store.reopenRun(runId)
  } catch (cause) {
    // Somebody else owns the run, or it cannot be written: nothing can be recorded, so nothing runs.
    throw new SnapshotError('session_live', 'the run of the session cannot be taken over', cause)
  }
}

interface Restored extends Kept, Met {
  readonly log: Awaited<ReturnType<SessionHome['store']['reopenRun']>>['log']
}

function liveAgain(
  home: SessionHome,
  { snapshot, run, newest, axes, ancestors, log }: Restored,
): LiveSession {
  const { around, store } = home
  const identity = { runId: snapshot.run_id, ledgerId: store.id }
  return newSession({
    id: snapshot.session_id,
    kind: snapshot.kind,
    home,
    parent: null,
    spawnCallId: snapshot.spawn_call_id as CallId | null,
    spawnsLeft: snapshot.spawns_left,
    givenDigest: snapshot.given_digest,
    createdAt: snapshot.created_at,
    coldParent: snapshot,
    coldAncestors: ancestors,
    snapshotVersion: newest,
    recorder: recorder(identity, { log, clock: around.clock, from: run }),
    taskId: snapshot.task_id,
    cwd: snapshot.cwd,
    calls: restoredCalls(around.words, run),
    grants: restoredGrants(run),
    policy: policyAfter(run, (count) => home.bind(axes, count, snapshot.kind !== 'root')),
    steps: run.steps,
    denied: countTerminals(run, 'denied'),
    dispatched: countTerminals(run, 'dispatch_started'),
  })
}

function countTerminals(run: ReadRun, event: 'denied' | 'dispatch_started'): number {
  return run.records.filter((record) => record.kind === 'terminal' && record.event === event).length
}

/** What was not started never was; what started and left no result is in doubt, and is not tried again. */
function recovery(
  run: ReadRun,
  torn: { readonly bytes: number; readonly digest: string } | null,
): RecoveryRecord {
  const calls = [...run.calls]
  return {
    kind: 'recovery',
    old_epoch: run.records.at(-1)?.epoch ?? '',
    torn: torn === null ? null : { bytes: torn.bytes, sha256: torn.digest },
    undispatched: calls.filter(([, call]) => call.terminal === null).map(([callId]) => callId),
    in_doubt: calls
      .filter(([, call]) => call.terminal?.event === 'dispatch_started' && call.result === null)
      .map(([callId]) => callId),
  }
}
