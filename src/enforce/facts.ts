/** Gathers what the fold reads (pipeline.md §1): anew for each pass, but guards speak once a call. */

import type { Facts, ResponderFacts, SandboxFacts } from '../core/facts.js'
import type { EffectivePolicy } from '../policy/effective-policy.js'
import type { LiveCall } from './live-session.js'
import { subjectsOf } from './call/subjects.js'
import { CANCELLED, guardAnswers } from './guards.js'
import type { Surroundings } from './surroundings.js'

/** The part of a call that facts are about; `check` has it without a registered call. */
export type Asked = Pick<LiveCall, 'prepared' | 'guards' | 'answer'>

/** Facts at this moment, and the guards' answers for later passes. */
export async function gatherFacts(
  asked: Asked,
  policy: EffectivePolicy,
  around: Surroundings,
): Promise<{ readonly facts: Facts; readonly guards: NonNullable<Asked['guards']> }> {
  const { call, submission } = asked.prepared
  const subjects = await subjectsOf(call, around, policy.writable)
  const guards = asked.guards ?? guardAnswers(subjects, around)
  const facts: Facts = {
    now: around.clock.wallMs(),
    roots: around.roots,
    subjects,
    guards: submission.signal?.aborted === true ? [CANCELLED, ...guards] : guards,
    sandbox: call.runsIn === 'sandbox' ? await around.sandbox.facts() : IN_PROCESS,
    responder: responderFacts(policy, around),
    answer: asked.answer,
  }
  return { facts, guards }
}

const IN_PROCESS: SandboxFacts = { status: 'unavailable', cause: 'runs in the host process' }

/** `parent` and `route` lead to somebody only in sessions that were given one. */
function responderFacts(policy: EffectivePolicy, around: Surroundings): ResponderFacts {
  const { responder } = around
  if (policy.axes.approvalResponse.policy !== 'prompt' || responder === null) {
    return { status: 'absent' }
  }
  if (responder === 'suspend') return { status: 'suspend' }
  return { status: 'present', kind: responder.kind }
}
