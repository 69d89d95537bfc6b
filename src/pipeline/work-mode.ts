/** Layer 1: what the call needs must be granted, and its tool in scope (pipeline.md §4). */

import type { Capability } from '../core/capability.js'
import { isUnconfined } from '../core/escalation.js'
import { includesTool } from '../policy/axes/tools.js'
import type { Layer } from './layer.js'

/** What an unconfined process has, whatever it was started for (H-06). */
const UNCONFINED: readonly Capability[] = [
  'external.effect',
  'fs.read',
  'fs.write',
  'host.escape',
  'process.exec',
]

export const workMode: Layer<'gate', 'work_mode'> = {
  name: 'work_mode',
  kind: 'gate',
  decide({ call, policy }, { escalations }) {
    if (call.defect !== null) {
      return { decision: 'deny', matchedRule: call.defect, reason: reasonOf(call.defect) }
    }
    if (!includesTool(policy.axes.tools, call.tool)) {
      return { decision: 'deny', matchedRule: 'builtin:tool_scope', reason: 'tool_scope' }
    }
    const needed = escalations.some(isUnconfined)
      ? [...call.capabilities, ...UNCONFINED]
      : call.capabilities
    if (needed.length === 0) return { decision: 'no_match', matchedRule: null }
    return needed.every((name) => policy.axes.capabilities.includes(name))
      ? { decision: 'allow', matchedRule: 'builtin:capability' }
      : {
          decision: 'deny',
          matchedRule: 'builtin:missing_capability',
          reason: 'missing_capability',
        }
  },
}

type Defect =
  'unknown_tool' | 'invalid_args' | 'invalid_needs' | 'invalid_escalation' | 'tool_changed'

function reasonOf(defect: `builtin:${Defect}`): Defect {
  return defect.slice('builtin:'.length) as Defect
}
