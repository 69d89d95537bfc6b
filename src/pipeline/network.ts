/** Layer 2: which hosts an in-process client or a requested grant may reach (pipeline.md §4). */

import { isUnconfined } from '../core/escalation.js'
import { isSuspected, type HostSubject } from '../core/subject.js'
import { permitsHost } from '../policy/rules/hosts.js'
import type { Layer, Question, Sayings } from './layer.js'
import { grantRequest } from './grant-request.js'

export const network: Layer<'gate', 'network'> = {
  name: 'network',
  kind: 'gate',
  decide(question, { escalations }) {
    const { mode } = question.policy.axes.network
    const grant = grantRequest(question.call)
    const granted = grant && judge(question, [grant.host], 'builtin:network_grant')
    // What the call names itself is judged first: a missing sandbox opens no refused host.
    if (granted?.decision === 'deny') return granted
    if (escalations.some(isUnconfined)) return mode === 'off' ? OFF : NO_MATCH
    if (granted !== null) return granted
    const isSandboxed = question.call.runsIn === 'sandbox'
    const hosts = question.facts.subjects.filter(
      (one): one is HostSubject => one.kind === 'host' && !(isSandboxed && isSuspected(one)),
    )
    if (hosts.length === 0) return NO_MATCH
    // A sandboxed command runs without network; only under `off` is its need a reason to deny.
    if (isSandboxed) return mode === 'off' ? OFF : NO_MATCH
    const rule = mode === 'on' ? 'builtin:network_allow' : 'builtin:network_grant'
    return judge(
      question,
      hosts.map((one) => one.host),
      rule,
    )
  },
}

const OFF: Sayings['gate'] = {
  decision: 'deny',
  matchedRule: 'builtin:network_off',
  reason: 'network_off',
}
const NO_MATCH: Sayings['gate'] = { decision: 'no_match', matchedRule: null }

function judge(
  { policy }: Question,
  hosts: readonly (string | null)[],
  matchedRule: string,
): Sayings['gate'] {
  if (policy.axes.network.mode === 'off') return OFF
  return hosts.every((host) => permitsHost(policy.axes.network, host))
    ? { decision: 'allow', matchedRule }
    : { decision: 'deny', matchedRule: 'builtin:network_host', reason: 'network_host' }
}
