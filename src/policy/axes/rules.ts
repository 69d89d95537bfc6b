/** The rules of a policy (pipeline.md §2, rules.md §1): short and long forms, ids, exceptions, examples. */

import { z } from 'zod'
import { EFFECTS, type Effect } from '../../core/effect.js'
import { ConfigError } from '../../core/errors.js'
import type { Json, JsonObject } from '../../core/json.js'
import { RESERVED_PREFIXES } from '../../core/reasons.js'
import { closed, excessIf, fault, faultFrom, readKey, type Axis, type Reading } from '../axis.js'
import type { Rule } from '../effective-policy.js'
import { nearest } from '../nearest.js'
import { checkExamples, type Examples } from '../rules/examples.js'
import { compileMatch } from '../rules/match.js'

/** Rules unite; one id for two different rules is a `ConfigError duplicate_rule`. */
export const rules: Axis<'rules'> = {
  name: 'rules',
  keys: ['rules'],
  forms: () => ({ rules: [z.array(z.union([z.string().regex(SHORT_TEXT), stated]))] }),
  read: ({ rules: value }) =>
    value === undefined ? { ok: true, value: undefined } : readRules(value),
  write: (value): JsonObject => ({ rules: value.map(writeRule) }),
  absent: [],
  meet: uniteRules,
  /** Rules of a constraint add to the parent's; an allow among them is kept without effect. */
  join: (given, parent) => uniteRules(parent, given.map(asConstraint)),
  force: (given, parent) =>
    given.map(asConstraint).reduce<readonly Rule[]>((rules, rule) => {
      const id = freeId(rule, rules)
      return rules.some((other) => sameRule(other, rule)) ? rules : [...rules, { ...rule, id }]
    }, parent),
  exceeds(child, parent) {
    const missing = parent.filter((rule) => !child.some((other) => sameRule(other, rule)))
    const added = child.filter(
      (rule) =>
        rule.effect === 'allow' &&
        rule.effective &&
        !parent.some((other) => sameRule(other, rule) && other.effective),
    )
    return [
      ...excessIf(missing.length > 0, 'rules', { parent: ids(missing), given: [] }),
      ...excessIf(added.length > 0, 'rules', { parent: [], given: ids(added) }),
    ]
  },
  excess: 'refused',
}

/** All rules of both, the left ones first. Throws `ConfigError duplicate_rule`. */
function uniteRules(left: readonly Rule[], right: readonly Rule[]): readonly Rule[] {
  const known = new Map(left.map((rule) => [rule.id, rule]))
  const added = right.filter((rule) => {
    const other = known.get(rule.id)
    if (other !== undefined && !sameRule(other, rule)) throw duplicate(rule.id)
    return other === undefined
  })
  return [...left, ...added]
}

function asConstraint(rule: Rule): Rule {
  return { ...rule, source: 'session', effective: rule.effect !== 'allow' }
}

/** The rule's own id, or one with a number when another rule below already has it. */
function freeId({ id }: Rule, rules: readonly Rule[]): string {
  const isTaken = (name: string): boolean => rules.some((rule) => rule.id === name)
  if (!isTaken(id)) return id
  let number = 2
  while (isTaken(`${id}.${number}`)) number += 1
  return `${id}.${number}`
}

function ids(some: readonly Rule[]): readonly string[] {
  return some.map((rule) => rule.id)
}

interface StatedRule {
  readonly id?: string | undefined
  readonly effect: Effect
  readonly match: string
  readonly except?: readonly string[] | undefined
  readonly reason?: string | undefined
  readonly examples?: Examples | undefined
}

const list: z.ZodType<readonly Json[]> = z.array(z.custom<Json>(() => true)).max(100_000)
const texts = z.array(z.string()).max(4096).optional()
const stated: z.ZodType<StatedRule> = closed({
  id: z.string().optional(),
  effect: z.enum(EFFECTS),
  match: z.string(),
  except: texts,
  reason: z.string().max(4096).optional(),
  examples: closed({ match: texts, not_match: texts }).optional(),
})

/** The short form, for editors. */
const SHORT_TEXT = /^(?:allow|ask|deny) \S/u
const RULE_ID = /^[a-z0-9][a-z0-9._-]{0,63}$/

type Failure = ReturnType<typeof fault>

function readRules(value: Json): Reading<readonly Rule[]> {
  const reading = readKey(list, 'rules', value)
  if (!reading.ok) return reading
  const known = new Map<string, Rule>()
  for (const [index, entry] of reading.value.entries()) {
    const rule = readRule(entry, index)
    if (!rule.ok) return rule
    const other = known.get(rule.value.id)
    if (other !== undefined && !sameRule(other, rule.value)) {
      return fault('duplicate_rule', `two different rules have the id \`${rule.value.id}\``, {
        path: ['rules', index],
      })
    }
    if (other === undefined) known.set(rule.value.id, rule.value)
  }
  return { ok: true, value: [...known.values()] }
}

function readRule(entry: Json, index: number): Reading<Rule> {
  const path = ['rules', index] as const
  const short = shortText(entry)
  const form = short === null ? longForm(entry, index) : shortForm(short, path)
  if (!form.ok) return form
  const { effect, match, except = [], reason = '', examples = {} } = form.value
  const whole = `${effect} ${match}`
  const id = form.value.id ?? whole
  const wrong = badId(id, whole, path) ?? badMatches(match, except, path)
  if (wrong !== null) return wrong
  const rule: Rule = {
    id,
    effect,
    match,
    except: [...new Set(except)].sort(),
    reason: reason === '' ? null : reason,
    // The policy's own source is set when policies unite.
    source: 'user',
    effective: true,
  }
  const failing = checkExamples(rule, examples)
  if (failing !== null) {
    const { list: name, at, text } = failing
    return fault('failing_example', `\`${text}\` fails as an example of \`${match}\``, {
      path: [...path, 'examples', name, at],
    })
  }
  return { ok: true, value: rule }
}

/** The text of a short form, which may stand as it is or as `{rule: text}` (S1-86). */
function shortText(entry: Json): string | null {
  if (typeof entry === 'string') return entry
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return null
  const { rule, ...rest } = entry as JsonObject
  return typeof rule === 'string' && Object.keys(rest).length === 0 ? rule : null
}

function shortForm(text: string, path: readonly (string | number)[]): Reading<StatedRule> {
  const effect = EFFECTS.find((name) => text.startsWith(`${name} `))
  const match = text.slice((effect ?? '').length + 1)
  if (effect === undefined || match === '' || /^\s/.test(match)) {
    const word = text.trim().split(/[\s(]/)[0] ?? ''
    return fault('malformed_rule', `\`${text.slice(0, 80)}\` is no rule`, {
      path,
      allowed: EFFECTS.map((name) => `${name} <match>`),
      suggestion: nearest(word, EFFECTS),
    })
  }
  return { ok: true, value: { effect, match } }
}

/** As `readKey`, with the place of the rule put before every path. */
function longForm(entry: Json, index: number): Reading<StatedRule> {
  const reading = readKey(stated, 'rules', entry)
  if (reading.ok) return reading
  const [key = 'rules', ...rest] = reading.fault.path
  return { ok: false, fault: { ...reading.fault, path: [key, index, ...rest] } }
}

function badId(id: string, short: string, path: readonly (string | number)[]): Failure | null {
  const folded = id.trim().toLowerCase()
  const reserved = RESERVED_PREFIXES.find((prefix) => folded.startsWith(prefix))
  if (reserved !== undefined) {
    return fault('reserved_rule_id', `\`${reserved}\` ids are the library's own`, {
      path: [...path, 'id'],
    })
  }
  if (id === short || RULE_ID.test(id)) return null
  return fault('invalid_value', `\`${id.slice(0, 80)}\` is no rule id`, {
    path: [...path, 'id'],
    allowed: ['a-z, 0-9, `.`, `_` and `-`, at most 64, a letter or digit first'],
  })
}

function badMatches(
  match: string,
  except: readonly string[],
  path: readonly (string | number)[],
): Failure | null {
  try {
    compileMatch(match)
  } catch (error) {
    return faultFrom(error, [...path, 'match'])
  }
  for (const [at, text] of except.entries()) {
    try {
      compileMatch(text)
    } catch (error) {
      const failure = faultFrom(error, [...path, 'except', at])
      const whole = `${match.split('(')[0] ?? ''}(${text})`
      return failure.fault.suggestion !== undefined || text.includes('(')
        ? failure
        : { ok: false, fault: { ...failure.fault, suggestion: whole } }
    }
  }
  return null
}

function writeRule({ id, effect, match, except, reason }: Rule): JsonObject {
  return {
    id,
    effect,
    match,
    ...(except.length === 0 ? {} : { except }),
    ...(reason === null ? {} : { reason }),
  }
}

function sameRule(left: Rule, right: Rule): boolean {
  return JSON.stringify(writeRule(left)) === JSON.stringify(writeRule(right))
}

function duplicate(id: string): ConfigError {
  return new ConfigError('duplicate_rule', `two different rules have the id \`${id}\``, {
    path: ['rules'],
  })
}
