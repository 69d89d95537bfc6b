/** Which tools a model may be told about (pipeline.md §4 note 9); the executor checks again (S0-36). */

import type { Tool } from '../contract/tool.js'
import { includesTool } from '../policy/axes/tools.js'
import type { EffectivePolicy } from '../policy/effective-policy.js'

/** Hides what every call would be denied for; an argument-scoped deny leaves a tool visible. */
export function visibleTools(tools: readonly Tool[], policy: EffectivePolicy): readonly Tool[] {
  return tools.filter((tool) => isVisible(tool, policy))
}

function isVisible(tool: Tool, { axes, rules, toolApproval }: EffectivePolicy): boolean {
  if (!includesTool(axes.tools, tool.name)) return false
  if (!tool.always.every((name) => axes.capabilities.includes(name))) return false
  const naming = rules.filter((rule) => rule.match.namesTool(tool.name))
  const isDenied = naming.some(
    (rule) => rule.effect === 'deny' && rule.match.argumentFree && rule.except.length === 0,
  )
  if (isDenied) return false
  const isNamed = naming.some((rule) => rule.effect !== 'deny')
  return toolApproval.every(
    ({ policy, whitelist }) =>
      policy !== 'deny_unlisted' ||
      isNamed ||
      whitelist.some((entry) => entry.namesTool(tool.name)),
  )
}
