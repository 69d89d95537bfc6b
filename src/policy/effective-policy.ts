/** The policy that a session is under: one field an axis (pipeline.md §1, §2). */

import type { Capability } from '../core/capability.js'
import type { Effect, RuleSource } from '../core/effect.js'
import type { PolicyRevision } from '../core/ids.js'
import type { ApprovalPolicy } from '../core/reasons.js'
import type { Subject } from '../core/subject.js'

/** Which tools exist for a session: `null` is every name. */
export interface ToolScope {
  readonly only: readonly string[] | null
  readonly exclude: readonly string[]
}

/** `null` is "not given": an unknown host is permitted only where neither list is given. */
export interface NetworkAxis {
  readonly mode: 'off' | 'grant' | 'on'
  readonly allow: readonly string[] | null
  readonly deny: readonly string[] | null
}

/** A rule in canonical form. */
export interface Rule {
  readonly id: string
  readonly effect: Effect
  readonly match: string
  readonly except: readonly string[]
  readonly reason: string | null
  readonly source: RuleSource
  /** False: kept and reported, never proof (an allow of an untrusted source, H-01). */
  readonly effective: boolean
}

export interface ToolApproval {
  readonly policy: ApprovalPolicy
  readonly whitelist: readonly string[]
}

export type ApprovalResponse =
  | { readonly policy: 'never' | 'prompt' | 'parent'; readonly timeoutMs: number }
  | {
      readonly policy: 'route'
      readonly channel: string
      readonly recipient: string
      readonly timeoutMs: number
    }

export interface SandboxAxis {
  readonly mode: 'read_only' | 'workspace_write' | 'open'
  readonly writable: readonly string[]
  readonly readable: readonly string[]
  readonly environment: { readonly pass: readonly string[] }
  readonly limits: {
    readonly timeoutMs: number
    readonly outputBytes: number
    readonly diskBytes: number
    readonly processes: number | null
    readonly memoryBytes: number | null
  }
  readonly onUnavailable: 'deny' | 'ask_host'
  /** Commands change the repository of the workspace, but none of its control files. */
  readonly git?: 'write' | undefined
  /** Package stores are writable although a file of theirs may have a name outside (H-27). */
  readonly packageStores?: 'writable' | undefined
  /** Home and temporary files of commands last as long as the session. */
  readonly scratch?: 'session' | undefined
}

export interface DelegationAxis {
  readonly mode: 'forbidden' | 'allow'
  readonly spawnDepth: number
  readonly delegateDepth: number
  readonly targets: readonly { readonly agent: string; readonly mode: 'bounded' | 'independent' }[]
  readonly approvalPolicies: readonly ApprovalPolicy[]
}

/** `null` is unlimited. */
export interface BudgetsAxis {
  readonly actionsPerHour: number | null
  readonly costPerDay: number | null
  readonly costPerMonth: number | null
  readonly treeIterations: number | null
  readonly asksPending: number | null
  readonly asksPerHour: number | null
  readonly evaluationsPerMinute: number | null
}

/** Folders that file access is limited to; `null` where the policy states none. */
export interface RootsAxis {
  readonly rw: readonly string[]
  readonly ro: readonly string[]
  readonly wo: readonly string[]
}

/** What happens to calls of some risk beyond the rules; `null` adds nothing. */
export interface RiskAxis {
  readonly high: 'deny' | 'ask' | null
  readonly medium: 'ask' | null
}

/** Plain, canonical, frozen data; a revision is the digest of exactly this. */
export interface PolicyAxes {
  /** Sorted, without duplicates. */
  readonly capabilities: readonly Capability[]
  readonly tools: ToolScope
  readonly network: NetworkAxis
  readonly rules: readonly Rule[]
  /** One choice a source that states it; all are consulted and the strictest counts. Never empty. */
  readonly toolApproval: readonly ToolApproval[]
  readonly approvalResponse: ApprovalResponse
  readonly sandbox: SandboxAxis
  readonly delegation: DelegationAxis
  readonly budgets: BudgetsAxis
  readonly roots: RootsAxis | null
  /** Names of the only programs that may run; `null` is every program. */
  readonly commands: readonly string[] | null
  readonly forbiddenPaths: readonly string[]
  readonly risk: RiskAxis
  /** Sets that the host reads, by name; the library narrows and stores them. */
  readonly scopes: Readonly<Record<string, readonly string[]>>
}

/** `Tool(pattern)` bound to the folders of one workspace. */
export interface BoundMatch {
  /** As written. */
  readonly text: string
  /** True for a bare tool name, or a lone `*` as the pattern. */
  readonly argumentFree: boolean
  readonly namesTool: (tool: string) => boolean
  /** Proof: every form of the subject matches, as the volume compares. May throw (H-09). */
  readonly proves: (subject: Subject) => boolean
  /** Suspicion: one form is enough, whatever the spelling. May throw (H-09). */
  readonly suspects: (subject: Subject) => boolean
}

/** A rule bound to the folders of one workspace. */
export interface BoundRule {
  readonly id: string
  readonly effect: Effect
  readonly source: RuleSource
  readonly effective: boolean
  readonly reason: string | null
  readonly match: BoundMatch
  readonly except: readonly BoundMatch[]
}

export interface BoundToolApproval {
  readonly policy: ApprovalPolicy
  readonly whitelist: readonly BoundMatch[]
}

/** The axes with every pattern bound. Binding changes no revision. */
export interface BoundPolicy {
  readonly revision: PolicyRevision
  readonly axes: PolicyAxes
  readonly rules: readonly BoundRule[]
  readonly toolApproval: readonly BoundToolApproval[]
}

/** What layers read: a bound policy whose sandbox roots were followed to where they really lead. */
export interface EffectivePolicy extends BoundPolicy {
  /** The sandbox axis' extra roots, absolute and real. */
  readonly writable: readonly string[]
  readonly readable: readonly string[]
  /** True for a child: its allow rules are its ancestors', and layer 4 is its delegation's own choice. */
  readonly isDelegated: boolean
}
