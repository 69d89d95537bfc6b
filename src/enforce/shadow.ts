/** A session that judges and records and can do nothing else (hosts.md §2 "Shadow"). */

import type { CallRequest, Session } from '../contract/session.js'
import type { ShadowOutcome, ShadowSession } from '../contract/shadow.js'
import type { CallId } from '../core/ids.js'
import type { Verdict } from '../core/verdict.js'
import { walkBack } from '../trace/chain.js'
import type { Words } from '../words/words.js'
import { prepare } from './call/prepare.js'
import { callSignals } from './call/signals.js'
import { submit, type Submission } from './call/submission.js'
import { check } from './check.js'
import { gatherFacts } from './facts.js'
import { newCall, type CallEntry, type LiveCall, type LiveSession } from './live-session.js'
import { denied, shadowMessages, unrecorded } from './messages.js'
import { record } from './settle.js'
import { emptyTrail } from './trail.js'
import { visibleTools } from './visible-tools.js'

/** The face of a shadow session; `close` is shared with the object that made it. */
export function shadowFace(live: LiveSession, close: Session['close']): ShadowSession {
  const judged = new Map<CallId, Judged>()
  return Object.freeze<ShadowSession>({
    id: live.id,
    get revision() {
      return live.policy.revision
    },
    evaluate: (call) => evaluate(live, judged, call),
    check: (call) => check(live, call),
    visibleTools: () => visibleTools(live.around.tools.all(), live.policy),
    chain: (callId) => walkBack(live.home.store.read(live.runId), callId),
    close,
    [Symbol.asyncDispose]: () => close(),
  })
}

interface Judged {
  /** Tool and arguments: what a replay repeats. */
  readonly identity: string
  readonly outcome: Promise<ShadowOutcome>
}

async function evaluate(
  session: LiveSession,
  judged: Map<CallId, Judged>,
  request: CallRequest,
): Promise<ShadowOutcome> {
  const submission = await submit(request, session.around.ids, session.around.pause)
  const { callId, tool, argsRef, cwd, defect } = submission
  if (session.closing.signal.aborted) return refusal(session.around.words, 'session_closed', callId)
  const identity = JSON.stringify([tool, argsRef.d, cwd, defect])
  const known = judged.get(callId)
  if (known !== undefined) {
    return known.identity === identity
      ? known.outcome
      : refusal(session.around.words, 'call_id_reused', callId)
  }
  const outcome = judge(session, submission).catch(() =>
    // What cannot be recorded counts as nothing that the policy would allow.
    refusal(session.around.words, 'audit_unavailable', callId),
  )
  judged.set(callId, { identity, outcome })
  session.calls.set(callId, counted(identity))
  return outcome
}

/** A place among the calls of the run, for its counts: nothing is replayed or asked from there. */
function counted(identity: string): CallEntry {
  return {
    identity,
    signals: callSignals(null),
    inTurn: null,
    call: null,
    isBusy: false,
    turn: new Promise(() => undefined),
  }
}

async function judge(session: LiveSession, submission: Submission): Promise<ShadowOutcome> {
  const { around, policy } = session
  const registered = around.tools.find(submission.tool) ?? null
  const prepared = await prepare(submission, { origin: 'agent', registered }, session)
  const call = newCall({
    identity: submission.argsRef.d,
    prepared,
    signals: callSignals(submission.signal),
    within: null,
    fixed: null,
    trail: emptyTrail(submission.callId),
  })
  const { facts } = await gatherFacts(call, policy, around)
  const verdict = await record(session, call, { policy, facts })
  if (verdict.status !== 'denied') return settled(around.words, call, verdict)
  const { layer, matchedRule, reason, message, humanMessage } = denied(around.words, prepared, {
    by: verdict.by,
    sandbox: facts.sandbox,
    policy,
  })
  const { callId } = submission
  return { callId, decision: 'deny', layer, matchedRule, reason, message, humanMessage }
}

function settled(
  words: Words,
  { trail, prepared }: LiveCall,
  verdict: Exclude<Verdict, { readonly status: 'denied' }>,
): ShadowOutcome {
  const decision = verdict.status === 'admitted' ? 'allow' : 'ask'
  const by = verdict.status === 'admitted' ? verdict.admittedBy : verdict.asks[0]
  const layer = by?.layer ?? 'guard'
  const matchedRule = by?.matchedRule ?? ''
  const messages = shadowMessages(words, decision, { tool: prepared.call.tool, layer, matchedRule })
  return { callId: trail.callId, decision, layer, matchedRule, reason: null, ...messages }
}

function refusal(...args: Parameters<typeof unrecorded>): ShadowOutcome {
  const { callId, layer, matchedRule, reason, message, humanMessage } = unrecorded(...args)
  return { callId, decision: 'deny', layer, matchedRule, reason, message, humanMessage }
}
