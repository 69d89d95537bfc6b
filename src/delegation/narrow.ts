/** One narrowing against one policy, axis by axis (delegation.md §2). Knows the table and no axis. */

import { ConfigError, DelegationError, type Violation } from '../core/errors.js'
import type { Json, JsonObject } from '../core/json.js'
import { AXIS_NAMES, axes as table } from '../policy/axes.js'
import type { Axis, AxisName } from '../policy/axis.js'
import type { PolicyAxes } from '../policy/effective-policy.js'
import { copyJson } from '../encoding/plain-json.js'

/** What a narrowing comes to. */
export interface Narrowed {
  /** Never wider than the parent's, whatever was asked. */
  readonly axes: PolicyAxes
  /** Explicit values that ask for more: the whole narrowing is refused while there is one. */
  readonly violations: readonly Violation[]
  /** Explicit wider values of axes that give the parent's value instead (S0-21, S0-26). */
  readonly clamped: readonly Violation[]
}

/** Axes that a narrowing does not hold: one is chosen, one is fixed for each delegation. */
const NOT_NARROWED: readonly AxisName[] = ['toolApproval', 'approvalResponse']
const NARROWED = AXIS_NAMES.filter((name) => !NOT_NARROWED.includes(name))

/** Throws `DelegationError invalid_constraint` for what no axis can read, and `duplicate_rule`. */
export function narrow(parent: PolicyAxes, given: JsonObject): Narrowed {
  return narrowBy('join', parent, given)
}

/** The same without refusals, for a narrowing that an ancestor has decided: what asks for more is met. */
export function force(parent: PolicyAxes, given: JsonObject): PolicyAxes {
  return narrowBy('force', parent, given).axes
}

function narrowBy(way: 'join' | 'force', parent: PolicyAxes, given: JsonObject): Narrowed {
  refuseUnknownKeys(given)
  const results = NARROWED.map((name) => narrowAxis(name, way, { parent, given }))
  const parts = Object.fromEntries(results.map(({ name, value }) => [name, value]))
  const excess = (kind: 'refused' | 'clamped'): readonly Violation[] =>
    results.filter(({ name }) => table[name].excess === kind).flatMap((result) => result.excess)
  return {
    axes: { ...parent, ...parts },
    violations: excess('refused'),
    clamped: excess('clamped'),
  }
}

/** A narrowing as the plain JSON that axes read. Throws `DelegationError invalid_constraint`. */
export function narrowingDocument(given: unknown): JsonObject {
  const copy = copyJson(withoutUndefined(given))
  if (copy.ok && typeof copy.value === 'object' && copy.value !== null) {
    if (!Array.isArray(copy.value)) return copy.value as JsonObject
  }
  throw new DelegationError('invalid_constraint', 'constraints are a plain JSON object')
}

/** `undefined` is "not given" in code; nested objects of the API are one level deep. */
function withoutUndefined(given: unknown): unknown {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return given
  const prototype: unknown = Object.getPrototypeOf(given)
  if (prototype !== Object.prototype && prototype !== null) return given
  const kept = Object.entries(given).filter(([, value]) => value !== undefined)
  return Object.fromEntries(kept.map(([key, value]) => [key, withoutUndefined(value)]))
}

function refuseUnknownKeys(given: JsonObject): void {
  const known = NARROWED.flatMap((name) => table[name].keys)
  const unknown = Object.keys(given).find((key) => !known.includes(key))
  if (unknown === undefined) return
  throw new DelegationError('invalid_constraint', `\`${unknown}\` is no constraint`)
}

interface AxisResult {
  readonly name: AxisName
  readonly value: unknown
  readonly excess: readonly Violation[]
}

function narrowAxis<Name extends AxisName>(
  name: Name,
  way: 'join' | 'force',
  { parent, given }: { readonly parent: PolicyAxes; readonly given: JsonObject },
): AxisResult {
  const axis = table[name]
  const mine = parent[name]
  if (axis.keys.every((key) => given[key] === undefined)) return { name, value: mine, excess: [] }
  return asDelegation(() => {
    const stated = readAxis(axis, mine, given)
    const value = axis[way]?.(stated, mine) ?? stated
    const excess = axis.exceeds(value, mine).map((one) => ({ axis: name, ...one }))
    return { name, value: axis.meet(mine, value), excess }
  })
}

/** What is wrong with the text of a constraint is wrong with the delegation. */
function asDelegation<T>(compute: () => T): T {
  try {
    return compute()
  } catch (cause) {
    if (!(cause instanceof ConfigError)) throw cause
    const code = cause.code === 'duplicate_rule' ? 'duplicate_rule' : 'invalid_constraint'
    throw new DelegationError(code, cause.message, { cause })
  }
}

function readAxis<Name extends AxisName>(
  axis: Axis<Name>,
  parent: PolicyAxes[Name],
  given: JsonObject,
): PolicyAxes[Name] {
  const written = axis.write(parent)
  const complete = (key: string, value: Json): Json =>
    axis.inherit === undefined ? fill(value, written[key]) : axis.inherit(value, parent)
  const entries = axis.keys.flatMap((key) => {
    const value = given[key]
    return value === undefined ? [] : [[key, complete(key, value)] as const]
  })
  const reading = axis.read(Object.fromEntries(entries))
  if (reading.ok) return reading.value ?? parent
  const { code, message, ...facts } = reading.fault
  throw new ConfigError(code, message, facts)
}

/** What an object omits it inherits, key by key and level by level; anything else stands as it is. */
function fill(given: Json, parent: unknown): Json {
  if (!isObject(given) || !isObject(parent)) return given
  const keys = new Set([...Object.keys(parent), ...Object.keys(given)])
  return Object.fromEntries(
    [...keys].map((key) => {
      // Own keys only: `constructor` may be a name like any other.
      const inherited = Object.hasOwn(parent, key) ? parent[key] : undefined
      const own = Object.hasOwn(given, key) ? given[key] : undefined
      return [key, own === undefined ? (inherited ?? null) : fill(own, inherited)]
    }),
  )
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
