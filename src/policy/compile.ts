/** From a document to a policy (pipeline.md §2): every axis read, the canonical form written, the digest taken. */

import { ConfigError, type ConfigFacts } from '../core/errors.js'
import type { Json, JsonObject } from '../core/json.js'
import type { Policy } from '../contract/policy.js'
import { canonicalDigest } from '../encoding/canonical.js'
import { frozen } from '../encoding/freeze.js'
import { copyJson } from '../encoding/plain-json.js'
import { AXIS_NAMES, axes } from './axes.js'
import type { AxisFault } from './axis.js'
import type { PolicyAxes } from './effective-policy.js'
import { withProfile } from './profiles.js'
import { nearest } from './nearest.js'

/** The axes that a policy states. */
export type StatedAxes = { readonly [Name in keyof PolicyAxes]?: PolicyAxes[Name] }

/** Checks a document and makes a policy of it. Throws `ConfigError` with path, allowed values and a suggestion. */
export function compilePolicy(given: unknown, origin: Origin): Policy {
  const document = plainDocument(given)
  checkKeys(document)
  return seal(readAxes(withProfile(document)), origin)
}

/** Where a policy is from. */
export interface Origin extends Pick<Policy, 'source' | 'file'> {
  /** SHA-256 of the bytes that were read; absent for a policy that was not read from a file. */
  readonly bytes?: string | undefined
  /** True for a `workspace` policy whose bytes a person trusts (H-01). */
  readonly trusted?: boolean | undefined
}

/** True for policies that this library made; a look-alike is none. */
export function isPolicy(value: unknown): value is Policy {
  return typeof value === 'object' && value !== null && sealed.has(value)
}

/** What a policy states. Throws `ConfigError invalid_option` for a look-alike. */
export function statedAxes(policy: Policy): StatedAxes {
  return sealOf(policy).stated
}

/** What is known of a policy beside its text. Throws `ConfigError invalid_option` for a look-alike. */
export function originOf(policy: Policy): Origin {
  return sealOf(policy).origin
}

/** The same policy as a `workspace` source, for a file that a session could write (H-01). */
export function asWorkspaceSource(policy: Policy, trusted = false): Policy {
  const { stated, origin } = sealOf(policy)
  return seal(stated, { ...origin, source: 'workspace', trusted })
}

interface Seal {
  readonly stated: StatedAxes
  readonly origin: Origin
}

const sealed = new WeakMap<object, Seal>()

function sealOf(policy: Policy): Seal {
  const seal = sealed.get(policy)
  if (seal !== undefined) return seal
  throw new ConfigError('invalid_option', 'not a policy of `definePolicy` or `loadPolicy`')
}

const OTHER_KEYS = ['$schema', 'version', 'profile']

function seal(stated: StatedAxes, origin: Origin): Policy {
  const { source, file } = origin
  const document = frozen(writeDocument(stated))
  const policy: Policy = Object.freeze({
    document,
    digest: canonicalDigest(document),
    source,
    file,
  })
  sealed.set(policy, { stated, origin })
  return policy
}

function plainDocument(given: unknown): JsonObject {
  const copy = copyJson(given)
  if (!copy.ok) {
    const path = copy.at.split('/').filter((step) => step !== '')
    throw new ConfigError('invalid_value', `a policy is plain JSON, not ${copy.reason}`, { path })
  }
  if (isObject(copy.value)) return copy.value
  throw new ConfigError('invalid_value', 'a policy is an object', { allowed: ['an object'] })
}

function checkKeys(document: JsonObject): void {
  const allowed = [...OTHER_KEYS, ...AXIS_NAMES.flatMap((name) => axes[name].keys)]
  const unknown = Object.keys(document).find((key) => !allowed.includes(key))
  if (unknown !== undefined) {
    throw new ConfigError('unknown_key', `unknown key \`${unknown}\``, {
      path: [unknown],
      allowed,
      suggestion: nearest(unknown, allowed),
    })
  }
  const { version, $schema } = document
  if (version !== undefined && version !== 1) {
    throw new ConfigError('invalid_value', 'an unknown version', {
      path: ['version'],
      allowed: ['1'],
    })
  }
  if ($schema !== undefined && typeof $schema !== 'string') {
    throw new ConfigError('invalid_value', '`$schema` is a text', { path: ['$schema'] })
  }
}

function readAxes(document: JsonObject): StatedAxes {
  const stated: Record<string, unknown> = {}
  for (const name of AXIS_NAMES) {
    const reading = axes[name].read(document)
    if (!reading.ok) throw configError(reading.fault)
    if (reading.value !== undefined) stated[name] = frozen(reading.value)
  }
  return stated
}

function writeDocument(stated: StatedAxes): JsonObject {
  return AXIS_NAMES.reduce<JsonObject>(
    (document, name) => ({ ...document, ...write(stated, name) }),
    { version: 1 },
  )
}

function write<Name extends keyof PolicyAxes>(stated: StatedAxes, name: Name): JsonObject {
  const value: PolicyAxes[Name] | undefined = stated[name]
  return value === undefined ? {} : axes[name].write(value)
}

function configError({ code, message, ...facts }: AxisFault): ConfigError {
  const given: ConfigFacts = facts
  return new ConfigError(code, message, given)
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
