/** How much a session may do (pipeline.md §2, delegation.md §7). */

import { z } from 'zod'
import type { Json, JsonObject } from '../../core/json.js'
import { closed, excessIf, readKey, type Axis, type Reading } from '../axis.js'
import type { BudgetsAxis } from '../effective-policy.js'

const ABSENT: BudgetsAxis = {
  actionsPerHour: null,
  costPerDay: null,
  costPerMonth: null,
  treeIterations: null,
  asksPending: 8,
  asksPerHour: 30,
  evaluationsPerMinute: null,
}

/** The smaller of each; there is no magic zero. */
export const budgets: Axis<'budgets'> = {
  name: 'budgets',
  keys: ['budgets'],
  forms: () => ({ budgets: [stated] }),
  read: ({ budgets: value }) =>
    value === undefined ? { ok: true, value: undefined } : readBudgets(value),
  write: (value): JsonObject => ({ budgets: mapBudgets((name) => value[name] ?? 'unlimited') }),
  absent: ABSENT,
  meet: (left, right) => mapBudgets((name) => smaller(left[name], right[name])),
  exceeds: (child, parent) =>
    NAMES.flatMap((name) => {
      const limit = parent[name]
      const given = child[name]
      return excessIf(limit !== null && (given === null || given > limit), name, {
        parent: limit ?? 'unlimited',
        given: given ?? 'unlimited',
      })
    }),
  excess: 'refused',
}

type BudgetName = keyof BudgetsAxis
const NAMES = Object.keys(ABSENT) as readonly BudgetName[]
type Stated = { readonly [B in BudgetName]?: number | null | undefined }

const limit: z.ZodType<number | null> = z.preprocess(
  // `null` is no value of a document; past this line it stands for the word.
  (value) => (value === 'unlimited' ? null : value === null ? undefined : value),
  z.int().min(1).nullable(),
)
const stated: z.ZodType<Stated> = closed(mapBudgets(() => limit.optional()))

function readBudgets(value: Json): Reading<BudgetsAxis> {
  const reading = readKey(stated, 'budgets', value)
  if (!reading.ok) {
    const allowed = reading.fault.code === 'invalid_value' ? LIMITS : reading.fault.allowed
    return { ok: false, fault: { ...reading.fault, allowed } }
  }
  const given = reading.value
  return {
    ok: true,
    value: mapBudgets((name) => {
      const stated = given[name]
      return stated === undefined ? ABSENT[name] : stated
    }),
  }
}

const LIMITS = ['a whole number from 1 on', 'unlimited']

function mapBudgets<T>(map: (name: BudgetName) => T): { readonly [B in BudgetName]: T } {
  return {
    actionsPerHour: map('actionsPerHour'),
    costPerDay: map('costPerDay'),
    costPerMonth: map('costPerMonth'),
    treeIterations: map('treeIterations'),
    asksPending: map('asksPending'),
    asksPerHour: map('asksPerHour'),
    evaluationsPerMinute: map('evaluationsPerMinute'),
  }
}

function smaller(left: number | null, right: number | null): number | null {
  if (left === null) return right
  return right === null ? left : Math.min(left, right)
}
