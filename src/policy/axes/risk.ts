/** What happens to risky calls beyond the rules (delegation.md §2). */

import { z } from 'zod'
import type { JsonObject } from '../../core/json.js'
import { HIGH_RISK_PROGRAMS } from '../../lists/high-risk.js'
import { axisRule, closed, excessIf, readKey, type Axis } from '../axis.js'
import type { RiskAxis, Rule } from '../effective-policy.js'

/** The stricter of each level. */
export const risk: Axis<'risk'> = {
  name: 'risk',
  keys: ['risk'],
  forms: () => ({ risk: [stated] }),
  read({ risk: value }) {
    if (value === undefined) return { ok: true, value: undefined }
    const reading = readKey(stated, 'risk', value)
    if (!reading.ok) return reading
    const { high = null, medium = 'none' } = reading.value
    return { ok: true, value: { high, medium: medium === 'none' ? null : medium } }
  },
  write: ({ high, medium }): JsonObject => ({
    risk: { ...(high === null ? {} : { high }), medium: medium ?? 'none' },
  }),
  absent: { high: null, medium: null },
  meet: (left, right) => ({
    high: HIGH.find((effect) => left.high === effect || right.high === effect) ?? null,
    medium: left.medium ?? right.medium,
  }),
  exceeds: (child, parent) => [
    ...excessIf(rank(child.high) > rank(parent.high), 'high', {
      parent: parent.high,
      given: child.high,
    }),
    ...excessIf(child.medium === null && parent.medium !== null, 'medium', {
      parent: parent.medium,
      given: 'none',
    }),
  ],
  excess: 'refused',
  lower: ({ high, medium }) => [
    ...(high === null ? [] : HIGH_RISK_PROGRAMS.map((name) => highRule(name, high))),
    ...(medium === null ? [] : MEDIUM),
  ],
}

/** Strictest first. */
const HIGH = ['deny', 'ask'] as const

function rank(high: RiskAxis['high']): number {
  return high === null ? HIGH.length : HIGH.indexOf(high)
}

const stated: z.ZodType<{
  readonly high?: 'deny' | 'ask' | undefined
  readonly medium?: 'ask' | 'none' | undefined
}> = closed({ high: z.enum(HIGH).optional(), medium: z.enum(['ask', 'none']).optional() })

function highRule(name: string, effect: 'deny' | 'ask'): Rule {
  return axisRule(`risk.high.${name}`, effect, { match: `bash(${name}:*)` })
}

/** Writing outside of the workspace, and every network host. */
const MEDIUM: readonly Rule[] = [
  axisRule('risk.medium.write', 'ask', { match: 'write(@outside)' }),
  axisRule('risk.medium.network', 'ask', { match: 'web_fetch(*)' }),
]
