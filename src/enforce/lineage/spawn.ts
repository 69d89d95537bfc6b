/** Creating a child (delegation.md §3, S0-28): all of it, or nothing is left. */

import { DelegationError } from '../../core/errors.js'
import type { CallId } from '../../core/ids.js'
import type { Json } from '../../core/json.js'
import type { ChildKind, Delegation } from '../../contract/delegation.js'
import { derive, type Derived } from '../../delegation/derive.js'
import { copyJson } from '../../encoding/plain-json.js'
import { contentOf } from '../../trace/content.js'
import type { EffectivePolicy } from '../../policy/effective-policy.js'
import { recorder, type Recorder } from '../../trace/recorder.js'
import type { DelegationRecord, RunOpenRecord } from '../../trace/records.js'
import { hooksInForce } from '../guards/hook-records.js'
import type { LiveSession } from '../live-session.js'
import { boundAs, refuseLinksOut } from './bound.js'
import { draftSnapshot, type Draft } from './keep.js'
import { finishedDialogue } from './dialogue.js'
import { newSession } from './new-session.js'

/** What is asked for. */
export interface Birth {
  readonly kind: ChildKind
  readonly delegation: Delegation
  readonly callId: CallId | null
  /** The dialogue of a fork; `null` for a spawn. */
  readonly dialogue: unknown
}

/** How often the parent's policy may move under a creation before it is given up. */
const ATTEMPTS = 5

/**
 * Derives, keeps and starts a child. Rejects with `DelegationError`; then there is no child, no
 * snapshot, and the parent is as it was.
 */
export async function createChild(parent: LiveSession, birth: Birth): Promise<LiveSession> {
  requireRoom(parent)
  const history = birth.kind === 'fork' ? frozenHistory(birth.dialogue) : undefined
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const child = await attemptBirth(parent, birth, history)
    if (child !== null) return child
  }
  throw new DelegationError('unstable_parent', "the parent's policy did not hold still")
}

function requireRoom(parent: LiveSession): void {
  if (parent.closing.signal.aborted) {
    throw new DelegationError('session_closed', 'the parent session is closed')
  }
  if (!parent.policy.axes.capabilities.includes('agent.spawn')) {
    throw new DelegationError('missing_capability', 'the parent has no `agent.spawn`')
  }
  if (depthLeft(parent) < 1) {
    throw new DelegationError('depth_exceeded', 'no further level of children is allowed')
  }
}

/** The minimum along the chain: what was left at creation, and what the policy in force says now. */
function depthLeft({ spawnsLeft, policy }: LiveSession): number {
  return Math.min(spawnsLeft, policy.axes.delegation.spawnDepth)
}

/** `null` when the parent's policy moved meanwhile: derive again. */
async function attemptBirth(
  parent: LiveSession,
  birth: Birth,
  history: readonly Json[] | undefined,
): Promise<LiveSession | null> {
  const { revision, axes } = parent.policy
  const derived = derive(axes, birth.delegation, birth.kind)
  // Bound before anything is made: what cannot be in force leaves nothing behind.
  const policy = boundAs(parent.home, derived.axes, { count: 1, isDelegated: true })
  refuseLinksOut(policy, parent.policy)
  const { around, store } = parent.home
  const runId = around.ids.run()
  const log = await recorded(() => store.createRun(runId))
  const child = newChild(
    parent,
    { birth, history, policy },
    recorder({ runId, ledgerId: store.id }, { log, clock: around.clock }),
  )
  const draft = draftSnapshot(child)
  try {
    await store.snapshots.put(child.id, draft.version, draft.bytes)
    // The compare-and-set: no wait between this look and the place among the children, so that
    // from here on a tightening of the parent finds the child.
    const isCurrent = parent.policy.revision === revision && !parent.closing.signal.aborted
    if (!isCurrent) {
      await forget(child)
      return null
    }
    parent.home.sessions.add(child)
    await start(parent, child, { birth, derived, draft })
    return child
  } catch (cause) {
    // What is not on record does not exist: no child, nothing kept.
    parent.home.sessions.delete(child)
    await forget(child)
    throw notRecorded(cause)
  }
}

interface Begun {
  readonly birth: Birth
  readonly derived: Derived
  readonly draft: Draft
}

async function start(parent: LiveSession, child: LiveSession, begun: Begun): Promise<void> {
  const records = [runOpen(parent, child, begun), begun.draft.record]
  const open = child.recorder.write([...records, ...hooksInForce(child.around)], 'durable')
  const head = child.recorder.head()
  await open
  await parent.recorder.write([delegationRecord(child, head, begun)], 'durable')
  parent.home.around.events.emit('session', { session: child.id, state: 'start' })
}

function newChild(
  parent: LiveSession,
  made: {
    readonly birth: Birth
    readonly history: readonly Json[] | undefined
    readonly policy: EffectivePolicy
  },
  writer: Recorder,
): LiveSession {
  const { home, taskId, cwd } = parent
  return newSession({
    id: home.around.ids.session(),
    kind: made.birth.kind,
    home,
    parent,
    spawnCallId: made.birth.callId,
    spawnsLeft: depthLeft(parent) - 1,
    history: made.history,
    createdAt: new Date(home.around.clock.wallMs()).toISOString(),
    recorder: writer,
    taskId,
    cwd,
    policy: made.policy,
  })
}

function runOpen(parent: LiveSession, child: LiveSession, { birth }: Begun): RunOpenRecord {
  const { store } = child.home
  return {
    kind: 'run_open',
    ledger_id: store.id,
    task_id: child.taskId,
    session: child.id,
    agent: birth.kind,
    principal: child.around.principal,
    parent: {
      run_id: parent.runId,
      session: parent.id,
      call_id: birth.callId,
      head: parent.recorder.head(),
    },
    delegation: birth.kind,
    history: child.history === undefined ? null : contentOf(child.history),
    policy_revision: child.policy.revision,
    policy: contentOf(child.policy.axes),
    retention: 'record',
    durability: store.durable ? 'barrier' : 'memory',
  }
}

function delegationRecord(
  child: LiveSession,
  childOpen: string,
  { birth, derived }: Begun,
): DelegationRecord {
  return {
    kind: 'delegation',
    child_run: child.runId,
    child_session: child.id,
    child_open: childOpen,
    call_id: birth.callId,
    delegation: birth.kind,
    constraints: contentOf(derived.constraints),
    clamped: derived.clamped.map(({ axis, field }) => ({ axis, field })),
  }
}

/** Copied and frozen; unfinished tool calls are dropped, so that a fork starts from what is settled. */
function frozenHistory(dialogue: unknown): readonly Json[] {
  const copy = copyJson(dialogue)
  if (!copy.ok || !Array.isArray(copy.value)) {
    throw new DelegationError('invalid_constraint', 'the history of a fork is a list of plain JSON')
  }
  return finishedDialogue(copy.value as readonly Json[])
}

async function forget(child: LiveSession): Promise<void> {
  await Promise.allSettled([child.recorder.close(), child.home.store.snapshots.remove(child.id)])
}

async function recorded<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (cause) {
    throw notRecorded(cause)
  }
}

function notRecorded(cause: unknown): unknown {
  if (cause instanceof DelegationError) return cause
  return new DelegationError('not_recorded', 'the child could not be recorded', { cause })
}
