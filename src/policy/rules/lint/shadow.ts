/** Rules that another rule covers (rules.md §2): proved by `coversMatch`, never guessed. */

import type { PolicyAxes } from '../../effective-policy.js'
import { loweredRules } from '../../lowered.js'
import { compileMatch } from '../match.js'
import type { Claim } from './cover/claim.js'
import { coversMatch } from './cover/covers.js'
import { CoverIndex } from './cover/cover-index.js'
import type { Finding } from './finding.js'
import { findingAt, sameRule, type LintRule } from './read-source.js'
import { ruleText } from './rule-text.js'

/** A rule that may cover others: one of a document, or one that an axis stands for. */
type Outer = Pick<LintRule, 'rule' | 'match' | 'except'> & { readonly one: LintRule | null }

/** Findings of all rules against each other. */
export function shadowFindings(rules: readonly LintRule[], axes: PolicyAxes): readonly Finding[] {
  const outers = [...rules.filter(({ isEntry }) => !isEntry).map(asOuter), ...axisRules(axes)]
  const index = new CoverIndex(outers)
  const places = new Map(rules.map((one, place) => [one, place]))
  const findings = rules.flatMap((inner) => {
    const useless = index.candidates(inner.match).filter((outer) => stands(outer, inner, places))
    const isStricter = ({ rule }: Outer): boolean => rule.effect !== inner.rule.effect
    const found = useless.find(isStricter) ?? useless[0]
    return found === undefined ? [] : [report(inner, found)]
  })
  const [first] = rules
  if (!index.isExhausted() || first === undefined) return findings
  const message = 'too many rules: not every pair was compared'
  return [...findings, findingAt(first.source, ['rules'], { id: 'not-compared', message })]
}

function asOuter(one: LintRule): Outer {
  return { rule: one.rule, match: one.match, except: one.except, one }
}

function axisRules(axes: PolicyAxes): readonly Outer[] {
  return loweredRules(axes).map((rule) => ({
    rule,
    match: compileMatch(rule.match),
    except: rule.except.map(compileMatch),
    one: null,
  }))
}

const STRICTNESS = ['allow', 'ask', 'deny'] as const

/** True when `outer` makes `inner` useless. Of two that cover each other the first one stands. */
function stands(outer: Outer, inner: LintRule, places: ReadonlyMap<LintRule, number>): boolean {
  if (outer.one === inner) return false
  const by = STRICTNESS.indexOf(outer.rule.effect) - STRICTNESS.indexOf(inner.rule.effect)
  if (by < 0 || (by === 0 && (outer.one === null || inner.isEntry))) return false
  // An allow without effect makes no other one useless.
  if (outer.rule.effect === 'allow' && outer.one !== null && !counts(outer.one)) return false
  if (!coversRule(outer, inner)) return false
  if (by > 0 || outer.one === null) return true
  const isFirst = (places.get(outer.one) ?? 0) < (places.get(inner) ?? 0)
  return isFirst || !coversRule(asOuter(inner), outer.one)
}

function counts({ source }: LintRule): boolean {
  return source.given.standing !== 'untrusted' && source.given.kind !== 'constraints'
}

function coversRule(outer: Outer, inner: LintRule): boolean {
  return (
    exceptionsHold(outer, inner) && coversMatch(outer.match, inner.match, claimOf(outer, inner))
  )
}

function claimOf(outer: Outer, inner: LintRule): Claim {
  if (outer.rule.effect === 'allow') return 'proof_in_proof'
  return inner.rule.effect === 'allow' ? 'proof_in_suspicion' : 'suspicion_in_suspicion'
}

/** What the covering rule leaves out, the covered one must leave out as well. */
function exceptionsHold({ rule, match }: Outer, inner: LintRule): boolean {
  if (rule.except.length === 0) return true
  return (
    rule.effect === inner.rule.effect &&
    match.parsed.tool === inner.match.parsed.tool &&
    rule.except.every((except) => inner.rule.except.includes(except))
  )
}

function report(inner: LintRule, { rule, one }: Outer): Finding {
  const place = one === null ? 'an axis' : placeOf(one)
  const text = one === null ? `${rule.effect} ${rule.match}` : ruleText(one)
  const said = { rule: ruleText(inner) }
  if (rule.effect !== inner.rule.effect) {
    const message = `\`${text}\` (${place}) meets everything that this ${inner.isEntry ? 'entry' : 'rule'} does, and is stricter`
    return findingAt(inner.source, inner.path, { ...said, id: 'shadowed', message })
  }
  const isSame = sameRule(rule, inner.rule)
  const id = isSame ? 'duplicate' : 'redundant'
  const message = isSame ? `stands at ${place} as well` : `\`${text}\` (${place}) covers it`
  return findingAt(inner.source, inner.path, { ...said, id, message })
}

function placeOf({ source, path }: LintRule): string {
  const { line, column } = source.locate(path)
  return `${source.given.file}:${line}:${column}`
}
