/** The list of policy files that a person trusts (pipeline.md §2, H-01): which bytes, at which place. */

import { ConfigError } from '../../core/errors.js'

/** One decision of a person: these bytes at this place. Other bytes, or another place, are not trusted. */
export interface TrustEntry {
  /** Real and absolute. */
  readonly path: string
  /** SHA-256 of the file's bytes, lower-case hexadecimal. */
  readonly sha256: string
  /** RFC 3339, UTC. */
  readonly at: string
}

/** Reads the list. Throws `ConfigError` for anything but a whole list; then nothing is trusted. */
export function parseTrustList(text: string, file: string): readonly TrustEntry[] {
  const list = fieldsOf(parsed(text, file))
  const { trusted } = list
  const isList = list['schema_version'] === VERSION && Array.isArray(trusted)
  if (!isList || !hasOnly(list, ['schema_version', 'trusted'])) throw malformed(file)
  return (trusted as readonly unknown[]).map((entry) => entryOf(entry, file))
}

/** The text of a list, whose entries stand in the order of their paths. */
export function writeTrustList(entries: readonly TrustEntry[]): string {
  const trusted = [...entries].sort((left, right) => (left.path < right.path ? -1 : 1))
  return `${JSON.stringify({ schema_version: VERSION, trusted }, null, 2)}\n`
}

/** True when exactly these bytes at exactly this place are trusted. */
export function isOnTrustList(
  entries: readonly TrustEntry[],
  { path, sha256 }: Pick<TrustEntry, 'path' | 'sha256'>,
): boolean {
  return entries.some((entry) => entry.path === path && entry.sha256 === sha256)
}

const VERSION = 1

function parsed(text: string, file: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch (cause) {
    // Nothing is trusted: half a list may lack a revocation.
    throw malformed(file, cause)
  }
}

function entryOf(value: unknown, file: string): TrustEntry {
  const entry = fieldsOf(value)
  const { path, sha256, at } = entry
  const isWhole =
    typeof path === 'string' &&
    typeof sha256 === 'string' &&
    typeof at === 'string' &&
    /^(?:\/|[A-Za-z]:[\\/]|\\\\)/.test(path) &&
    /^[0-9a-f]{64}$/.test(sha256) &&
    hasOnly(entry, ['path', 'sha256', 'at'])
  if (!isWhole) throw malformed(file)
  return { path, sha256, at }
}

type Fields = Readonly<Record<string, unknown>>

function fieldsOf(value: unknown): Fields {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? (value as Fields) : {}
}

function hasOnly(fields: Fields, keys: readonly string[]): boolean {
  return Object.keys(fields).every((key) => keys.includes(key))
}

function malformed(file: string, cause?: unknown): ConfigError {
  return new ConfigError('invalid_value', 'the list of trusted policy files is damaged', {
    file,
    cause,
    suggestion: 'remove the file, look at each policy again and trust it anew',
  })
}
