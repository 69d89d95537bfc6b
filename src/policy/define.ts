/** Policies as code (pipeline.md §2). */

import { ConfigError } from '../core/errors.js'
import type { Policy, PolicyInput } from '../contract/policy.js'
import { compilePolicy } from './compile.js'

/**
 * Checks and canonicalises a policy. Short and long forms give the same digest; what is not stated
 * stays out of it. Throws `ConfigError` with path, allowed values and a suggestion.
 *
 * @example definePolicy({ workMode: 'rw', rules: ['deny bash(git push:*)'] })
 */
export function definePolicy(input: PolicyInput): Policy {
  return compilePolicy(withoutUndefined(input, 0), { source: 'user', file: null })
}

/** `undefined` is "not given" in code and nothing in JSON. Whatever is not plain stays as it is, to be refused. */
function withoutUndefined(value: unknown, depth: number): unknown {
  if (depth > 64) throw new ConfigError('invalid_value', 'a policy of more than 64 levels')
  if (Array.isArray(value)) return value.map((entry) => withoutUndefined(entry, depth + 1))
  if (typeof value !== 'object' || value === null) return value
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return value
  const kept = Object.entries(value).filter(([, entry]) => entry !== undefined)
  return Object.fromEntries(kept.map(([key, entry]) => [key, withoutUndefined(entry, depth + 1)]))
}
