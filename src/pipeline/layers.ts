/** The one order of the six layers (pipeline.md §4); a tuple that differs from the names does not compile. */

import type { LAYER_NAMES, LayerName } from '../core/layer-name.js'
import { approvalResponse } from './approval-response.js'
import type { AnyLayer } from './layer.js'
import { network } from './network.js'
import { sandbox } from './sandbox.js'
import { toolApproval } from './tool-approval.js'
import { userRule } from './user-rule.js'
import { workMode } from './work-mode.js'

type InOrder<Names extends readonly LayerName[]> = {
  readonly [I in keyof Names]: AnyLayer<Names[I]>
}

export const LAYERS: InOrder<typeof LAYER_NAMES> = [
  workMode,
  network,
  userRule,
  toolApproval,
  approvalResponse,
  sandbox,
]
