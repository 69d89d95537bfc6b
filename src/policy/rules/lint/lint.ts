/** `lintPolicy` (rules.md §2): what policies say and do not do. Pure; nothing is loaded, run or asked. */

import { CAPABILITIES } from '../../../core/capability.js'
import { asWorkspaceSource } from '../../compile.js'
import type { PolicyAxes } from '../../effective-policy.js'
import { gainsOf } from '../../trust/gains.js'
import { unite } from '../../unite.js'
import { exceptFindings } from './excepts.js'
import type { Finding } from './finding.js'
import { narrowFindings } from './narrow.js'
import { patternFindings } from './patterns.js'
import { programFindings } from './programs.js'
import { nameFindings, reachFindings } from './reach.js'
import {
  findingAt,
  readSource,
  sameRule,
  type LintRule,
  type PolicyText,
  type ReadSource,
} from './read-source.js'
import { ruleText } from './rule-text.js'
import { shadowFindings } from './shadow.js'
import { starFindings } from './stars.js'

/**
 * Findings of one policy, or of several that will be in force together, in the order of their texts.
 * A rule that does not load is a finding and never skipped in silence. What is claimed of two rules is
 * proved; what cannot be proved is not claimed.
 */
export function lintPolicy(texts: readonly PolicyText[]): readonly Finding[] {
  const sources = texts.map(readSource)
  const rules = sources.flatMap((source) => source.rules)
  const axes = unitedAxes(sources)
  const found = [
    ...sources.flatMap(({ faults }) => faults),
    ...conflicts(rules),
    ...rules.flatMap((one) => ruleFindings(one, axes)),
    ...narrowFindings(rules),
    ...shadowFindings(rules, axes),
    ...sources.flatMap(ineffective),
  ]
  const order = new Map(texts.map(({ file }, place) => [file, place]))
  return found.sort(
    (left, right) =>
      (order.get(left.file) ?? 0) - (order.get(right.file) ?? 0) ||
      left.line - right.line ||
      left.column - right.column,
  )
}

function ruleFindings(one: LintRule, axes: PolicyAxes): readonly Finding[] {
  return [
    ...nameFindings(one),
    ...reachFindings(one, axes),
    ...patternFindings(one),
    ...programFindings(one),
    ...starFindings(one),
    ...exceptFindings(one),
  ]
}

/** Constraints have no axes of their own: what they leave out is the parent's. */
function unitedAxes(sources: readonly ReadSource[]): PolicyAxes {
  const policies = sources.flatMap(({ policy, given }) => {
    if (policy === null || given.kind === 'constraints') return []
    return [given.standing === 'untrusted' ? asWorkspaceSource(policy) : policy]
  })
  const axes = unite(policies)
  const isChild = sources.some(({ given }) => given.kind === 'constraints')
  // Of a parent that nobody gave nothing is known.
  return isChild && policies.length === 0 ? { ...axes, ...UNKNOWN_PARENT } : axes
}

const UNKNOWN_PARENT = {
  capabilities: CAPABILITIES,
  network: { mode: 'on', allow: null, deny: null },
} as const

/** Over several texts; within one it does not load. */
function conflicts(rules: readonly LintRule[]): readonly Finding[] {
  const known = new Map<string, LintRule>()
  return rules.flatMap((one) => {
    if (one.isEntry) return []
    const other = known.get(one.rule.id)
    if (other === undefined) known.set(one.rule.id, one)
    if (other === undefined || other.source === one.source || sameRule(other.rule, one.rule)) {
      return []
    }
    const message = `the id \`${one.rule.id}\` is that of another rule in ${other.source.given.file}; together they do not load`
    return [findingAt(one.source, one.path, { id: 'id-conflict', message, rule: ruleText(one) })]
  })
}

/** Allows and wider axes that do not count (H-01, delegation.md §2). */
function ineffective(source: ReadSource): readonly Finding[] {
  const { given, rules, policy } = source
  const isUntrusted = given.standing === 'untrusted'
  if (!isUntrusted && given.kind !== 'constraints') return []
  const why = isUntrusted
    ? 'a session could write this file, and nobody trusts it'
    : 'a child gets no allow of its own'
  const suggestion = isUntrusted ? `sixgate trust ${given.file}` : null
  const allows = rules
    .filter(({ rule, isEntry }) => rule.effect === 'allow' && !isEntry)
    .map((one) =>
      findingAt(source, one.path, {
        ...{ id: 'ineffective', message: `does not count: ${why}` },
        ...{ rule: ruleText(one), suggestion },
      }),
    )
  const gains = isUntrusted && policy !== null ? gainsOf(policy) : []
  const axes = gains.flatMap((gain) => {
    if (gain.kind !== 'axis') return []
    const key =
      gain.axis === 'capabilities' && !given.text.includes('"capabilities"')
        ? 'workMode'
        : gain.axis
    const message = `\`${key}\` counts only as far as it narrows: ${why}`
    return [findingAt(source, [key], { id: 'ineffective', message, suggestion })]
  })
  return [...allows, ...axes]
}
