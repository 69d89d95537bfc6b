/**
 * The chain of one call while it grows (pipeline.md §3 replay, §4 nodes): visits become nodes, visits
 * already written are not written again, and different ones hang as a further pass under the head.
 */

import type { Facts } from '../core/facts.js'
import type { CallId, IdSource, NodeId, PolicyRevision } from '../core/ids.js'
import type { Verdict, Visit } from '../core/verdict.js'
import type { Prepared } from './call/prepare.js'
import { contentOf } from '../trace/content.js'
import type { DecisionRecord } from '../trace/records.js'

/** More passes than this and the policy does not hold still long enough to decide under it. */
const PASSES = 3

/** What has been written of a call. */
export interface Trail {
  readonly callId: CallId
  readonly pass: number
  readonly revision: PolicyRevision | null
  readonly visits: readonly Visit[]
  /** One id a visit of the current pass. */
  readonly nodes: readonly NodeId[]
  readonly head: NodeId | null
}

export function emptyTrail(callId: CallId): Trail {
  return { callId, pass: 0, revision: null, visits: [], nodes: [], head: null }
}

/** What one fold adds to the chain. */
export interface Growth {
  readonly trail: Trail
  readonly records: readonly DecisionRecord[]
  /** The fold's own verdict, or the denial of a policy that would not hold still. */
  readonly verdict: Verdict
}

/** The circumstances that the first node of a pass records. */
export interface Circumstances {
  readonly revision: PolicyRevision
  readonly facts: Facts
  readonly prepared: Pick<Prepared, 'rewritten'> & {
    readonly registered: { readonly digest: string } | null
    readonly submission: Pick<Prepared['submission'], 'argsRef'>
  }
  readonly identity: string
  readonly ids: IdSource
}

/** Pure but for fresh ids. */
export function grow(trail: Trail, verdict: Verdict, around: Circumstances): Growth {
  if (isContinued(trail, verdict, around.revision)) {
    return append(trail, verdict, around)
  }
  const next = { ...trail, pass: trail.pass + 1, visits: [], nodes: [] }
  if (next.pass < PASSES) return append(next, verdict, around)
  const unstable = unstablePolicy(verdict)
  return append(next, unstable, around)
}

/** True while the written visits are a prefix of the new ones, under the same revision. */
function isContinued(trail: Trail, verdict: Verdict, revision: PolicyRevision): boolean {
  if (trail.head === null) return true
  if (trail.revision !== revision) return false
  return trail.visits.every((visit, index) => isSameVisit(visit, verdict.visits[index]))
}

function isSameVisit(left: Visit, right: Visit | undefined): boolean {
  return (
    right !== undefined &&
    left.layer === right.layer &&
    left.decision === right.decision &&
    left.matchedRule === right.matchedRule &&
    left.reason === right.reason &&
    left.moot === right.moot
  )
}

/** Writes what the chain does not hold yet of a verdict that continues it. */
function append(trail: Trail, verdict: Verdict, around: Circumstances): Growth {
  const visits = verdict.visits.slice(trail.visits.length)
  const records: DecisionRecord[] = []
  let head = trail.head
  for (const visit of visits) {
    const isFirst = trail.nodes.length === 0 && records.length === 0
    const record = recordOf(visit, { trail, parent: head, isFirst }, around)
    head = record.node_id
    records.push(record)
  }
  return {
    trail: {
      ...trail,
      revision: around.revision,
      visits: [...trail.visits, ...visits],
      nodes: [...trail.nodes, ...records.map((record) => record.node_id)],
      head,
    },
    records,
    verdict,
  }
}

interface Place {
  readonly trail: Trail
  readonly parent: NodeId | null
  readonly isFirst: boolean
}

function recordOf(visit: Visit, place: Place, around: Circumstances): DecisionRecord {
  return {
    kind: 'decision',
    node_id: around.ids.node(),
    parent_id: place.parent,
    call_id: place.trail.callId,
    layer: visit.layer,
    decision: visit.decision,
    matched_rule: visit.matchedRule,
    policy_revision: around.revision,
    pass: place.trail.pass,
    ...(visit.reason === null ? {} : { reason_code: visit.reason }),
    ...(visit.moot ? { moot: true } : {}),
    ...(place.isFirst ? { facts: contentOf(around.facts) } : {}),
    ...(place.isFirst ? ofCall(around.prepared) : {}),
    ...(place.parent === null ? { identity: around.identity } : {}),
  }
}

function ofCall({
  registered,
  rewritten,
  submission,
}: Circumstances['prepared']): Pick<DecisionRecord, 'tool_digest' | 'rewritten'> {
  return {
    ...(registered === null ? {} : { tool_digest: registered.digest }),
    ...(rewritten === null ? {} : { rewritten: { ...rewritten, from: submission.argsRef.d } }),
  }
}

function unstablePolicy({ asks, escalations }: Verdict): Verdict {
  const by: Visit = {
    layer: 'guard',
    decision: 'deny',
    matchedRule: 'builtin:unstable_policy',
    reason: 'unstable_policy',
    moot: false,
  }
  return { status: 'denied', visits: [by], asks, escalations, by }
}
