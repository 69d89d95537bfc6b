/** Which guarantees a profile demands that the driver does not keep here (sandbox.md §1). */

import type { Guarantee } from '../core/guarantee.js'
import { requiredGuarantees } from '../policy/requirements.js'
import type { Question } from './layer.js'

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
