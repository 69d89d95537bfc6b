/** A path through the six layers as lines: one a layer, those not reached in their place. */

import type { LayerName } from '../index.js'
import type { Part } from './output.js'

/** One visited layer, from a check or from a record. */
export interface VisitedLayer {
  readonly layer: LayerName | 'guard'
  readonly decision: string
  readonly matchedRule: string | null
}

/** What each layer judges, in the order of the layers. */
export const LAYERS: Readonly<Record<LayerName, string>> = {
  work_mode: 'may the session do this kind of thing at all?',
  network: 'may it reach this host?',
  user_rule: 'what do the rules say of these subjects?',
  tool_approval: 'no rule settled it: what then?',
  approval_response: 'it has to be asked: who answers?',
  sandbox: 'is there a boundary that keeps what the policy demands?',
}

/** A guard's line stands first and only when one spoke. A layer visited twice has both its lines. */
export function layerLines(visits: readonly VisitedLayer[]): readonly (readonly Part[])[] {
  return layered(visits).map(({ layer, decision, matchedRule }) => [
    `${layer.padEnd(18)} `,
    { word: decision },
    ' '.repeat(Math.max(1, 13 - decision.length)),
    matchedRule === null ? '-' : `\`${matchedRule}\``,
  ])
}

/** The same as data. */
export function layerRows(visits: readonly VisitedLayer[]): readonly object[] {
  return layered(visits).map(({ layer, decision, matchedRule }) => ({
    layer,
    decision: decision === NOT_REACHED ? 'not_reached' : decision,
    matched_rule: matchedRule,
  }))
}

const NOT_REACHED = 'not reached'

function layered(visits: readonly VisitedLayer[]): readonly VisitedLayer[] {
  const names = Object.keys(LAYERS) as readonly LayerName[]
  return [
    ...visits.filter(({ layer }) => layer === 'guard'),
    ...names.flatMap((layer) => {
      const own = visits.filter((visit) => visit.layer === layer)
      return own.length > 0 ? own : [{ layer, decision: NOT_REACHED, matchedRule: null }]
    }),
  ]
}
