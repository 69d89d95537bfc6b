/** The host that a sandboxed call asks to reach, as its escalation need spells it (sandbox.md §7). */

import type { ToolCall } from '../core/call.js'
import { canonicalHost } from '../core/names/host.js'

/** One exact origin; `port: null` is any port. */
export interface GrantRequest {
  readonly host: string
  readonly port: number | null
}

/** The request of a call that was already checked by `parseGrantRequest`; `null` when it has none. */
export function grantRequest(call: ToolCall): GrantRequest | null {
  for (const need of call.needs) {
    if (need.kind === 'escalation' && need.name === 'network_grant') {
      return parseGrantRequest(need.detail)
    }
  }
  return null
}

/** Reads `host` or `host:port`. Wildcards, slashes, blanks and ports outside 1–65535 give `null` (S1-35, S1-36). */
export function parseGrantRequest(detail: string): GrantRequest | null {
  const parts = /^(\[[0-9a-fA-F:.]+\]|[^\s/\\*?:@[\]]+)(?::([1-9]\d{0,4}))?$/.exec(detail)
  if (parts === null) return null
  const host = canonicalHost(parts[1] ?? '')
  const port = parts[2] === undefined ? null : Number(parts[2])
  if (host === null || (port !== null && port > 65_535)) return null
  return { host, port }
}
