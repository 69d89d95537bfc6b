/** Constraints that a model wrote (delegation.md §2): only what cannot be anything but tightening. */

import type { Narrowing } from '../contract/delegation.js'
import { DelegationError } from '../core/errors.js'
import type { Json, JsonObject } from '../core/json.js'
import { narrowingDocument } from './narrow.js'

/** At most this many rules, and characters in each. */
const RULES = 50
const LENGTH = 256

/**
 * Takes capability and tool filters, deny and ask rules in the short form, `network: "off"` and a
 * stricter sandbox. Everything else throws `DelegationError invalid_constraint`: a model may not write
 * ids, reasons, examples or exceptions, and no allow.
 */
export function narrowingFromModel(input: unknown): Narrowing {
  const given = narrowingDocument(input)
  const unknown = Object.keys(given).find((key) => !Object.hasOwn(PARTS, key))
  if (unknown !== undefined) throw refused(`\`${unknown.slice(0, 40)}\` is not for a model to say`)
  const parts = Object.entries(given).map(([key, value]) => [key, partOf(key, value)] as const)
  return Object.fromEntries(parts)
}

type Part = (value: Json) => Json

const PARTS: Readonly<Record<string, Part>> = {
  capabilities: names,
  tools: toolFilter,
  rules,
  network(value) {
    if (value === 'off') return value
    throw refused('a model can only turn the network off')
  },
  sandbox,
}

function partOf(key: string, value: Json): Json {
  const part = PARTS[key]
  if (part === undefined) throw refused('unknown')
  return part(value)
}

function names(value: Json): Json {
  if (!isList(value) || value.length > RULES || !value.every(isShort)) {
    throw refused('a filter is a list of names')
  }
  return value
}

function toolFilter(value: Json): Json {
  if (value === 'none') return value
  if (!isObject(value)) throw refused('a tool filter has `only` and `exclude`')
  const { only, exclude, ...rest } = value
  if (Object.keys(rest).length > 0) throw refused('a tool filter has `only` and `exclude`')
  return {
    ...(only === undefined ? {} : { only: names(only) }),
    ...(exclude === undefined ? {} : { exclude: names(exclude) }),
  }
}

/** Ids are assigned: the text itself is a short form's id, so no rule of a parent can be met by it. */
function rules(value: Json): Json {
  if (!isList(value) || value.length > RULES) throw refused(`at most ${RULES} rules`)
  return value.map((rule) => {
    if (!isShort(rule)) throw refused(`a rule is a text of at most ${LENGTH} characters`)
    if (!/^(?:deny|ask) \S/.test(rule)) throw refused('a model can only deny and ask')
    return rule
  })
}

function sandbox(value: Json): Json {
  if (!isObject(value)) throw refused('a sandbox is an object')
  const { mode, limits, ...rest } = value
  if (Object.keys(rest).length > 0) throw refused('a model can only tighten mode and limits')
  if (mode !== undefined && mode !== 'read_only') throw refused('a model can only set `read_only`')
  if (limits !== undefined && !isObject(limits)) throw refused('limits are an object')
  return value
}

function isShort(value: Json): value is string {
  return typeof value === 'string' && value.length <= LENGTH
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value)
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function refused(message: string): DelegationError {
  return new DelegationError('invalid_constraint', message)
}
