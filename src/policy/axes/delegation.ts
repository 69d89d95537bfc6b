/** Whether and how far a session may hand work on (pipeline.md §2, delegation.md §6). */

import { z } from 'zod'
import type { Json, JsonObject } from '../../core/json.js'
import { APPROVAL_POLICIES, type ApprovalPolicy } from '../../core/reasons.js'
import {
  closed,
  excessIf,
  fault,
  filled,
  positive,
  readKey,
  type Axis,
  type Reading,
} from '../axis.js'
import type { DelegationAxis } from '../effective-policy.js'

type Target = DelegationAxis['targets'][number]

const ABSENT: DelegationAxis = {
  mode: 'forbidden',
  spawnDepth: 1,
  delegateDepth: 3,
  targets: [],
  approvalPolicies: ordered(['whitelist_accept', 'always_ask', 'deny_unlisted']),
}

/** The smaller depths, the common targets and approval policies. */
export const delegation: Axis<'delegation'> = {
  name: 'delegation',
  keys: ['delegation'],
  forms: () => ({ delegation: [stated] }),
  read: ({ delegation: value }) =>
    value === undefined ? { ok: true, value: undefined } : readDelegation(value),
  write: (value): JsonObject => ({
    delegation: { ...value, targets: value.targets.map((target) => ({ ...target })) },
  }),
  absent: ABSENT,
  meet: (left, right) => ({
    mode: left.mode === 'allow' && right.mode === 'allow' ? 'allow' : 'forbidden',
    spawnDepth: Math.min(left.spawnDepth, right.spawnDepth),
    delegateDepth: Math.min(left.delegateDepth, right.delegateDepth),
    targets: commonTargets(left.targets, right.targets),
    approvalPolicies: left.approvalPolicies.filter((policy) =>
      right.approvalPolicies.includes(policy),
    ),
  }),
  exceeds: (child, parent) => [
    ...excessIf(child.mode === 'allow' && parent.mode === 'forbidden', 'mode', {
      parent: parent.mode,
      given: child.mode,
    }),
    ...excessIf(child.spawnDepth > parent.spawnDepth, 'spawnDepth', {
      parent: parent.spawnDepth,
      given: child.spawnDepth,
    }),
    ...excessIf(child.delegateDepth > parent.delegateDepth, 'delegateDepth', {
      parent: parent.delegateDepth,
      given: child.delegateDepth,
    }),
    ...excessIf(!child.targets.every((one) => isReachable(one, parent.targets)), 'targets', {
      parent: parent.targets.map(({ agent }) => agent),
      given: child.targets.map(({ agent }) => agent),
    }),
    ...excessIf(
      child.approvalPolicies.some((policy) => !parent.approvalPolicies.includes(policy)),
      'approvalPolicies',
      { parent: parent.approvalPolicies, given: child.approvalPolicies },
    ),
  ],
  excess: 'refused',
}

/** The parent has the target, and not only as the narrower kind. */
function isReachable(target: Target, parent: readonly Target[]): boolean {
  return parent.some(
    ({ agent, mode }) =>
      agent === target.agent && (mode === target.mode || target.mode === 'bounded'),
  )
}

interface StatedTarget {
  readonly agent: string
  readonly mode?: Target['mode'] | undefined
}

interface Stated {
  readonly mode?: DelegationAxis['mode'] | undefined
  readonly spawnDepth?: number | undefined
  readonly delegateDepth?: number | undefined
  readonly targets?: readonly StatedTarget[] | undefined
  readonly approvalPolicies?: readonly ApprovalPolicy[] | undefined
}

const target: z.ZodType<StatedTarget> = z.preprocess(
  (value) => (typeof value === 'string' ? { agent: value } : value),
  closed({ agent: filled, mode: z.enum(['bounded', 'independent']).optional() }),
)
const stated: z.ZodType<Stated> = closed({
  mode: z.enum(['forbidden', 'allow']).optional(),
  spawnDepth: positive.optional(),
  delegateDepth: positive.optional(),
  targets: z.array(target).max(1024).optional(),
  approvalPolicies: z.array(z.enum(APPROVAL_POLICIES)).optional(),
})

function readDelegation(value: Json): Reading<DelegationAxis> {
  const reading = readKey(stated, 'delegation', value)
  if (!reading.ok) return reading
  const given = reading.value
  const targets = (given.targets ?? []).map(({ agent, mode = 'bounded' }) => ({ agent, mode }))
  const twice = targets.findIndex(
    ({ agent }, index) => targets.findIndex((other) => other.agent === agent) !== index,
  )
  if (twice !== -1) {
    return fault('invalid_value', `\`${targets[twice]?.agent ?? ''}\` is a target twice`, {
      path: ['delegation', 'targets', twice],
    })
  }
  return {
    ok: true,
    value: {
      mode: given.mode ?? ABSENT.mode,
      spawnDepth: given.spawnDepth ?? ABSENT.spawnDepth,
      delegateDepth: given.delegateDepth ?? ABSENT.delegateDepth,
      targets: targets.sort(byAgent),
      approvalPolicies: ordered(given.approvalPolicies ?? ABSENT.approvalPolicies),
    },
  }
}

function commonTargets(left: readonly Target[], right: readonly Target[]): readonly Target[] {
  return left.flatMap((mine) => {
    const other = right.find(({ agent }) => agent === mine.agent)
    if (other === undefined) return []
    return [mine.mode === 'bounded' ? mine : other]
  })
}

function byAgent(left: Target, right: Target): number {
  if (left.agent === right.agent) return 0
  return left.agent < right.agent ? -1 : 1
}

/** In the order of the closed list, each once. */
function ordered(policies: readonly ApprovalPolicy[]): readonly ApprovalPolicy[] {
  return APPROVAL_POLICIES.filter((policy) => policies.includes(policy))
}
