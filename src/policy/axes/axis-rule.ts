/** The form of a rule that an axis lowers to: always tightening, with a reserved id. */

import type { Effect } from '../../core/effect.js'
import type { Rule } from '../effective-policy.js'

/** A deny or ask rule `axis:<name>`; `except` names what the axis leaves open. */
export function axisRule(
  name: string,
  effect: Exclude<Effect, 'allow'>,
  { match, except = [] }: { readonly match: string; readonly except?: readonly string[] },
): Rule {
  return {
    id: `axis:${name}`,
    effect,
    match,
    except,
    reason: null,
    source: 'builtin',
    effective: true,
  }
}
