/**
 * Faults (pipeline.md §8): wiring mistakes and broken surroundings. A refusal of a call is never one
 * of these, it is a value. Each class has a closed union of codes; `docs/error-codes.md` lists them.
 */

import type { Json } from './json.js'

export const CONFIG_CODES = [
  'syntax',
  'unknown_key',
  'invalid_value',
  'unknown_capability',
  'malformed_rule',
  'duplicate_rule',
  'reserved_rule_id',
  'failing_example',
  'unreadable_file',
  'control_plane_exposed',
  'workspace_refused',
  'duplicate_tool',
  'invalid_tool',
  'duplicate_hook',
  'invalid_option',
  'not_a_root',
  'unsupported_store',
] as const
export const ADMISSION_CODES = [
  'forged',
  'other_session',
  'already_used',
  'lapsed',
  'no_executor',
] as const
export const RECORD_CODES = [
  'unknown_call',
  'unknown_layer',
  'unknown_decision',
  'untabled_rule',
  'duplicate_node',
  'missing_parent',
  'foreign_parent',
  'cyclic_chain',
  'missing_head',
  'foreign_head',
  'second_terminal',
  'chain_closed',
  'not_json',
  'malformed_record',
  'writer_poisoned',
  'writer_closed',
  'fenced',
  'locked',
  'store_failed',
  'ticket_invalid',
  'run_exists',
  'run_missing',
] as const
export const SANDBOX_CODES = [
  'missing_launcher',
  'untrusted_launcher',
  'namespaces_denied',
  'namespaces_limited',
  'proc_masked',
  'uid_map_refused',
  'unsupported_platform',
  'workspace_refused',
  'invalid_environment',
  'invalid_limit',
  'unenforceable_limit',
  'setup_failed',
  'not_judged',
  'call_ended',
  'unavailable',
] as const
export const TOOL_CODES = [
  'not_found',
  'not_a_file',
  'not_a_folder',
  'not_permitted',
  'too_large',
  'not_text',
  'no_match',
  'ambiguous_match',
  'invalid_input',
  'cross_host_redirect',
  'unreachable',
  'timeout',
  'input_output',
] as const
export const DELEGATION_CODES = [
  'escalation',
  'invalid_constraint',
  'duplicate_rule',
  'fixed_response',
  'missing_capability',
  'depth_exceeded',
  'tool_scope',
  'prompt_required',
  'session_closed',
  'unstable_parent',
  'not_recorded',
  'not_in_this_version',
] as const
export const SNAPSHOT_CODES = [
  'missing',
  'malformed',
  'missing_section',
  'unknown_version',
  'mac_mismatch',
  'not_latest',
  'ledger_behind',
  'other_principal',
  'other_workspace',
  'other_platform',
  'policy_differs',
  'not_durable',
  'session_live',
  'run_ended',
] as const
export const INTERNAL_CODES = ['unreachable', 'invariant'] as const

export type ConfigCode = (typeof CONFIG_CODES)[number]
export type AdmissionCode = (typeof ADMISSION_CODES)[number]
export type RecordCode = (typeof RECORD_CODES)[number]
export type SandboxCode = (typeof SANDBOX_CODES)[number]
export type ToolCode = (typeof TOOL_CODES)[number]
export type DelegationCode = (typeof DELEGATION_CODES)[number]
export type SnapshotCode = (typeof SNAPSHOT_CODES)[number]
export type InternalCode = (typeof INTERNAL_CODES)[number]
export type ErrorCode =
  | ConfigCode
  | AdmissionCode
  | RecordCode
  | SandboxCode
  | ToolCode
  | DelegationCode
  | SnapshotCode
  | InternalCode

/** The base of every fault: a closed `code`, the original as `cause`, facts in fields. */
export abstract class SixgateError extends Error {
  abstract readonly code: ErrorCode
}

/** Where a policy or an option is wrong, and what would be right. Lines and columns count from 1. */
export interface ConfigFacts {
  readonly file?: string | undefined
  readonly line?: number | undefined
  readonly column?: number | undefined
  /** Keys and indices from the top of the document. */
  readonly path?: readonly (string | number)[] | undefined
  readonly allowed?: readonly string[] | undefined
  readonly suggestion?: string | undefined
  readonly cause?: unknown
}

/** A policy or an option is wrong. Nothing was loaded, built or replaced. */
export class ConfigError extends SixgateError {
  override readonly name = 'ConfigError'
  readonly file: string | undefined
  readonly line: number | undefined
  readonly column: number | undefined
  readonly path: readonly (string | number)[]
  readonly allowed: readonly string[] | undefined
  readonly suggestion: string | undefined

  readonly code: ConfigCode

  constructor(code: ConfigCode, message: string, facts: ConfigFacts = {}) {
    super(message, { cause: facts.cause })
    this.code = code
    this.file = facts.file
    this.line = facts.line
    this.column = facts.column
    this.path = facts.path ?? []
    this.allowed = facts.allowed
    this.suggestion = facts.suggestion
  }
}

/** An admission that proves nothing: forged, copied, used, lapsed, or of another session. */
export class AdmissionError extends SixgateError {
  override readonly name = 'AdmissionError'
  readonly code: AdmissionCode

  constructor(code: AdmissionCode, message: string) {
    super(message)
    this.code = code
  }
}

/** A record cannot be written, read or trusted. Whatever waited for it is denied. */
export class RecordError extends SixgateError {
  override readonly name = 'RecordError'
  readonly code: RecordCode
  readonly facts: Readonly<Record<string, Json>>

  constructor(
    code: RecordCode,
    message: string,
    facts: Readonly<Record<string, Json>> = {},
    cause?: unknown,
  ) {
    super(message, { cause })
    this.code = code
    this.facts = facts
  }
}

/** The boundary cannot be had. Nothing ran; nothing is retried outside of it. */
export class SandboxError extends SixgateError {
  override readonly name = 'SandboxError'
  readonly code: SandboxCode
  /** One line that tells a person what to do. */
  readonly remedy: string

  constructor(code: SandboxCode, message: string, remedy: string, cause?: unknown) {
    super(message, { cause })
    this.code = code
    this.remedy = remedy
  }
}

/** One field in which a narrowing asks for more than the parent has. */
export interface Violation {
  readonly axis: string
  readonly field: string
  readonly parent: Json
  readonly given: Json
}

/** A child, or a tightening, that would be wider or that cannot be recorded. There is no child, and no policy moved. */
export class DelegationError extends SixgateError {
  override readonly name = 'DelegationError'
  readonly code: DelegationCode
  /** All violations at once; empty for other codes than `escalation`. */
  readonly violations: readonly Violation[]

  constructor(
    code: DelegationCode,
    message: string,
    facts: { readonly violations?: readonly Violation[]; readonly cause?: unknown } = {},
  ) {
    super(message, { cause: facts.cause })
    this.code = code
    this.violations = facts.violations ?? []
  }
}

/** A session cannot be resumed exactly as tight as it was. Every call of it is denied. */
export class SnapshotError extends SixgateError {
  override readonly name = 'SnapshotError'
  readonly code: SnapshotCode

  constructor(code: SnapshotCode, message: string, cause?: unknown) {
    super(message, { cause })
    this.code = code
  }
}

/**
 * What an admitted call could not do: the file is missing, the text does not match, the server does not
 * answer. Messages name only what the call itself wrote, so that they may reach the model.
 */
export class ToolError extends SixgateError {
  override readonly name = 'ToolError'
  readonly code: ToolCode

  constructor(code: ToolCode, message: string, cause?: unknown) {
    super(message, { cause })
    this.code = code
  }
}

/** A mistake of this library. Whatever it was doing is denied. */
export class InternalError extends SixgateError {
  override readonly name = 'InternalError'
  readonly code: InternalCode

  constructor(code: InternalCode, message: string, cause?: unknown) {
    super(message, { cause })
    this.code = code
  }
}
