/** The chain of one call in a run that was read (trace.md §6 `chain`). */

import { RecordError } from '../core/errors.js'
import { walkFrom } from '../trace/chain.js'
import type { DecisionNode } from '../trace/records.js'
import type { RunView } from './run-view.js'

/**
 * Head first, root last. Throws `unknown_call`, `missing_head`, `missing_parent`, `foreign_parent`,
 * `cyclic_chain` or `second_terminal`: a break is reported, never mended.
 */
export function chainOf({ calls, nodes }: RunView, callId: string): readonly DecisionNode[] {
  const call = calls.get(callId)
  const [terminal, second] = call?.terminals ?? []
  if (second !== undefined) {
    throw new RecordError('second_terminal', 'the call ends twice', { call_id: callId })
  }
  return walkFrom({ nodes, last: call?.nodes.at(-1), terminal }, callId)
}
