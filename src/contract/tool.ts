/** Tools as a host registers them (api.md, "tools"). */

import type { Capability } from '../core/capability.js'
import type { CallId } from '../core/ids.js'
import type { Need } from '../core/need.js'
import type { InferOutput, StandardSchema } from './standard-schema.js'
import type { Json } from '../core/json.js'
import type { Outcome } from './outcome.js'
import type { CallSession } from './session.js'
import type { CallFiles } from './files.js'
import type { ExecResult, SandboxExec } from './sandbox.js'

/** What `defineTool` takes. */
export interface ToolSpec<S extends StandardSchema, R> {
  /** `[A-Za-z0-9_.-]{1,64}`, unique in a session after case folding. */
  readonly name: string
  /**
   * The connected server that offers the tool, whose name is then `mcp__<server>__<tool>`. Rules name
   * this pair. No `__` in it and no `_` at its end: there names are split.
   */
  readonly server?: string | undefined
  readonly description?: string | undefined
  readonly version?: string | undefined
  readonly inputSchema: S
  /** `sandbox` for tools that run commands; default `process`. */
  readonly runsIn?: 'process' | 'sandbox' | undefined
  /** What every call needs, whatever its arguments; a tool that needs more than a policy grants is hidden. */
  readonly always?: readonly Capability[] | undefined
  /** What one call needs. Throwing, or anything but a list, denies the call. */
  readonly needs: (args: InferOutput<S>) => readonly Need[]
  readonly annotations?: Readonly<Record<string, boolean>> | undefined
  readonly execute?: ((args: InferOutput<S>, context: ToolContext) => R | Promise<R>) | undefined
}

/** A registered tool. Made by `defineTool`; frozen. */
export interface Tool<Args = never, R = unknown> {
  readonly name: string
  readonly server?: string | undefined
  readonly description?: string | undefined
  readonly version?: string | undefined
  readonly inputSchema: StandardSchema
  readonly runsIn: 'process' | 'sandbox'
  readonly always: readonly Capability[]
  readonly annotations?: Readonly<Record<string, boolean>> | undefined
  readonly needs: (args: Args) => readonly Need[]
  readonly execute?: ((args: Args, context: ToolContext) => R | Promise<R>) | undefined
}

/** What an executor may use. Every handle dies with the call: later uses reject. */
export interface ToolContext {
  readonly callId: CallId
  /** Aborts when the call is cancelled or its right to run is revoked. */
  readonly signal: AbortSignal
  /** Nested calls and children of this call. */
  readonly session: CallSession
  /** Runs the judged command and no other. */
  readonly sandbox: { readonly exec: (request: SandboxExec) => Promise<ExecResult> }
  /** Opens only paths that were needs of this call. */
  readonly files: CallFiles
  readonly hosts: {
    /**
     * Judges a host that the call did not name, such as a redirect's, as a nested call of the same tool.
     * Only `admitted` permits it; what is admitted is on record and cannot be dispatched again.
     */
    readonly authorize: (url: string) => Promise<Outcome>
  }
  /** What the step's record says beside its result; throws `ToolError invalid_input` for anything else. */
  readonly report: (facts: ReportedFacts) => void
}

/** What an executor says of its own step. Figures of several reports add up. */
export interface ReportedFacts {
  /** Whole numbers, not negative; costs in millionths of the host's currency. */
  readonly usage?:
    | {
        readonly tokensIn?: number | undefined
        readonly tokensOut?: number | undefined
        readonly costMicros?: number | undefined
      }
    | undefined
  /** Recorded by digest. */
  readonly effects?: Json | undefined
}

/** An executor that an adapter hands in. */
export type Execute<R> = (args: unknown, context: ToolContext) => R | Promise<R>
