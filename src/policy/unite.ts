/** Several policies in one (pipeline.md §2): stated axes are met, rules united, nobody's statement is lost. */

import type { Policy } from '../contract/policy.js'
import { frozen } from '../encoding/freeze.js'
import { AXIS_NAMES, axes } from './axes.js'
import type { AxisName } from './axis.js'
import { originOf, statedAxes } from './compile.js'
import type { PolicyAxes, Rule } from './effective-policy.js'

/**
 * The axes of all policies together. Defaults fill only what no trusted policy states; a workspace
 * policy then narrows the result and never widens it, and its allow rules are kept without effect; one
 * whose bytes a person trusts counts as the trusted ones do (H-01).
 */
export function unite(policies: readonly Policy[]): PolicyAxes {
  const trusted = [
    ...policies.filter(({ source }) => source === 'managed'),
    ...policies.filter(({ source }) => source === 'user'),
    ...policies.filter((policy) => policy.source === 'workspace' && isTrusted(policy)),
  ]
  const untrusted = policies.filter((policy) => policy.source === 'workspace' && !isTrusted(policy))
  const united = Object.fromEntries(
    AXIS_NAMES.map((name) => [name, uniteAxis(name, trusted, untrusted)]),
  )
  return frozen(united) as unknown as PolicyAxes
}

function uniteAxis<Name extends AxisName>(
  name: Name,
  trusted: readonly Policy[],
  untrusted: readonly Policy[],
): PolicyAxes[Name] {
  const axis = axes[name]
  const [first, ...others] = trusted.flatMap((policy) => statement(name, policy))
  const base = others.reduce((value, other) => axis.meet(value, other), first ?? axis.absent)
  return untrusted
    .flatMap((policy) => statement(name, policy))
    .reduce((value, other) => axis.meet(value, other), base)
}

/** What one policy says of an axis, as a list of none or one. */
function statement<Name extends AxisName>(name: Name, policy: Policy): readonly PolicyAxes[Name][] {
  const value: PolicyAxes[Name] | undefined = statedAxes(policy)[name]
  if (value === undefined) return []
  if (name !== 'rules') return [value]
  const rules = (value as PolicyAxes['rules']).map((rule) => labelled(rule, policy))
  return [rules as unknown as PolicyAxes[Name]]
}

/** Only here a rule learns where it comes from. */
function labelled(rule: Rule, policy: Policy): Rule {
  const { source } = policy
  const counts = source !== 'workspace' || isTrusted(policy)
  return { ...rule, source, effective: counts || rule.effect !== 'allow' }
}

function isTrusted(policy: Policy): boolean {
  return originOf(policy).trusted === true
}
