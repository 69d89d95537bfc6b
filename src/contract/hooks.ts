/** Hooks of the host before a tool is used (pipeline.md §4 "Guards", api.md). */

import type { Origin } from '../core/call.js'
import type { CallId, SessionId } from '../core/ids.js'
import type { Json } from '../core/json.js'

/** Which calls a hook hears of: all given parts must match; absent: every call. Patterns are those of rules. */
export interface Matcher {
  /** A tool name; `*` and `?` are wildcards, `mcp__server` covers its tools. */
  readonly tool?: string | undefined
  /** Any path of the call, read or written, as a deny rule would match it. */
  readonly path?: string | undefined
  /** Any command of the call, as a deny rule would match it. */
  readonly command?: string | undefined
}

/** What a hook is told: a frozen copy, with the arguments as earlier hooks left them. */
export interface HookCall {
  readonly callId: CallId
  readonly sessionId: SessionId
  readonly turn: string | null
  readonly origin: Origin
  readonly tool: string
  readonly args: Json
  readonly cwd: string
  /** Aborts when the hook's time is over or the call is cancelled. */
  readonly signal: AbortSignal
}

/** Anything else than these blocks the call, and so does a handler that throws or takes too long. */
export type HookAnswer =
  | { readonly action: 'continue' }
  | { readonly action: 'block' | 'ask'; readonly reason: string }
  /** New arguments: checked like the first ones; tool, origin and escalations stay what the tool makes of them. */
  | { readonly action: 'rewrite'; readonly args: unknown }

/** A gate of the host's own. It can stop a call, have it asked about or change its arguments; never approve. */
export interface Hook {
  /** `[a-z0-9][a-z0-9._-]{0,63}`; a refusal is recorded as `guard:<id>`. */
  readonly id: string
  readonly match?: Matcher | undefined
  /** Lower first, ties by id; default 100. */
  readonly priority?: number | undefined
  /** Milliseconds, 1 to 60,000; default 30,000. All hooks of a call together have 60,000. */
  readonly timeoutMs?: number | undefined
  readonly handler: (call: HookCall) => HookAnswer | Promise<HookAnswer>
}

/** The hooks of one `createSixgate`, at most 32. Every change is a record in each open run. */
export interface Hooks {
  readonly size: number
  /** Throws `ConfigError`: `duplicate_hook` for an id that is taken, `invalid_option` for anything malformed. */
  readonly add: (hook: Hook) => Disposable
  /** False for an unknown id. A call that has heard its hooks keeps their answers. */
  readonly remove: (id: string) => boolean
}
