/**
 * The table of ids and reasons (pipeline.md §4): layer × decision → `matched_rule` → reason code.
 * No other id or code exists; `docs/ids-and-reasons.md` shows the same rows and a test compares them.
 */

import type { Decision } from './effect.js'
import { ESCALATIONS } from './escalation.js'
import type { NodeLayer } from './layer-name.js'
import { REFUSAL_CODES } from './need.js'

/** How a question can end without a yes (pipeline.md §4 note 5). */
export const ANSWER_ENDS = [
  'rejected',
  'cancelled',
  'expired',
  'no_responder',
  'responder_failed',
  'never',
  'stale',
  'already_rejected',
  'ask_budget',
] as const
export type AnswerEnd = (typeof ANSWER_ENDS)[number]

/** Layer-4 policies (pipeline.md §2), each of which is the tail of a `default:` id. */
export const APPROVAL_POLICIES = [
  'deny_unlisted',
  'always_ask',
  'whitelist_accept',
  'accept_all',
] as const
export type ApprovalPolicy = (typeof APPROVAL_POLICIES)[number]

/** Layer-5 policies (pipeline.md §2), strictest first. */
export const RESPONSE_POLICIES = ['never', 'parent', 'route', 'prompt'] as const
export type ResponsePolicy = (typeof RESPONSE_POLICIES)[number]

/** One row: an exact id, or a family written `prefix<name>`; reason `end` is one of `ANSWER_ENDS`. */
export interface ReasonRow {
  readonly layer: NodeLayer | 'any'
  readonly decision: Decision
  readonly matchedRule: string
  readonly reason: string | null
}

/** Ids that are no literal: what a policy's author, a hook or an approval names. */
const RULE = '<rule>'
const ENTRY = '<whitelist entry>'

export const REASON_ROWS: readonly ReasonRow[] = [
  ...rows(['guard', 'allow'], ['origin:host', 'origin:host_nested'], () => null),
  ...rows(['guard', 'ask'], ['guard:<hook id>'], () => null),
  ...rows(
    ['guard', 'deny'],
    ['builtin:control_plane', 'builtin:floor.<name>', 'builtin:budget.<name>'],
    tail,
  ),
  ...rows(['guard', 'deny'], ['builtin:cancelled', 'builtin:unstable_policy'], tail),
  ...rows(['guard', 'deny'], ['guard:<hook id>'], () => 'hook'),
  ...rows(['work_mode', 'allow'], ['builtin:capability'], () => null),
  ...rows(['work_mode', 'deny'], ['builtin:missing_capability', 'builtin:tool_scope'], tail),
  ...rows(['work_mode', 'deny'], ['builtin:unknown_tool', 'builtin:invalid_args'], tail),
  ...rows(['work_mode', 'deny'], ['builtin:invalid_needs', 'builtin:invalid_escalation'], tail),
  ...rows(['work_mode', 'deny'], ['builtin:tool_changed'], tail),
  ...rows(['network', 'allow'], ['builtin:network_allow', 'builtin:network_grant'], () => null),
  ...rows(['network', 'deny'], ['builtin:network_off', 'builtin:network_host'], tail),
  ...rows(['user_rule', 'allow'], [RULE], () => null),
  ...rows(['user_rule', 'ask'], [RULE], () => null),
  ...rows(['user_rule', 'ask'], ['builtin:denied_suffix', 'builtin:credential'], () => null),
  ...rows(['user_rule', 'ask'], ['builtin:kernel', 'builtin:recursive'], () => null),
  ...rows(['user_rule', 'deny'], [RULE], () => 'rule'),
  ...rows(['user_rule', 'deny'], ['builtin:credential'], tail),
  ...rows(['tool_approval', 'allow'], [ENTRY, 'grant:<approval id>'], () => null),
  ...rows(['tool_approval', 'allow'], ['default:accept_all'], () => null),
  ...rows(
    ['tool_approval', 'ask'],
    ['default:always_ask', 'default:whitelist_accept', 'default:accept_all'],
    () => null,
  ),
  ...rows(
    ['tool_approval', 'ask'],
    ESCALATIONS.map((name) => `builtin:escalation.${name}`),
    () => null,
  ),
  ...rows(['tool_approval', 'deny'], ['default:deny_unlisted'], tail),
  ...rows(
    ['approval_response', 'allow'],
    ['default:prompt', 'default:parent', 'default:route'],
    () => null,
  ),
  ...rows(
    ['approval_response', 'deny'],
    ['default:prompt', 'default:parent', 'default:route'],
    () => 'end',
  ),
  ...rows(['approval_response', 'deny'], ['default:never', 'builtin:no_responder'], tail),
  ...rows(
    ['sandbox', 'allow'],
    ['builtin:driver.<name>', 'builtin:inside_profile', 'builtin:approved_unconfined'],
    () => null,
  ),
  ...rows(['sandbox', 'deny'], ['builtin:sandbox_unavailable', 'builtin:sandbox_refused'], tail),
  ...rows(['sandbox', 'deny'], ['builtin:outside_profile', 'builtin:protected_path'], tail),
  ...rows(['any', 'deny'], ['builtin:layer_fault'], tail),
]

/** Refusals that write neither node nor event (pipeline.md §4). */
export const UNRECORDED_REFUSALS = [
  'call_id_reused',
  'already_dispatched',
  'session_closed',
  'audit_unavailable',
] as const
export type UnrecordedRefusal = (typeof UNRECORDED_REFUSALS)[number]

/** Every reason that a node or a denial can carry. */
export type ReasonCode =
  | AnswerEnd
  | UnrecordedRefusal
  | 'control_plane'
  | `floor.${string}`
  | `budget.${string}`
  | 'unstable_policy'
  | 'hook'
  | 'missing_capability'
  | 'tool_scope'
  | 'unknown_tool'
  | 'invalid_args'
  | 'invalid_needs'
  | 'invalid_escalation'
  | 'tool_changed'
  | 'network_off'
  | 'network_host'
  | 'rule'
  | 'credential'
  | 'deny_unlisted'
  | 'sandbox_unavailable'
  | 'sandbox_refused'
  | 'outside_profile'
  | 'protected_path'
  | 'layer_fault'
  | 'oversize'
  | `refused.${string}`

/** Prefixes that no rule of a policy may take as its id (H-08). */
export const RESERVED_PREFIXES = [
  'builtin:',
  'default:',
  'grant:',
  'guard:',
  'origin:',
  'axis:',
] as const

/** True when the table has a row for this node; what it lacks no recorder accepts. */
export function isTabled(
  layer: NodeLayer,
  decision: Decision,
  matchedRule: string | null,
): boolean {
  if (decision === 'no_match') return matchedRule === null
  if (matchedRule === null) return false
  return REASON_ROWS.some(
    (row) =>
      (row.layer === layer || row.layer === 'any') &&
      row.decision === decision &&
      names(row.matchedRule, matchedRule),
  )
}

/** True when the table allows this reason beside this node. */
export function isTabledReason(
  layer: NodeLayer,
  decision: Decision,
  reason: string | null,
): boolean {
  if (reason === null) return decision !== 'deny'
  if (layer === 'user_rule' && reason === 'oversize') return decision !== 'allow'
  if (decision === 'no_match') return layer === 'user_rule' && isRefusalReason(reason)
  return REASON_ROWS.some(
    (row) =>
      (row.layer === layer || row.layer === 'any') &&
      row.decision === decision &&
      row.reason !== null &&
      (row.reason === 'end'
        ? (ANSWER_ENDS as readonly string[]).includes(reason)
        : names(row.reason, reason)),
  )
}

function isRefusalReason(reason: string): boolean {
  return REFUSAL_CODES.some((code) => reason === `refused.${code}`)
}

/** A row's id covers a concrete one: literally, as a family, or as a name that an author chose. */
function names(family: string, id: string): boolean {
  if (family === RULE || family === ENTRY) {
    // Rules that an axis lowers to are rules, and nobody else's id can begin like theirs.
    if (family === RULE && id.startsWith('axis:')) return true
    return id !== '' && !RESERVED_PREFIXES.some((prefix) => id.startsWith(prefix))
  }
  const open = family.indexOf('<')
  if (open === -1) return family === id
  return id.startsWith(family.slice(0, open)) && id.length > open
}

function rows(
  [layer, decision]: readonly [ReasonRow['layer'], Decision],
  ids: readonly string[],
  reason: (id: string) => string | null,
): readonly ReasonRow[] {
  return ids.map((matchedRule) => ({ layer, decision, matchedRule, reason: reason(matchedRule) }))
}

/** The reason of a denial is its id without `builtin:` or `default:`. */
function tail(id: string): string {
  return id.replace(/^(?:builtin|default):/, '')
}
