/** The one table of axes (delegation.md §2): whoever treats axes alike reads this and nothing else. */

import type { Axis, AxisName } from './axis.js'
import { approvalResponse } from './axes/approval-response.js'
import { budgets } from './axes/budgets.js'
import { capabilities } from './axes/capabilities.js'
import { commands } from './axes/commands.js'
import { delegation } from './axes/delegation.js'
import { forbiddenPaths } from './axes/forbidden-paths.js'
import { network } from './axes/network.js'
import { risk } from './axes/risk.js'
import { roots } from './axes/roots.js'
import { rules } from './axes/rules.js'
import { sandbox } from './axes/sandbox.js'
import { scopes } from './axes/scopes.js'
import { toolApproval } from './axes/tool-approval.js'
import { tools } from './axes/tools.js'

/** One row an axis; a missing row does not compile. */
export const axes: { readonly [Name in AxisName]: Axis<Name> } = {
  capabilities,
  tools,
  network,
  rules,
  toolApproval,
  approvalResponse,
  sandbox,
  delegation,
  budgets,
  roots,
  commands,
  forbiddenPaths,
  risk,
  scopes,
}

/** The names of the table, in its order. */
export const AXIS_NAMES: readonly AxisName[] = Object.keys(axes) as AxisName[]
