/** The shape of an axis (pipeline.md §2): how it is read, what it is when nobody states it, how two values meet. */

import { z } from 'zod'
import type { Effect } from '../core/effect.js'
import { ConfigError, type ConfigCode } from '../core/errors.js'
import type { Json, JsonObject } from '../core/json.js'
import type { PolicyAxes, Rule } from './effective-policy.js'
import { nearest } from './nearest.js'

export type AxisName = keyof PolicyAxes

/** Why a document states no value, and where: the facts of a `ConfigError`. */
export interface AxisFault {
  readonly code: ConfigCode
  readonly message: string
  readonly path: readonly (string | number)[]
  readonly allowed?: readonly string[] | undefined
  readonly suggestion?: string | undefined
}

/** What reading gives; the value is `undefined` when the document does not state the axis. */
export type Reading<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly fault: AxisFault }

/** One axis. Adding one costs a file, a line in `PolicyAxes` and a line in `axes.ts`. */
export interface Axis<Name extends AxisName> {
  readonly name: Name
  /** The keys of a document that state it. */
  readonly keys: readonly string[]
  /** The forms in which the value of each key may be written, for the published schema. */
  readonly forms: () => Readonly<Record<string, readonly z.ZodType[]>>
  readonly read: (document: JsonObject) => Reading<PolicyAxes[Name] | undefined>
  /** The long form in which a canonical document states the value, key by key. */
  readonly write: (value: PolicyAxes[Name]) => JsonObject
  readonly absent: PolicyAxes[Name]
  /** Never wider than either value. */
  readonly meet: (left: PolicyAxes[Name], right: PolicyAxes[Name]) => PolicyAxes[Name]
  /** Everything in which `child` goes beyond `parent`; empty exactly when child ⊑ parent. */
  readonly exceeds: (child: PolicyAxes[Name], parent: PolicyAxes[Name]) => readonly Excess[]
  /** What happens to a narrowing that explicitly asks for more (delegation.md §2). */
  readonly excess: 'refused' | 'clamped'
  /** The stated value with the parent's in place of what it omits; absent: objects are filled key by key. */
  readonly inherit?: ((given: Json, parent: PolicyAxes[Name]) => Json) | undefined
  /** How a stated value joins the parent's where it adds to it; absent: it stands beside it. */
  readonly join?:
    ((given: PolicyAxes[Name], parent: PolicyAxes[Name]) => PolicyAxes[Name]) | undefined
  /** As `join` for a value that must take effect: nothing in the parent's makes it fail. */
  readonly force?:
    ((given: PolicyAxes[Name], parent: PolicyAxes[Name]) => PolicyAxes[Name]) | undefined
  /** Rules with ids `axis:…` that enforce the value, so that no layer knows the axis. */
  readonly lower?: ((value: PolicyAxes[Name]) => readonly Rule[]) | undefined
}

/** One field in which a value asks for more than its parent has. */
export interface Excess {
  readonly field: string
  readonly parent: Json
  readonly given: Json
}

/** The excess of one field, if it is one. */
export function excessIf(
  isExcess: boolean,
  field: string,
  values: { readonly parent: Json; readonly given: Json },
): readonly Excess[] {
  return isExcess ? [{ field, ...values }] : []
}

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

/** Reads one key by a schema; keys that the schema does not have, and values outside of it, are faults with what is allowed. */
export function readKey<T>(schema: z.ZodType<T>, key: string, value: Json): Reading<T> {
  const result = schema.safeParse(value)
  if (result.success) return { ok: true, value: result.data }
  const issue = result.error.issues[0]
  if (issue === undefined) return fault('invalid_value', `\`${key}\` is wrong`, { path: [key] })
  return { ok: false, fault: faultOf(issue, key, value) }
}

/** A fault in the shape that `read` returns. */
export function fault(
  code: ConfigCode,
  message: string,
  place: Omit<AxisFault, 'code' | 'message'>,
): { readonly ok: false; readonly fault: AxisFault } {
  return { ok: false, fault: { code, message, ...place } }
}

/** A `ConfigError` as a fault below `path`; anything else is thrown on. */
export function faultFrom(
  error: unknown,
  path: readonly (string | number)[],
): { readonly ok: false; readonly fault: AxisFault } {
  if (!(error instanceof ConfigError)) throw error
  return fault(error.code, error.message, {
    path,
    allowed: error.allowed,
    suggestion: error.suggestion,
  })
}

/** An object with exactly these keys; the fault of another key lists them. */
export function closed<Shape extends z.ZodRawShape>(
  shape: Shape,
): z.ZodObject<Shape, z.core.$strict> {
  const keys = Object.keys(shape).join(SEPARATOR)
  return z.strictObject(shape, {
    error: (issue) => (issue.code === 'unrecognized_keys' ? keys : undefined),
  })
}

/** A whole number from 1 on. */
export const positive: z.ZodType<number> = z.int().min(1)

/** A text that says something. */
export const filled: z.ZodType<string> = z.string().min(1).max(4096)

/** Parts the keys that an `unrecognized_keys` issue carries as its message. */
const SEPARATOR = ' '

type Issue = z.core.$ZodIssue

function faultOf(issue: Issue, key: string, value: Json): AxisFault {
  const path = [key, ...issue.path.map((step) => (typeof step === 'number' ? step : String(step)))]
  const given = valueAt(value, path.slice(1))
  if (issue.code === 'unrecognized_keys') {
    const unknown = issue.keys[0] ?? ''
    const allowed = issue.message.split(SEPARATOR)
    return {
      code: 'unknown_key',
      message: `unknown key \`${unknown}\` in \`${path.join('.')}\``,
      path: [...path, unknown],
      allowed,
      suggestion: nearest(unknown, allowed),
    }
  }
  const allowed = allowedBy(issue)
  const shown = given === undefined ? 'nothing' : `\`${JSON.stringify(given).slice(0, 80)}\``
  return {
    code: 'invalid_value',
    message: `${shown} is no value of \`${path.join('.')}\``,
    path,
    allowed,
    suggestion: typeof given === 'string' ? nearest(given, allowed) : undefined,
  }
}

function allowedBy(issue: Issue): readonly string[] {
  if (issue.code === 'invalid_value') return issue.values.map(String)
  if (issue.code === 'invalid_type') {
    return [EXPECTED[issue.expected] ?? `a value of type ${issue.expected}`]
  }
  if (issue.code === 'too_small') {
    return [issue.origin === 'string' ? 'a text that is not empty' : 'a whole number from 1 on']
  }
  if (issue.code === 'too_big') return [`at most ${issue.maximum}`]
  if (issue.code !== 'invalid_union') return [issue.message]
  return 'options' in issue && Array.isArray(issue.options) ? issue.options.map(String) : []
}

const EXPECTED: Readonly<Record<string, string>> = {
  int: 'a whole number from 1 on',
  number: 'a whole number from 1 on',
  string: 'a text',
  array: 'a list',
  object: 'an object',
}

function valueAt(value: Json, path: readonly (string | number)[]): Json | undefined {
  let at: Json | undefined = value
  for (const step of path) {
    if (typeof at !== 'object' || at === null) return undefined
    at = (at as Readonly<Record<string | number, Json>>)[step]
  }
  return at
}
