/** The policy of a child (delegation.md §2, S0-18): the parent's, met with what the delegation says. */

import type { ChildKind, Delegation } from '../contract/delegation.js'
import { ConfigError, DelegationError, type Violation } from '../core/errors.js'
import type { JsonObject } from '../core/json.js'
import { APPROVAL_POLICIES, type ApprovalPolicy } from '../core/reasons.js'
import { axes as table } from '../policy/axes.js'
import type { PolicyAxes, ToolApproval } from '../policy/effective-policy.js'
import { isBroadEntry } from '../policy/broad-entry.js'
import { narrow, narrowingDocument } from './narrow.js'

/** A child's axes, and what of the delegation asked for more and was given the parent's value. */
export interface Derived {
  readonly axes: PolicyAxes
  readonly clamped: readonly Violation[]
  /** The constraints as plain JSON, for the record. */
  readonly constraints: JsonObject
}

/**
 * Never wider than the parent on any axis that is met. Throws `DelegationError`: `escalation` with all
 * violations at once, `invalid_constraint`, `duplicate_rule`, `fixed_response`.
 */
export function derive(parent: PolicyAxes, delegation: Delegation, kind: ChildKind): Derived {
  const constraints = narrowingDocument(delegation)
  const { toolApproval, approvalCeiling, approvalResponse, ...narrowing } = constraints
  refuseResponse(approvalResponse, kind)
  const narrowed = narrow(parent, narrowing)
  const choice = chosenApproval(toolApproval)
  const violations = [...narrowed.violations, ...beyondCap(choice, parent)]
  if (violations.length > 0) throw escalation(violations)
  return {
    axes: {
      ...narrowed.axes,
      toolApproval: [...ceiling(approvalCeiling, parent), choice],
      approvalResponse: { policy: 'never', timeoutMs: parent.approvalResponse.timeoutMs },
    },
    clamped: narrowed.clamped,
    constraints,
  }
}

/** All violations in one error. */
export function escalation(violations: readonly Violation[]): DelegationError {
  const fields = violations.map(({ axis, field }) => `${axis}.${field}`).join(', ')
  return new DelegationError('escalation', `more than the parent has: ${fields}`, { violations })
}

/** Nobody can be asked on behalf of a spawn or a fork (S0-25). */
function refuseResponse(response: unknown, kind: ChildKind): void {
  if (response === undefined || response === 'never') return
  throw new DelegationError('fixed_response', `the approval response of a ${kind} is \`never\``)
}

/** Chosen for each delegation, whatever the parent's is (S0-24). */
function chosenApproval(given: JsonObject[string] | undefined): ToolApproval {
  const reading = table.toolApproval.read(given === undefined ? {} : { toolApproval: given })
  if (!reading.ok) {
    const { code, message, ...facts } = reading.fault
    const cause = new ConfigError(code, message, facts)
    throw new DelegationError('invalid_constraint', message, { cause })
  }
  return reading.value?.[0] ?? { policy: 'whitelist_accept', whitelist: [] }
}

/** A whitelist entry that covers every call, a whole shell or an interpreter is `accept_all` by another name. */
function beyondCap(choice: ToolApproval, parent: PolicyAxes): readonly Violation[] {
  const allowed = parent.delegation.approvalPolicies
  const wanted: readonly ApprovalPolicy[] = choice.whitelist.some(isBroadEntry)
    ? [choice.policy, 'accept_all']
    : [choice.policy]
  return APPROVAL_POLICIES.filter((name) => wanted.includes(name) && !allowed.includes(name)).map(
    (name) => ({
      axis: 'toolApproval',
      field: name === choice.policy ? 'policy' : 'whitelist',
      parent: allowed,
      given: name === choice.policy ? choice.policy : choice.whitelist,
    }),
  )
}

function ceiling(
  given: JsonObject[string] | undefined,
  parent: PolicyAxes,
): readonly ToolApproval[] {
  if (given === undefined) return []
  if (given === 'parent') return parent.toolApproval
  throw new DelegationError('invalid_constraint', 'an approval ceiling is `parent`')
}
