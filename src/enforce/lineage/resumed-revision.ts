/** The revision of a session that was taken up again (delegation.md §2 invariant 8): the one its run knows, or a recorded next one. */

import { SnapshotError } from '../../core/errors.js'
import type { PolicyRevision } from '../../core/ids.js'
import type { EffectivePolicy } from '../../policy/effective-policy.js'
import { contentOf } from '../../trace/content.js'
import type { ReadRun } from '../../trace/read-run.js'
import type { PolicyChangeRecord } from '../../trace/records.js'
import type { LiveSession } from '../live-session.js'
import { countOf } from './tighten.js'

/** The revision that the run knows, where the policy is still that one; else the next number. */
export function policyAfter(
  run: ReadRun,
  bind: (count: number) => EffectivePolicy,
): EffectivePolicy {
  const last = lastRevision(run)
  const same = bind(countOf(last))
  return same.revision === last ? same : bind(countOf(last) + 1)
}

/** What ancestors and the host's choice changed while the session was cold, so that each revision is on record. */
export function changeSince(
  run: ReadRun,
  { id, policy }: LiveSession,
): readonly PolicyChangeRecord[] {
  const from = lastRevision(run)
  if (policy.revision === from) return []
  const content = contentOf(policy.axes)
  const to = policy.revision
  return [
    {
      kind: 'policy_change',
      from,
      to,
      source: 'tighten',
      by: id,
      constraints: null,
      policy: content,
    },
  ]
}

function lastRevision(run: ReadRun): PolicyRevision {
  const revisions = run.records.flatMap((record) => {
    if (record.kind === 'policy_change') return [record.to]
    return record.kind === 'run_open' ? [record.policy_revision] : []
  })
  const last = revisions.at(-1)
  if (last === undefined) throw new SnapshotError('ledger_behind', 'the run has no beginning')
  return last
}
