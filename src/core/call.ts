/** A tool call after it was copied, checked, frozen and digested; what every layer sees. */

import type { Capability } from './capability.js'
import type { CallId, SessionId } from './ids.js'
import type { Need } from './need.js'

/** Who started a call; only the host's own object makes the trusted ones (pipeline.md §4). */
export const ORIGINS = ['agent', 'nested', 'host', 'host_nested'] as const
export type Origin = (typeof ORIGINS)[number]

/** True for what the host's own code started and fixed: no rule, no approval, but every guard and the sandbox. */
export function isTrusted(origin: Origin): boolean {
  return origin === 'host' || origin === 'host_nested'
}

/** Why a call cannot be judged at all; layer 1 denies it with this id. */
export const CALL_DEFECTS = [
  'builtin:unknown_tool',
  'builtin:invalid_args',
  'builtin:invalid_needs',
  'builtin:invalid_escalation',
  'builtin:tool_changed',
] as const
export type CallDefect = (typeof CALL_DEFECTS)[number]

/** One call, plain data. `args` themselves are not here: layers judge needs, never arguments. */
export interface ToolCall {
  readonly callId: CallId
  readonly sessionId: SessionId
  readonly origin: Origin
  /** The registered spelling of the tool's name, or the name as asked for when none is registered. */
  readonly tool: string
  readonly runsIn: 'process' | 'sandbox'
  /** True for a tool of a connected server: what it says of itself may only add a confirmation. */
  readonly annotations: Readonly<Record<string, boolean>> | null
  readonly cwd: string
  readonly needs: readonly Need[]
  /** Derived from the needs and the tool's `always`, sorted. */
  readonly capabilities: readonly Capability[]
  readonly defect: CallDefect | null
}
