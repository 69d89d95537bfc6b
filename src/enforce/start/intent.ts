/** The intent (trace.md §2): what the executor is about to do, on record before it does it. */

import { sandboxProfile } from './profile.js'
import { requiredGuarantees } from '../../policy/requirements.js'
import { givenUp, GUARANTEES } from '../../core/guarantee.js'
import { InternalError } from '../../core/errors.js'
import { contentOf } from '../../trace/content.js'
import { canonicalDigest } from '../../encoding/canonical.js'
import type { IntentRecord } from '../../trace/records.js'
import type { LiveCall, LiveSession } from '../live-session.js'
import type { Settled } from '../settle.js'

type Admitted = Settled & { readonly status: 'admitted' }

/** Written by the executor, never by the model; numbers are the run's next step. */
export function intentRecord(
  session: LiveSession,
  call: LiveCall,
  {
    settled,
    executor,
  }: { readonly settled: Admitted; readonly executor: IntentRecord['executor'] },
): IntentRecord {
  const { submission, registered, rewritten, effective } = call.prepared
  const { tool } = call.prepared.call
  const version = registered?.tool.version
  return {
    kind: 'intent',
    task_id: session.taskId,
    step: session.steps,
    call_id: call.trail.callId,
    tool: { name: tool, ...(version === undefined ? {} : { version }) },
    args: submission.argsRef,
    ...(rewritten === null ? {} : { rewritten }),
    args_effective: effective === null ? null : { ...effective, normaliser: normaliserOf(call) },
    executor,
    admitting: admittingNode(call, settled),
    policy_revision: settled.policy.revision,
    observation: observationOf(session, call),
    sandbox: call.prepared.call.runsIn === 'sandbox' ? boundaryOf(session, call, settled) : null,
  }
}

function normaliserOf(call: LiveCall): { readonly name: string; readonly version: string } {
  const standard = call.prepared.registered?.tool.inputSchema['~standard']
  return {
    name: standard?.vendor ?? 'unknown',
    version: `standard-schema-${standard?.version ?? 1}`,
  }
}

/** The node that last set the standing to granted: a fold admits nothing without one. */
function admittingNode(call: LiveCall, { verdict }: Admitted): IntentRecord['admitting'] {
  const nodeId = call.trail.nodes[verdict.visits.indexOf(verdict.admittedBy)]
  if (nodeId === undefined)
    throw new InternalError('invariant', 'the admitting node was not written')
  const { layer, matchedRule } = verdict.admittedBy
  return { layer, node_id: nodeId, matched_rule: matchedRule }
}

/** A first step without an observation is due to the task itself. */
function observationOf(session: LiveSession, call: LiveCall): IntentRecord['observation'] {
  const { observation } = call.prepared.submission
  if (observation !== null || session.steps > 0) return observation
  return contentOf(session.taskId)
}

function boundaryOf(
  session: LiveSession,
  call: LiveCall,
  settled: Admitted,
): IntentRecord['sandbox'] {
  const { policy, facts, verdict } = settled
  const profile = canonicalDigest(sandboxProfile(policy, call.prepared.call, session.around))
  if (verdict.unconfined) return { profile, driver: 'none', unenforced: GUARANTEES }
  const { sandbox } = facts
  if (sandbox.status !== 'ready') return { profile, driver: 'none', unenforced: GUARANTEES }
  const optional = new Set<string>(['limits.processes', 'limits.memory', 'network_grant'])
  for (const name of requiredGuarantees(policy.axes.sandbox, facts.roots.platform)) {
    optional.delete(name)
  }
  return {
    profile,
    driver: sandbox.driver,
    unenforced: GUARANTEES.filter(
      (name) =>
        (sandbox.report[name].status !== 'enforced' && !optional.has(name)) ||
        givenUp(policy.axes.sandbox).includes(name),
    ),
  }
}
