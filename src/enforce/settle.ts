/** Folds until a call is decided: records every visit, asks when the fold suspends (architecture). */

import type { Suspended } from '../contract/outcome.js'
import type { ToolCall } from '../core/call.js'
import { RecordError } from '../core/errors.js'
import type { Facts, SandboxFacts } from '../core/facts.js'
import type { Verdict, Visit } from '../core/verdict.js'
import { unreachable } from '../core/unreachable.js'
import { fold } from '../pipeline/fold.js'
import type { EffectivePolicy } from '../policy/effective-policy.js'
import { nodeOf, type TerminalRecord } from '../trace/records.js'
import { askResponder, suspend } from './ask/asking.js'
import { gatherFacts, underPolicy } from './facts.js'
import { hasDrifted } from './ask/binds.js'
import { isAsShown, type Judging } from './ask/shown.js'
import { hearHooks } from './guards/hear-hooks.js'
import type { LiveCall, LiveSession } from './live-session.js'
import { grow } from './trail.js'

/** Somebody is asked at most this often about one call; what is still open then is stale. */
const ROUNDS = 2

/** How a call stands after its nodes were written. */
export type Settled =
  | {
      readonly status: 'admitted'
      readonly verdict: Verdict & { readonly status: 'admitted' }
      readonly policy: EffectivePolicy
      readonly facts: Facts
    }
  | {
      readonly status: 'denied'
      readonly by: Visit
      readonly sandbox: SandboxFacts
      readonly policy: EffectivePolicy
    }
  | { readonly status: 'suspended'; readonly suspended: Suspended }

/**
 * Decides a call under the policy in force at the last fold. Rejects with `RecordError` when a record
 * cannot be written: then nothing may run.
 */
export async function settle(session: LiveSession, call: LiveCall): Promise<Settled> {
  for (;;) {
    if (!session.recorder.isIntact()) {
      // Nodes of this call may be missing: nobody is asked and nothing admitted on top of them.
      throw new RecordError('writer_poisoned', 'an earlier record was not written')
    }
    expire(session, call)
    await hear(session, call)
    const gathered = await gatherFacts(call, session.policy, session.around)
    call.guards = gathered.guards
    // Only now, and without another wait: a policy that moved meanwhile is the one that judges. Gathering
    // again instead would keep a call from ending for as long as policies move faster than facts arrive.
    const { policy } = session
    const { grants } = session
    const gatheredFacts = { ...underPolicy(gathered.facts, policy, session.around), grants }
    refuseDrift(session, call, { policy, facts: gatheredFacts })
    const facts = { ...gatheredFacts, answer: call.answer }
    const verdict = await record(session, call, { policy, facts })
    switch (verdict.status) {
      case 'admitted':
        call.pending = null // no question is left that an old ticket could answer
        return { status: 'admitted', verdict, policy, facts }
      case 'denied':
        call.pending = null // what is denied is not judged again by the end of a question it left
        return { status: 'denied', by: verdict.by, sandbox: facts.sandbox, policy }
      case 'suspended': {
        const suspended = await ask(session, call, { policy, facts, verdict })
        if (suspended !== null) return { status: 'suspended', suspended }
        break
      }
      default:
        return unreachable(verdict)
    }
  }
}

/** A yes was given for what was shown and for these bytes: with others it is no answer any more. */
function refuseDrift(session: LiveSession, call: LiveCall, now: Judging): void {
  if (call.answer?.verdict !== 'approved') return
  const isShown = call.shown !== null && isAsShown(call.shown, call.prepared, now)
  if (isShown && !hasDrifted(call, now.facts.subjects, session.around)) return
  call.answer = { verdict: 'refused', end: 'stale' }
}

/** Hooks are heard once, before the first fold; what they said and changed holds ever after. */
async function hear(session: LiveSession, call: LiveCall): Promise<void> {
  if (call.guards !== null || session.around.hooks.size === 0) return
  const { prepared, guards } = await hearHooks(session, call)
  call.prepared = prepared
  call.guards = guards
}

/** An approval that nobody gave in time is a refusal, whenever it is looked at (S1-62). */
function expire(session: LiveSession, call: LiveCall): void {
  if (call.pending === null || session.around.clock.wallMs() < call.pending.expiresAt) return
  call.pending = null
  call.answer = { verdict: 'refused', end: 'expired' }
}

/** Folds, and writes what the chain does not hold yet; a denial's terminal event goes in the same write. */
export async function record(
  session: LiveSession,
  call: LiveCall,
  { policy, facts }: { readonly policy: EffectivePolicy; readonly facts: Facts },
): Promise<Verdict> {
  const folded = fold({ call: asItStands(call), policy, facts })
  const { trail, records, verdict } = grow(call.trail, folded, {
    revision: policy.revision,
    facts,
    prepared: call.prepared,
    identity: call.identity,
    ids: session.around.ids,
  })
  call.trail = trail
  const ends = verdict.status === 'denied' ? [terminal(session, call, 'denied')] : []
  if (records.length + ends.length > 0) {
    // Before a question leaves the process the nodes that raised it are on the medium (H-11).
    const durability = verdict.status === 'suspended' ? 'durable' : 'written'
    await session.recorder.write([...records, ...ends], durability)
  }
  if (verdict.status === 'denied') session.denied += 1
  for (const node of records) session.around.events.emit('decision', nodeOf(node))
  return verdict
}

/** A tool whose definition changed since it was judged is not the one that somebody agreed to (H-04). */
function asItStands({ prepared }: LiveCall): ToolCall {
  return prepared.registered?.isUnchanged() === false
    ? { ...prepared.call, defect: 'builtin:tool_changed' }
    : prepared.call
}

/** A ticket for the host, or `null` once an answer is among the facts. */
async function ask(
  session: LiveSession,
  call: LiveCall,
  question: {
    readonly policy: EffectivePolicy
    readonly facts: Facts
    readonly verdict: Verdict
  },
): Promise<Suspended | null> {
  const { responder } = session.around
  if (call.pending !== null) return call.pending.suspended
  if (call.rounds >= ROUNDS || responder === null) {
    call.answer = { verdict: 'refused', end: call.rounds >= ROUNDS ? 'stale' : 'no_responder' }
    return null
  }
  const now = session.around.clock.monotonicUs() / 1000
  const hindrance = session.askBook.hindrance(call, question.policy.axes.budgets, now)
  if (hindrance !== null) {
    call.answer = { verdict: 'refused', end: hindrance }
    return null
  }
  call.rounds += 1
  session.askBook.note(call, now)
  if (responder === 'suspend') return suspend(session, call, question)
  call.answer = await askResponder(session, call, { ...question, responder })
  return null
}

/** The one terminal event of a call; its head is the last node written. */
export function terminal(
  session: LiveSession,
  call: LiveCall,
  event: TerminalRecord['event'],
): TerminalRecord {
  const { ids, clock } = session.around
  return {
    kind: 'terminal',
    event_id: ids.event(),
    call_id: call.trail.callId,
    trace_head_id: call.trail.head ?? ids.node(),
    event,
    timestamp: new Date(clock.wallMs()).toISOString(),
  }
}
