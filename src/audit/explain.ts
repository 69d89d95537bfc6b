/** Why a call ended as it did (trace.md §6 `explain`): read from its records, never judged anew. */

import { RecordError } from '../core/errors.js'
import type { RunId } from '../core/ids.js'
import { LAYER_NAMES, type LayerName, type NodeLayer } from '../core/layer-name.js'
import type { Decision } from '../core/effect.js'
import type { DecisionNode } from '../trace/records.js'
import { chainOf } from './chain-of.js'
import type { CallView, RunView } from './run-view.js'

/** How a call ended; `undecided`: it has no terminal event. */
export type TraceVerdict = 'denied' | 'dispatched' | 'undecided'

/** What the records of one call say. */
export interface Explanation {
  readonly run: RunId
  readonly callId: string
  readonly verdict: TraceVerdict
  /** The node that denied, that granted, or that was written last. */
  readonly decidedBy: {
    readonly layer: NodeLayer
    readonly decision: Decision
    readonly matchedRule: string | null
    readonly reason: string | null
    readonly policyRevision: string
  }
  /** The whole chain, root first. */
  readonly path: readonly DecisionNode[]
  /** Layers that the last walk did not visit. */
  readonly notReached: readonly LayerName[]
  /** How the last question about the call ended; `null` when nobody was asked. */
  readonly answer: {
    readonly kind: string
    readonly id: string
    readonly attested: string
    readonly verdict: string
  } | null
  /** From the intent; the records of a denied call name no tool. */
  readonly tool: string | null
  readonly sandbox: { readonly driver: string; readonly unenforced: readonly string[] } | null
  readonly step: {
    readonly status: string
    readonly started: boolean
    readonly exit: number | null
  } | null
}

/** Throws what walking back throws, and `malformed_record` for a dispatch without its intent. */
export function explain(view: RunView, callId: string): Explanation {
  const chain = chainOf(view, callId)
  const call = view.calls.get(callId) ?? noCall(callId)
  const path = chain.toReversed()
  const [intent] = call.intents
  const result = call.results.at(-1)
  const verdict = verdictOf(call)
  return {
    run: view.run,
    callId,
    verdict,
    decidedBy: deciding(view, call, path),
    path,
    notReached: notReached(view, path),
    answer: answerOf(call),
    tool: intent?.tool.name ?? null,
    sandbox: intent?.sandbox ?? null,
    step:
      result === undefined
        ? null
        : { status: result.status, started: result.started, exit: result.exit },
  }
}

/** How the terminal event of a call has it. */
export function verdictOf({ terminals: [terminal] }: CallView): TraceVerdict {
  if (terminal === undefined) return 'undecided'
  return terminal.event === 'denied' ? 'denied' : 'dispatched'
}

function noCall(callId: string): never {
  throw new RecordError('unknown_call', 'no record of this call', { call_id: callId })
}

function deciding(
  { nodes }: RunView,
  call: CallView,
  path: readonly DecisionNode[],
): Explanation['decidedBy'] {
  const id = verdictOf(call) === 'dispatched' ? admittingNode(call) : (path.at(-1)?.node_id ?? null)
  const found = path.find(({ node_id }) => node_id === id)
  const node = found === undefined ? undefined : nodes.get(found.node_id)
  if (node === undefined) {
    throw new RecordError('malformed_record', 'the node that decided is not on the chain', {
      call_id: call.callId,
    })
  }
  return {
    layer: node.layer,
    decision: node.decision,
    matchedRule: node.matched_rule,
    reason: node.reason_code ?? null,
    policyRevision: node.policy_revision,
  }
}

/** The node that last set the standing to granted; a dispatch without an intent is no dispatch of ours. */
function admittingNode({ callId, intents }: CallView): string {
  const [intent, second] = intents
  if (intent !== undefined && second === undefined) return intent.admitting.node_id
  throw new RecordError('malformed_record', 'a dispatch needs exactly one intent', {
    call_id: callId,
  })
}

function notReached({ nodes }: RunView, path: readonly DecisionNode[]): readonly LayerName[] {
  const walked = path.flatMap(({ node_id }) => {
    const record = nodes.get(node_id)
    return record === undefined ? [] : [record]
  })
  const last = Math.max(...walked.map(({ pass }) => pass))
  const visited = walked.filter(({ pass }) => pass === last).map(({ layer }) => layer)
  return LAYER_NAMES.filter((layer) => !visited.includes(layer))
}

function answerOf({ approvals }: CallView): Explanation['answer'] {
  const last = approvals.at(-1)
  if (last === undefined) return null
  const { kind, id, attested } = last.responder
  return { kind, id, attested, verdict: last.verdict }
}
