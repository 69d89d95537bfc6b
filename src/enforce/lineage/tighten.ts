/** Tightening in force (delegation.md §5, H-17): the policies of a whole subtree move in one synchronous step. */

import type { Narrowing } from '../../contract/delegation.js'
import { DelegationError } from '../../core/errors.js'
import type { PolicyRevision } from '../../core/ids.js'
import type { JsonObject } from '../../core/json.js'
import { narrowingDocument } from '../../delegation/narrow.js'
import { tightened, tightenedBelow } from '../../delegation/tighten.js'
import type { EffectivePolicy, PolicyAxes } from '../../policy/effective-policy.js'
import { contentOf } from '../../trace/content.js'
import type { PolicyChangeRecord } from '../../trace/records.js'
import type { LiveSession } from '../live-session.js'
import { revisit } from '../running.js'
import { boundAs, refuseLinksOut, withoutLinksOut } from './bound.js'
import { descendantsOf } from './descendants.js'
import { saveSnapshot } from './keep.js'

/**
 * Refused whole when it would widen any axis. In force when this function returns its promise, whatever
 * the store does later; resolves when it is durable. Rejects with `DelegationError`: with
 * `not_recorded` it holds all the same and the session dispatches nothing any more.
 */
export async function tighten(session: LiveSession, narrowing: Narrowing): Promise<PolicyRevision> {
  if (session.closing.signal.aborted) {
    throw new DelegationError('session_closed', 'the session is closed')
  }
  const constraints = narrowingDocument(narrowing)
  const moves = movesOf(session, constraints)
  for (const { moved, policy } of moves) moved.policy = policy
  session.home.tightenings.push({ runId: session.runId, seq: session.recorder.size(), constraints })
  // Queued in the same step as the swap: queue order is the order of effect.
  const written = moves.map((move) =>
    move.moved.recorder.write([changeOf(move, session, constraints)], 'durable'),
  )
  for (const { moved, policy } of moves) revisit(moved, policy)
  const saved = moves.map(({ moved }) => saveSnapshot(moved))
  for (const { moved, policy } of moves) {
    session.around.events.emit('tighten', { session: moved.id, revision: policy.revision })
  }
  await durable(written, saved)
  return session.policy.revision
}

interface Move {
  readonly moved: LiveSession
  readonly from: PolicyRevision
  readonly policy: EffectivePolicy
}

/** Everything is computed before anything is changed: a refusal leaves the whole tree as it was. */
function movesOf(session: LiveSession, constraints: JsonObject): readonly Move[] {
  const own = moveTo(session, tightened(session.policy.axes, constraints))
  refuseLinksOut(own.policy, session.policy)
  const below = descendantsOf(session).map((child) =>
    confined(moveTo(child, tightenedBelow(child.policy.axes, constraints))),
  )
  return [own, ...below]
}

function confined(move: Move): Move {
  return { ...move, policy: withoutLinksOut(move.policy, move.moved.policy) }
}

function moveTo(moved: LiveSession, axes: PolicyAxes): Move {
  const from = moved.policy.revision
  const { isDelegated } = moved.policy
  const policy = boundAs(moved.home, axes, { count: countOf(from) + 1, isDelegated })
  return { moved, from, policy }
}

/** The number of a revision within its session. */
export function countOf(revision: PolicyRevision): number {
  return Number(revision.split(':', 1)[0])
}

function changeOf(
  { from, policy }: Move,
  { id }: LiveSession,
  constraints: JsonObject,
): PolicyChangeRecord {
  return {
    kind: 'policy_change',
    from,
    to: policy.revision,
    source: 'tighten',
    by: id,
    constraints,
    policy: contentOf(policy.axes),
  }
}

/** The records are what binds; a snapshot that could not be stored is met with them when it resumes. */
async function durable(
  written: readonly Promise<void>[],
  saved: readonly Promise<void>[],
): Promise<void> {
  const ends = await Promise.allSettled(written)
  await Promise.allSettled(saved)
  const failed = ends.find((end) => end.status === 'rejected')
  if (failed === undefined) return
  throw new DelegationError('not_recorded', 'the tightening holds, but could not be made durable', {
    cause: failed.reason,
  })
}
