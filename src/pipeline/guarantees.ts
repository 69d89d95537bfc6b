/** Which guarantees a profile demands that the driver does not keep here (sandbox.md §1). */

import type { Guarantee } from '../core/guarantee.js'
import { requiredGuarantees } from '../policy/requirements.js'
import type { Question } from './layer.js'

/**
 * The same without what the host waived. A waiver counts for no policy without writing: such a policy asks
 * for a boundary that nothing outside of a sandbox keeps (H-25).
 */
export function refusedGuarantees(question: Question): readonly Guarantee[] {
  const { sandbox } = question.facts
  const { capabilities, sandbox: axis } = question.policy.axes
  const canWrite = capabilities.includes('fs.write') && axis.mode !== 'read_only'
  const waived = canWrite && sandbox.status === 'ready' ? (sandbox.waived ?? []) : []
  return unmetGuarantees(question).filter((name) => !waived.includes(name))
}

/** Empty when the driver enforces the whole profile; everything demanded when there is no driver. */
export function unmetGuarantees({ call, policy, facts }: Question): readonly Guarantee[] {
  const asksGrant = call.needs.some(
    (need) => need.kind === 'escalation' && need.name === 'network_grant',
  )
  const required = requiredGuarantees(policy.axes.sandbox, facts.roots.platform, asksGrant)
  const { sandbox } = facts
  if (sandbox.status !== 'ready') return required
  return required.filter((name) => sandbox.report[name].status !== 'enforced')
}
