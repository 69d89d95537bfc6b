/** Layer 6: whether a boundary really holds for this call (pipeline.md §4, sandbox.md §1). */

import { isTrusted } from '../core/call.js'
import { isUnconfined } from '../core/escalation.js'
import { isSuspected, type PathSubject } from '../core/subject.js'
import { isClosedToCommands, liesWithin } from '../policy/rules/classes.js'
import { refusedGuarantees } from './guarantees.js'
import type { Layer, Question, Sayings } from './layer.js'

type Saying = Sayings['gate']

export const sandbox: Layer<'gate', 'sandbox'> = {
  name: 'sandbox',
  kind: 'gate',
  everyOrigin: true,
  decide(question, { escalations }) {
    if (question.call.runsIn === 'process') return judgeInProcess(question)
    // A call of the host is never asked about, so nothing of it leaves the sandbox or opens the network.
    const leaves = escalations.some((name) => isUnconfined(name) || name === 'network_grant')
    if (leaves && isTrusted(question.call.origin)) return refuseUnasked(question)
    if (escalations.some(isUnconfined)) {
      return { decision: 'allow', matchedRule: 'builtin:approved_unconfined' }
    }
    return judgeConfined(question)
  },
}

function judgeInProcess(question: Question): Saying {
  const { policy, facts } = question
  const written = writtenPaths(question)
  if (written.length === 0) return { decision: 'no_match', matchedRule: null }
  const inside = [facts.roots.workspace, ...policy.writable]
  const canWrite =
    policy.axes.capabilities.includes('fs.write') && policy.axes.sandbox.mode !== 'read_only'
  return canWrite && written.every((path) => liesWithin(path, inside, facts.roots))
    ? { decision: 'allow', matchedRule: 'builtin:inside_profile' }
    : { decision: 'deny', matchedRule: 'builtin:outside_profile', reason: 'outside_profile' }
}

function refuseUnasked(question: Question): Saying {
  const confined = judgeConfined(question)
  return confined.decision === 'deny' ? confined : REFUSED
}

const REFUSED: Saying = {
  decision: 'deny',
  matchedRule: 'builtin:sandbox_refused',
  reason: 'sandbox_refused',
}
const UNAVAILABLE: Saying = {
  decision: 'deny',
  matchedRule: 'builtin:sandbox_unavailable',
  reason: 'sandbox_unavailable',
}

function judgeConfined(question: Question): Saying {
  const { sandbox: boundary, roots } = question.facts
  if (boundary.status === 'refused') return REFUSED
  if (boundary.status === 'unavailable' || refusedGuarantees(question).length > 0) {
    return UNAVAILABLE
  }
  const { git } = question.policy.axes.sandbox
  const isClosed = (path: PathSubject): boolean => isClosedToCommands(path, roots, git)
  return writtenPaths(question).some(isClosed)
    ? { decision: 'deny', matchedRule: 'builtin:protected_path', reason: 'protected_path' }
    : { decision: 'allow', matchedRule: `builtin:driver.${boundary.driver}` }
}

function writtenPaths({ facts }: Question): readonly PathSubject[] {
  return facts.subjects.filter(
    (one): one is PathSubject => one.kind === 'path' && one.access === 'write' && !isSuspected(one),
  )
}
