/** What enforcement needs of the world; `sixgate.ts` wires it, tests give it other parts. */

import type { Responder } from '../contract/approval.js'
import type { Roots } from '../core/facts.js'
import type { IdSource } from '../core/ids.js'
import type { Clock } from '../platform/clock.js'
import type { Files } from '../platform/files.js'
import type { PathResolver } from '../platform/path-resolver.js'
import type { Programs } from '../platform/programs.js'
import type { SandboxRunner } from '../sandbox/runner.js'
import type { Words } from '../words/words.js'
import type { ToolRegistry } from './call/registry.js'
import type { HookRegister } from './guards/hook-register.js'
import type { EventHub } from './events.js'

/** The same for every session of one `createSixgate`. */
export interface Surroundings {
  /** Who the host runs as; a snapshot of another principal is refused. */
  readonly principal: string
  readonly roots: Roots
  /** Real paths of policies, ledger, keys and locks: no call reads or writes them (H-02). */
  readonly controlPlane: readonly string[]
  readonly clock: Clock
  readonly ids: IdSource
  readonly paths: PathResolver
  readonly programs: Programs
  readonly tools: ToolRegistry
  readonly sandbox: SandboxRunner
  readonly responder: Responder | 'suspend' | null
  readonly events: EventHub
  /** What model and person are told, in the language that the host chose. */
  readonly words: Words
  readonly hooks: HookRegister
  /** Lets other work of the process go on between slices of a long check. */
  readonly pause: () => Promise<void>
  /** Opens what a call was judged for. */
  readonly files: Files
  /** The state of a file now, without a wait; `null` for what cannot be read. */
  readonly digest: (path: string) => string | null
}
