/** The public names of `sixgate`, listed by hand (api.md). */

export { createSixgate } from './sixgate.js'
export { createShadow } from './shadow.js'
export { loadPolicy } from './load-policy.js'
export { checkNarrowing } from './delegation/check-narrowing.js'
export { narrowingFromModel } from './delegation/narrowing-from-model.js'
export { definePolicy } from './policy/define.js'
export { defineTool } from './tools/define-tool.js'
export { reaches } from './core/need.js'
export { reads, requires, writes } from './tools/needs.js'
export { memoryStore } from './store/memory.js'
export { jsonlStore } from './store/jsonl.js'
export { terminalResponder } from './terminal-responder.js'
export {
  AdmissionError,
  ConfigError,
  DelegationError,
  InternalError,
  RecordError,
  SandboxError,
  SnapshotError,
  ToolError,
  SixgateError,
} from './core/errors.js'

export type {
  AdmissionCode,
  ConfigCode,
  DelegationCode,
  ErrorCode,
  InternalCode,
  RecordCode,
  SandboxCode,
  SnapshotCode,
  ToolCode,
  Violation,
} from './core/errors.js'
export type { Capability } from './core/capability.js'
export type { Decision, Effect } from './core/effect.js'
export type { Escalation } from './core/escalation.js'
export type { CallId, NodeId, PolicyRevision, RunId, SessionId } from './core/ids.js'
export type { Json } from './core/json.js'
export type { LayerName, NodeLayer } from './core/layer-name.js'
export type { Need, Shell } from './core/need.js'
export type { ReasonCode } from './core/reasons.js'
export type {
  Answer,
  ApprovalRequest,
  Responder,
  ResponderIdentity,
  Ticket,
  UntrustedText,
} from './contract/approval.js'
export type { Delegation, Narrowing } from './contract/delegation.js'
export type { Hook, HookAnswer, HookCall, Hooks, Matcher } from './contract/hooks.js'
export type { CallFiles, DirectoryEntry } from './contract/files.js'
export type {
  Admission,
  Admitted,
  Check,
  Denied,
  Outcome,
  Result,
  Suspended,
} from './contract/outcome.js'
export type { Policy, PolicyInput, RuleInput, WorkMode } from './contract/policy.js'
export type { ExecResult, SandboxDriver, SandboxExec } from './contract/sandbox.js'
export type {
  CallRequest,
  CallSession,
  CloseReason,
  Direct,
  DirectOptions,
  Events,
  Session,
  Sixgate,
  OpenStore,
  SixgateOptions,
  Store,
} from './contract/session.js'
export type { Shadow, ShadowOutcome, ShadowSession } from './contract/shadow.js'
export type { InferOutput, StandardSchema } from './contract/standard-schema.js'
export type { Language } from './words/language.js'
export type { Execute, ReportedFacts, Tool, ToolContext, ToolSpec } from './contract/tool.js'
export type { DecisionNode } from './trace/records.js'
