/** The sandbox port of enforcement: what the boundary can do, and one way to run inside it. */

import type { ExecResult, SandboxExec, SandboxProfile } from '../contract/sandbox.js'
import type { SandboxFacts } from '../core/facts.js'

/** Shared by every session of one `createSixgate`. */
export interface SandboxRunner {
  /** The start probe's answer; probes at most once. Never rejects. */
  readonly facts: () => Promise<SandboxFacts>
  /** Runs in the boundary; `unconfined` only for an approved call. Rejects with `SandboxError`. */
  readonly exec: (
    profile: SandboxProfile,
    request: SandboxExec,
    options: { readonly unconfined: boolean },
  ) => Promise<ExecResult>
}
