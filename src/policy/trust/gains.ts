/** What trusting a policy file would make effective (pipeline.md §2, H-01): its allows, and all that widens. */

import type { Policy } from '../../contract/policy.js'
import { canonicalText } from '../../encoding/canonical.js'
import { AXIS_NAMES } from '../axes.js'
import { asWorkspaceSource } from '../compile.js'
import type { PolicyAxes, Rule } from '../effective-policy.js'
import { unite } from '../unite.js'

/** One thing that does not count without trust. */
export type Gain =
  | { readonly kind: 'rule'; readonly id: string; readonly text: string }
  /** Canonical JSON of an axis, without trust and with it. */
  | { readonly kind: 'axis'; readonly axis: string; readonly from: string; readonly to: string }

/**
 * Everything, rules first. Measured against the strict defaults: beside other trusted policies the file
 * widens less, never more, because every axis is met over all of them.
 */
export function gainsOf(policy: Policy): readonly Gain[] {
  const without = unite([asWorkspaceSource(policy)])
  const trusted = unite([asWorkspaceSource(policy, true)])
  return [
    ...trusted.rules.filter(({ effect }) => effect === 'allow').map(ruleGain),
    ...AXIS_NAMES.flatMap((name) => axisGain(name, without, trusted)),
  ]
}

function ruleGain({ id, match, except }: Rule): Gain {
  const exceptions = except.length === 0 ? '' : ` except ${except.join(', ')}`
  return { kind: 'rule', id, text: `allow ${match}${exceptions}` }
}

function axisGain(
  axis: keyof PolicyAxes,
  without: PolicyAxes,
  trusted: PolicyAxes,
): readonly Gain[] {
  if (axis === 'rules') return []
  const from = canonicalText({ value: without[axis] })
  const to = canonicalText({ value: trusted[axis] })
  return from === to ? [] : [{ kind: 'axis', axis, from: inner(from), to: inner(to) }]
}

/** A lone `null` has no canonical text of its own. */
function inner(text: string): string {
  return text.slice('{"value":'.length, -1)
}
