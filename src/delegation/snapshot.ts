/** Snapshots (delegation.md §4): a session's whole delegated policy as authenticated bytes. */

import { SnapshotError } from '../core/errors.js'
import type { PolicyRevision, RunId, SessionId } from '../core/ids.js'
import type { Platform } from '../core/guarantee.js'
import type { JsonObject } from '../core/json.js'
import { canonicalBytes, canonicalText } from '../encoding/canonical.js'
import { deriveKey, digestsEqual, hmacSha256 } from '../encoding/digest.js'
import { copyJson } from '../encoding/plain-json.js'
import { AXIS_NAMES } from '../policy/axes.js'
import type { PolicyAxes } from '../policy/effective-policy.js'

const SCHEMA_VERSION = 1

/** How much of an ancestor's run the policy already reflects. */
export interface AncestorMark {
  readonly run_id: RunId
  /** Records of that run at the moment of the snapshot: later tightenings are not in it. */
  readonly size: number
}

/** Everything that brings a session back exactly as tight as it was. */
export interface Snapshot {
  readonly schema_version: typeof SCHEMA_VERSION
  readonly session_id: SessionId
  readonly run_id: RunId
  readonly parent_session_id: SessionId | null
  readonly spawn_call_id: string | null
  readonly kind: 'root' | 'spawn' | 'fork'
  readonly principal: string
  readonly workspace: string
  readonly platform: Platform
  readonly task_id: string
  readonly cwd: string
  readonly spawns_left: number
  readonly policy: PolicyAxes
  readonly policy_revision: PolicyRevision
  readonly parent_policy_revision: PolicyRevision | null
  /** SHA-256 of the axes that the host gave when the root session began; `null` for a child. */
  readonly given_digest: string | null
  /** Nearest first. */
  readonly ancestors: readonly AncestorMark[]
  /** 1, 2 … for each session; the highest one in its run is the one that counts. */
  readonly version: number
  readonly created_at: string
  readonly updated_at: string
}

/** Canonical bytes with their MAC, under a key that only this session's snapshots have. */
export function sealSnapshot(snapshot: Snapshot, secret: Uint8Array): Uint8Array {
  const key = snapshotKey(secret, snapshot.session_id)
  return canonicalBytes({ ...snapshot, mac: hmacSha256(key, canonicalText(snapshot)) })
}

/**
 * Reads bytes back. Throws `SnapshotError`: `malformed`, `unknown_version`, `missing_section` or
 * `mac_mismatch`; then every call of the session is denied (H-16).
 */
export function openSnapshot(bytes: Uint8Array, secret: Uint8Array, session: SessionId): Snapshot {
  const fields = parse(bytes)
  const { mac, ...rest } = fields
  if (rest['schema_version'] !== SCHEMA_VERSION) {
    throw new SnapshotError('unknown_version', 'a snapshot of another version')
  }
  const missing = [...SECTIONS, 'mac'].find((name) => !Object.hasOwn(fields, name))
  if (missing !== undefined) {
    throw new SnapshotError('missing_section', `the snapshot has no \`${missing}\``)
  }
  const key = snapshotKey(secret, session)
  const expected = hmacSha256(key, canonicalText(rest))
  if (typeof mac !== 'string' || !digestsEqual(mac, expected) || rest['session_id'] !== session) {
    throw new SnapshotError('mac_mismatch', 'the snapshot is not the one that was written')
  }
  requireAxes(rest['policy'])
  return rest as unknown as Snapshot
}

const SECTIONS: readonly (keyof Snapshot)[] = [
  'session_id',
  'run_id',
  'parent_session_id',
  'spawn_call_id',
  'kind',
  'principal',
  'workspace',
  'platform',
  'task_id',
  'cwd',
  'spawns_left',
  'policy',
  'policy_revision',
  'parent_policy_revision',
  'given_digest',
  'ancestors',
  'version',
  'created_at',
  'updated_at',
]

/** A policy of a later or earlier library with other axes is not this one. */
function requireAxes(policy: unknown): void {
  const missing = AXIS_NAMES.find((name) => !Object.hasOwn(Object(policy) as object, name))
  if (missing === undefined) return
  throw new SnapshotError('missing_section', `the snapshot's policy has no \`${missing}\``)
}

function snapshotKey(secret: Uint8Array, session: SessionId): Uint8Array {
  return deriveKey(secret, `snapshot:${session}`)
}

function parse(bytes: Uint8Array): JsonObject {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    const copy = copyJson(JSON.parse(text))
    if (copy.ok && typeof copy.value === 'object' && copy.value !== null) {
      if (!Array.isArray(copy.value) && canonicalText(copy.value) === text) {
        return copy.value as JsonObject
      }
    }
  } catch (cause) {
    // Bytes that cannot be read bring no session back.
    throw new SnapshotError('malformed', 'the snapshot cannot be read', cause)
  }
  throw new SnapshotError('malformed', 'the snapshot is no canonical JSON object')
}
