/** The six layers in their fixed order (pipeline.md §4). */

export const LAYER_NAMES = [
  'work_mode',
  'network',
  'user_rule',
  'tool_approval',
  'approval_response',
  'sandbox',
] as const

/** One of the six fixed deciders. */
export type LayerName = (typeof LAYER_NAMES)[number]

/** Who wrote a node: a layer, or a guard, which stands before all of them. */
export type NodeLayer = LayerName | 'guard'
