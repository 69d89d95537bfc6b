/** What of a policy a path guard reads: folders, never rules (tools.md §1). */

import type { Policy } from '../../contract/policy.js'
import type { Json, JsonObject } from '../../core/json.js'

/** Folders as written; relative ones start at the workspace. */
export interface GuardLimits {
  readonly canWrite: boolean
  readonly writable: readonly string[]
  readonly readable: readonly string[]
  readonly forbidden: readonly string[]
  readonly git: 'write' | undefined
}

/** The limits of a checked policy; without one the workspace is read and written. */
export function limitsOf(policy: Policy | undefined): GuardLimits {
  const document = policy?.document ?? {}
  const sandbox = objectOf(document['sandbox'])
  const isReadOnly = sandbox['mode'] === 'read_only'
  return {
    canWrite: policy === undefined || (grantsWriting(document) && !isReadOnly),
    writable: textsOf(sandbox['writable']),
    readable: textsOf(sandbox['readable']),
    forbidden: textsOf(document['forbiddenPaths']),
    git: sandbox['git'] === 'write' ? 'write' : undefined,
  }
}

/** A policy that states no capabilities grants none to write. */
function grantsWriting({ capabilities }: JsonObject): boolean {
  return textsOf(capabilities).includes('fs.write')
}

function objectOf(value: Json | undefined): JsonObject {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? (value as JsonObject) : {}
}

function textsOf(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : []
}
