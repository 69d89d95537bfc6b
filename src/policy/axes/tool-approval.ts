/** What runs unasked when no user rule decided (pipeline.md §2, §4 note 3). */

import { z } from 'zod'
import type { Json, JsonObject } from '../../core/json.js'
import { APPROVAL_POLICIES, type ApprovalPolicy } from '../../core/reasons.js'
import { closed, faultFrom, readKey, type Axis, type Reading } from '../axis.js'
import type { ToolApproval } from '../effective-policy.js'
import { compileMatch } from '../rules/match.js'

/** Choices never merge: all of them are asked, and the strictest answer counts. */
export const toolApproval: Axis<'toolApproval'> = {
  name: 'toolApproval',
  keys: ['toolApproval'],
  forms: () => ({ toolApproval: [policy, stated] }),
  read: ({ toolApproval: value }) =>
    value === undefined ? { ok: true, value: undefined } : readChoice(value),
  write: ([choice]): JsonObject =>
    choice === undefined
      ? {}
      : { toolApproval: { policy: choice.policy, whitelist: choice.whitelist } },
  absent: [{ policy: 'whitelist_accept', whitelist: [] }],
  meet: (left, right) => [
    ...left,
    ...right.filter((choice) => !left.some((other) => sameChoice(other, choice))),
  ],
  // Chosen for each delegation and capped by `delegation.approvalPolicies`, not narrowed.
  exceeds: () => [],
  excess: 'refused',
}

const policy: z.ZodType<ApprovalPolicy> = z.enum(APPROVAL_POLICIES)
const stated: z.ZodType<{
  readonly policy: ApprovalPolicy
  readonly whitelist?: readonly string[] | undefined
}> = closed({
  policy: z.enum(APPROVAL_POLICIES),
  whitelist: z.array(z.string()).max(4096).optional(),
})

function readChoice(value: Json): Reading<readonly ToolApproval[]> {
  if (typeof value === 'string') {
    const reading = readKey(policy, 'toolApproval', value)
    return reading.ok ? { ok: true, value: [{ policy: reading.value, whitelist: [] }] } : reading
  }
  const reading = readKey(stated, 'toolApproval', value)
  if (!reading.ok) return reading
  const { whitelist = [] } = reading.value
  for (const [index, entry] of whitelist.entries()) {
    try {
      compileMatch(entry)
    } catch (error) {
      return faultFrom(error, ['toolApproval', 'whitelist', index])
    }
  }
  return {
    ok: true,
    value: [{ policy: reading.value.policy, whitelist: [...new Set(whitelist)].sort() }],
  }
}

function sameChoice(left: ToolApproval, right: ToolApproval): boolean {
  return (
    left.policy === right.policy &&
    left.whitelist.length === right.whitelist.length &&
    left.whitelist.every((entry, index) => entry === right.whitelist[index])
  )
}
