/**
 * What a `bash` call asks for beyond its policy (pipeline.md §3, sandbox.md §7). An escalation without
 * detail is one that no person can judge: the pipeline denies it as `builtin:invalid_escalation`.
 */

import type { Need } from '../../core/need.js'

interface Asked {
  readonly sandbox_permissions?: unknown
  readonly network_grant?: unknown
  readonly justification?: unknown
}

/** The escalation needs of one call; whatever is malformed, unknown or half given has an empty detail. */
export function bashEscalations(args: Asked): readonly Need[] {
  const { sandbox_permissions: permissions, network_grant: grant, justification } = args
  const needs: Need[] = []
  if (permissions === 'require_escalated') {
    const detail = typeof justification === 'string' ? justification : ''
    needs.push({ kind: 'escalation', name: 'host_execution', detail })
  } else if (permissions === 'request_network_grant') {
    needs.push({ kind: 'escalation', name: 'network_grant', detail: grantDetail(grant) })
  } else if (permissions !== undefined && permissions !== 'use_default') {
    needs.push({ kind: 'escalation', name: 'host_execution', detail: '' })
  }
  // The value without its flag.
  if (grant !== undefined && permissions !== 'request_network_grant') {
    needs.push({ kind: 'escalation', name: 'network_grant', detail: '' })
  }
  return needs
}

/** An exact host name or address; a bare colon would make `host:port` ambiguous, so IPv6 stands in brackets. */
const HOST = /^(?:[\p{L}\p{N}_.-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])$/u

/** `host` or `host:port`; empty when the grant is not exactly one host with at most one port. */
function grantDetail(grant: unknown): string {
  if (grant === null || typeof grant !== 'object') return ''
  const { host, port } = grant as { readonly host?: unknown; readonly port?: unknown }
  if (typeof host !== 'string' || !HOST.test(host)) return ''
  if (port === undefined) return host
  if (typeof port !== 'number' || !Number.isInteger(port) || port < 1 || port > 65_535) return ''
  return `${host}:${port}`
}
