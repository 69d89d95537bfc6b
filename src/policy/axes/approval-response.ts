/** Who answers when a call asks (pipeline.md §2, §4 note 5). */

import { z } from 'zod'
import type { Json, JsonObject } from '../../core/json.js'
import { RESPONSE_POLICIES } from '../../core/reasons.js'
import { closed, filled, positive, readKey, type Axis, type Reading } from '../axis.js'
import type { ApprovalResponse } from '../effective-policy.js'

/** The stricter policy and the shorter wait; two different routes meet in `never`. */
export const approvalResponse: Axis<'approvalResponse'> = {
  name: 'approvalResponse',
  keys: ['approvalResponse'],
  forms: () => ({ approvalResponse: [word, stated] }),
  read: ({ approvalResponse: value }) =>
    value === undefined ? { ok: true, value: undefined } : readResponse(value),
  write: (value): JsonObject => ({ approvalResponse: { ...value } }),
  absent: { policy: 'prompt', timeoutMs: 30_000 },
  meet(left, right) {
    const timeoutMs = Math.min(left.timeoutMs, right.timeoutMs)
    if (left.policy === 'route' && right.policy === 'route') {
      const same = left.channel === right.channel && left.recipient === right.recipient
      return same ? { ...left, timeoutMs } : { policy: 'never', timeoutMs }
    }
    const rank = ({ policy }: ApprovalResponse): number => RESPONSE_POLICIES.indexOf(policy)
    return { ...(rank(left) <= rank(right) ? left : right), timeoutMs }
  },
  // Fixed by the kind of delegation, not narrowed.
  exceeds: () => [],
  excess: 'refused',
}

const DEFAULT_TIMEOUT_MS = 30_000

type Stated =
  | {
      readonly policy: 'never' | 'prompt' | 'parent'
      readonly timeoutMs?: number | undefined
    }
  | {
      readonly policy: 'route'
      readonly channel: string
      readonly recipient: string
      readonly timeoutMs?: number | undefined
    }

// A route without its recipient is none, so the bare word is no value.
const word: z.ZodType<'never' | 'prompt' | 'parent'> = z.enum(['never', 'prompt', 'parent'])
const timeoutMs = positive.optional()
const stated: z.ZodType<Stated> = z.discriminatedUnion('policy', [
  closed({ policy: z.enum(['never', 'prompt', 'parent']), timeoutMs }),
  closed({ policy: z.literal('route'), channel: filled, recipient: filled, timeoutMs }),
])

function readResponse(value: Json): Reading<ApprovalResponse> {
  if (typeof value === 'string') {
    const reading = readKey(word, 'approvalResponse', value)
    if (!reading.ok) return reading
    return { ok: true, value: { policy: reading.value, timeoutMs: DEFAULT_TIMEOUT_MS } }
  }
  const reading = readKey(stated, 'approvalResponse', value)
  if (!reading.ok) return reading
  const { timeoutMs: wait = DEFAULT_TIMEOUT_MS, ...rest } = reading.value
  return { ok: true, value: { ...rest, timeoutMs: wait } }
}
