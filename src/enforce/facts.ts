/** Gathers what the fold reads (pipeline.md §1): anew for each pass, but hooks speak once a call. */

import type { Facts, GuardAnswer, ResponderFacts, SandboxFacts } from '../core/facts.js'
import type { EffectivePolicy } from '../policy/effective-policy.js'
import type { LiveCall } from './live-session.js'
import { subjectsOf, whereWritable } from './call/subjects.js'
import { CANCELLED, guardAnswers } from './guards/builtin.js'
import type { Surroundings } from './surroundings.js'

/** The part of a call that facts are about; `check` has it without a registered call. */
export type Asked = Pick<LiveCall, 'prepared' | 'signals' | 'within' | 'guards' | 'answer'>

/** Facts at this moment, and the guards' answers for later passes. */
export async function gatherFacts(
  asked: Asked,
  policy: EffectivePolicy,
  around: Surroundings,
): Promise<{ readonly facts: Facts; readonly guards: NonNullable<Asked['guards']> }> {
  const { call } = asked.prepared
  const subjects = await subjectsOf(call, around)
  const sandbox = call.runsIn === 'sandbox' ? await around.sandbox.facts() : IN_PROCESS
  const guards = united(guardAnswers(asked, subjects, around), asked.guards ?? [])
  const facts: Facts = {
    now: around.clock.wallMs(),
    roots: around.roots,
    subjects,
    guards: asked.signals.isAborted() ? [CANCELLED, ...guards] : guards,
    sandbox,
    responder: { status: 'absent' },
    answer: asked.answer,
    grants: [],
  }
  return { facts: underPolicy(facts, policy, around), guards }
}

/** The library's own guards look at where paths lead now; what hooks said holds ever after. */
function united(
  own: readonly GuardAnswer[],
  before: readonly GuardAnswer[],
): readonly GuardAnswer[] {
  const isNew = (answer: GuardAnswer): boolean =>
    !own.some(({ matchedRule }) => matchedRule === answer.matchedRule)
  return [...own, ...before.filter(isNew)]
}

/** The same facts under a policy, also one that came while they were gathered: who answers, and what PATH proves. */
export function underPolicy(facts: Facts, policy: EffectivePolicy, around: Surroundings): Facts {
  return {
    ...facts,
    subjects: whereWritable(facts.subjects, policy.writable, around),
    responder: responderFacts(policy, around),
  }
}

const IN_PROCESS: SandboxFacts = {
  status: 'unavailable',
  cause: 'runs in the host process',
  remedy: null,
}

/** `parent` and `route` lead to somebody only in sessions that were given one. */
function responderFacts(policy: EffectivePolicy, around: Surroundings): ResponderFacts {
  const { responder } = around
  if (policy.axes.approvalResponse.policy !== 'prompt' || responder === null) {
    return { status: 'absent' }
  }
  if (responder === 'suspend') return { status: 'suspend' }
  return { status: 'present', kind: responder.kind }
}
