/** One policy text as lint looks at it: every part that loads, and a finding for every part that does not. */

import type { Policy } from '../../../contract/policy.js'
import { ConfigError } from '../../../core/errors.js'
import type { Json, JsonObject } from '../../../core/json.js'
import { rules as rulesAxis } from '../../axes/rules.js'
import { compilePolicy } from '../../compile.js'
import type { Rule } from '../../effective-policy.js'
import { readDocument, type Place } from '../../load.js'
import { compileMatch, type CompiledMatch } from '../match.js'
import type { Finding, FindingId } from './finding.js'
import { FINDINGS } from './finding.js'

/** A policy text, or the constraints that a delegation puts on a child. */
export interface PolicyText {
  readonly file: string
  readonly text: string
  /** `untrusted`: a file that a session could write, which nobody trusts (H-01). Default `trusted`. */
  readonly standing?: 'trusted' | 'untrusted' | undefined
  /** Default `policy`. */
  readonly kind?: 'policy' | 'constraints' | undefined
}

/** A rule or a whitelist entry, compiled, and where it stands. */
export interface LintRule {
  readonly rule: Rule
  readonly isEntry: boolean
  readonly match: CompiledMatch
  readonly except: readonly CompiledMatch[]
  readonly source: ReadSource
  readonly path: readonly (string | number)[]
}

/** What could be read of one text. */
export interface ReadSource {
  readonly given: PolicyText
  readonly locate: (path: ConfigError['path']) => Place
  /** The parts that load, rules left out; `null` when there is no document at all. */
  readonly policy: Policy | null
  readonly rules: readonly LintRule[]
  readonly faults: readonly Finding[]
}

/** Reads everything that can be read. Throws nothing: what does not load is a finding. */
export function readSource(given: PolicyText): ReadSource {
  try {
    const { value, locate } = readDocument(given.text, given.file)
    return readParts({ given, locate, policy: null, rules: [], faults: [] }, value)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const { line = 1, column = 1 } = error
    const locate = (): Place => ({ line, column })
    const empty = { given, locate, policy: null, rules: [], faults: [] }
    return { ...empty, faults: [faultOf(error, empty)] }
  }
}

/** A finding at a part of a text. */
export function findingAt(
  source: Pick<ReadSource, 'given' | 'locate'>,
  path: ConfigError['path'],
  said: Pick<Finding, 'message'> & {
    readonly id: FindingId
    readonly rule?: string | undefined
    readonly suggestion?: string | null | undefined
  },
): Finding {
  const { id, message, rule = null, suggestion = null } = said
  const { severity } = FINDINGS[id]
  const { file } = source.given
  return { id, severity, file, ...source.locate(path), rule, message, suggestion }
}

/** One fault hides the next, so what does not load is taken out and the rest is read again. */
const MOST_FAULTS = 100

function readParts(source: ReadSource, value: unknown): ReadSource {
  const faults: Finding[] = []
  const whole = isObject(value) ? withoutDelegation(value, source.given) : value
  const entries = listIn(whole, 'rules')
  const rest = isObject(whole) ? withoutKey(whole, entries.length > 0 ? 'rules' : '') : whole
  const policy = readRest(rest, faults, source)
  const rules = entries.flatMap((entry, index) => readRule(entry, index, { source, faults }))
  refuseTwins(rules, faults)
  const found = { ...source, policy, faults }
  return { ...found, rules: [...rules, ...entriesOf(policy, found, whole)] }
}

function readRest(rest: unknown, faults: Finding[], source: ReadSource): Policy | null {
  const { file } = source.given
  for (let left = rest; faults.length < MOST_FAULTS;) {
    try {
      return compilePolicy(left, { source: 'user', file })
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      faults.push(faultOf(error, source))
      const [key] = error.path
      if (!isObject(left) || typeof key !== 'string' || !(key in left)) return null
      left = withoutKey(left, key)
    }
  }
  return null
}

interface Reading {
  readonly source: ReadSource
  readonly faults: Finding[]
}

function readRule(entry: Json, index: number, { source, faults }: Reading): readonly LintRule[] {
  const reading = rulesAxis.read({ rules: [entry] })
  if (!reading.ok) {
    if (faults.length < MOST_FAULTS) {
      const path = reading.fault.path.map((step, at) => (at === 1 ? index : step))
      const { code, message, suggestion } = reading.fault
      faults.push(faultOf(new ConfigError(code, message, { path, suggestion }), source))
    }
    return []
  }
  return (reading.value ?? []).map((rule) =>
    compiled(rule, { source, path: ['rules', index], isEntry: false }),
  )
}

function compiled(rule: Rule, at: Pick<LintRule, 'source' | 'path' | 'isEntry'>): LintRule {
  return { rule, match: compileMatch(rule.match), except: rule.except.map(compileMatch), ...at }
}

/** The id of a rule is that of no other rule in one document. */
function refuseTwins(rules: readonly LintRule[], faults: Finding[]): void {
  const known = new Map<string, LintRule>()
  for (const one of rules) {
    const other = known.get(one.rule.id)
    known.set(one.rule.id, other ?? one)
    if (other === undefined || sameRule(other.rule, one.rule)) continue
    const message = `two different rules have the id \`${one.rule.id}\``
    faults.push(findingAt(one.source, one.path, { id: 'unloadable', message }))
  }
}

/** True when two rules say the same, their source aside. */
export function sameRule(left: Rule, right: Rule): boolean {
  const { effect, match, reason, except } = left
  return (
    effect === right.effect &&
    match === right.match &&
    reason === right.reason &&
    except.join('\n') === right.except.join('\n')
  )
}

/** Whitelist entries accept as allow rules do. */
function entriesOf(policy: Policy | null, source: ReadSource, whole: unknown): readonly LintRule[] {
  const whitelist = listIn(policy?.document['toolApproval'], 'whitelist')
  // In the order of the text; the canonical list is sorted.
  const written = listIn(isObject(whole) ? whole['toolApproval'] : null, 'whitelist')
  return whitelist.flatMap((text) => {
    if (typeof text !== 'string') return []
    const rule: Rule = {
      id: text,
      effect: 'allow',
      match: text,
      except: [],
      reason: null,
      source: 'user',
      effective: true,
    }
    const path = ['toolApproval', 'whitelist', written.indexOf(text)]
    return compiled(rule, { source, path, isEntry: true })
  })
}

function listIn(value: unknown, key: string): readonly Json[] {
  const list: unknown = isObject(value) ? value[key] : undefined
  return Array.isArray(list) ? (list as readonly Json[]) : []
}

function faultOf(error: ConfigError, source: Pick<ReadSource, 'given' | 'locate'>): Finding {
  const allowed = error.allowed === undefined ? '' : `; allowed: ${error.allowed.join(', ')}`
  const message = `${error.message} (${error.code})${allowed}`
  const { suggestion } = error
  return findingAt(source, error.path, { id: 'unloadable', message, suggestion })
}

/** Keys of a delegation that no policy has. */
function withoutDelegation(value: JsonObject, { kind }: PolicyText): JsonObject {
  if (kind !== 'constraints') return value
  return withoutKey(withoutKey(value, 'approvalCeiling'), 'bounding')
}

function withoutKey(value: JsonObject, key: string): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key))
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
