/** Rules that an axis stands for (delegation.md §2): layers see rules and know no axis. */

import { AXIS_NAMES, axes as table } from './axes.js'
import type { AxisName } from './axis.js'
import type { PolicyAxes, Rule } from './effective-policy.js'

/** Every rule that the axes of a policy lower to; their ids begin with `axis:`. */
export function loweredRules(axes: PolicyAxes): readonly Rule[] {
  return AXIS_NAMES.flatMap((name) => lower(name, axes))
}

function lower<Name extends AxisName>(name: Name, axes: PolicyAxes): readonly Rule[] {
  return table[name].lower?.(axes[name]) ?? []
}
