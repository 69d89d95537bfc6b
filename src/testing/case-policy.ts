/** The policy of a case, completed so that only what it is about decides (rules.md §7). */

import type { PolicyInput } from '../contract/policy.js'
import { APPROVAL_POLICIES } from '../core/reasons.js'

/** An axis that is absent is added, one that is present is completed key by key. Nothing is checked. */
export function completedPolicy(given: Readonly<Record<string, unknown>>): PolicyInput {
  const mode = ['capabilities', 'workMode', 'profile'].some((key) => key in given)
    ? {}
    : { workMode: 'full' }
  const axes = Object.entries(DEFAULTS).map(([axis, { short, long }]) => [
    axis,
    completedAxis(given[axis], short, long),
  ])
  // What the case really says is for the compiler to judge, which refuses what is no policy.
  return { ...mode, ...given, ...Object.fromEntries(axes) } as PolicyInput
}

/** `short`: the key that a bare name stands for; `null` where an axis has no short form. */
const DEFAULTS: Readonly<
  Record<
    string,
    { readonly short: string | null; readonly long: Readonly<Record<string, unknown>> }
  >
> = {
  network: { short: 'mode', long: { mode: 'on' } },
  toolApproval: { short: 'policy', long: { policy: 'whitelist_accept', whitelist: [] } },
  approvalResponse: { short: 'policy', long: { policy: 'prompt' } },
  sandbox: { short: null, long: { mode: 'workspace_write' } },
  delegation: { short: null, long: { mode: 'allow', approvalPolicies: [...APPROVAL_POLICIES] } },
}

function completedAxis(
  given: unknown,
  short: string | null,
  long: Readonly<Record<string, unknown>>,
): unknown {
  if (given === undefined) return long
  if (short !== null && typeof given === 'string') return { ...long, [short]: given }
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return given
  return { ...long, ...given }
}
