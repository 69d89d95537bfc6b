/** The public names of `sixgate/audit`. */

export { defaultPolicyFile } from '../default-policy-file.js'
export { openTrace } from '../open-trace.js'
export {
  askTrust,
  fileStandingOf,
  listTrusted,
  proposeTrust,
  revokeTrust,
  standingOf,
  trustPolicy,
} from '../trust-policy.js'
export { RecordError } from '../core/errors.js'

export type { OpenTraceOptions } from '../open-trace.js'
export type { Standing, TrustProposal } from '../trust-policy.js'
export type { TrustEntry } from '../policy/trust/trust-list.js'
export type { CallSummary, RunSummary, Trace } from './trace.js'
export type { Explanation, TraceVerdict } from './explain.js'
export type { TimelineEntry } from './timeline.js'
export type { DecisionNode } from '../trace/records.js'
export type { RecordCode } from '../core/errors.js'
