/** What the reference model reads and says: plain JSON, sharing no type with the library. */

/** Strictest first. */
export const NETWORK = ['off', 'grant', 'on'] as const
export const SANDBOX = ['read_only', 'workspace_write', 'open'] as const

export interface RuleText {
  readonly id: string
  readonly effect: 'deny' | 'ask' | 'allow'
  readonly match: string
  readonly except?: readonly string[]
}
export interface Constraint {
  readonly capabilities?: readonly string[]
  readonly tools?: Scope
  readonly network?: Hosts & { readonly mode: NetworkMode }
  readonly rules?: readonly RuleText[]
  readonly toolApproval?: Approval
  readonly approvalCeiling?: 'parent'
  readonly sandbox?: {
    readonly mode?: SandboxMode
    readonly writable?: readonly string[]
    readonly onUnavailable?: 'deny' | 'ask_host'
  }
}
export interface Document extends Constraint {
  readonly workMode?: 'plan' | 'ro' | 'rw' | 'full'
  readonly approvalResponse?: 'never' | 'prompt'
  readonly delegation?: {
    readonly spawnDepth?: number
    readonly approvalPolicies?: readonly ApprovalPolicy[]
  }
}
export interface Call {
  readonly tool: string
  readonly runsIn: 'process' | 'sandbox'
  readonly reads: readonly string[]
  readonly writes: readonly string[]
  /** `?` is a host that nobody can name in advance. */
  readonly hosts: readonly string[]
  readonly capabilities: readonly string[]
  readonly escalations: readonly { readonly name: string; readonly detail: string }[]
  readonly unsafe: boolean
}
export interface Facts {
  readonly sandbox: 'ready' | 'unavailable' | 'refused'
  readonly responder: 'absent' | 'human' | 'script' | 'suspend'
  readonly answer: 'yes' | 'no' | null
}
export type Visit = readonly [layer: string, decision: string, matchedRule: string | null]
export interface Verdict {
  readonly status: 'admitted' | 'denied' | 'suspended'
  readonly visits: readonly Visit[]
}
/** A policy in force: every limit of every ancestor is kept in a list and asked one by one. */
export interface Policy {
  readonly capabilities: readonly string[]
  readonly tools: readonly Scope[]
  readonly networkMode: NetworkMode
  readonly hosts: readonly Hosts[]
  readonly rules: readonly RuleText[]
  /** The outermost ancestor's first. */
  readonly approvals: readonly Approval[]
  readonly isChild: boolean
  readonly response: 'never' | 'prompt'
  readonly sandboxMode: SandboxMode
  readonly writable: readonly (readonly string[])[]
  readonly onUnavailable: 'deny' | 'ask_host'
  readonly depth: number
  readonly approvalPolicies: readonly string[]
}
export interface Scope {
  readonly only?: readonly string[]
  readonly exclude?: readonly string[]
}
export interface Hosts {
  readonly allow?: readonly string[]
  readonly deny?: readonly string[]
}
export interface Approval {
  readonly policy: ApprovalPolicy
  readonly whitelist: readonly string[]
}
export type ApprovalPolicy = 'whitelist_accept' | 'always_ask' | 'accept_all' | 'deny_unlisted'
export type NetworkMode = (typeof NETWORK)[number]
export type SandboxMode = (typeof SANDBOX)[number]
export type Subject = readonly [kind: 'read' | 'write' | 'host' | 'call', text: string]
