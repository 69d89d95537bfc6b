/** What an executor reports of its own step (api.md `ToolContext.report`): checked, added up, recorded. */

import type { ReportedFacts } from '../../contract/tool.js'
import { ToolError } from '../../core/errors.js'
import type { Json } from '../../core/json.js'
import { copyJson } from '../../encoding/plain-json.js'
import { contentOf } from '../../trace/content.js'
import type { StepResultRecord, StepUsage } from '../../trace/records.js'

/** The reports of one call. A malformed one throws `ToolError` and changes nothing. */
export class Reports {
  private usage: StepUsage | null = null
  private readonly effects: Json[] = []

  add(given: ReportedFacts): void {
    if (!isObject(given)) throw new ToolError('invalid_input', 'a report is an object')
    const { usage, effects } = given
    const total = usage === undefined ? this.usage : summed(this.usage ?? NOTHING, usage)
    if (effects !== undefined) this.effects.push(plain(effects))
    this.usage = total
  }

  facts(): Pick<StepResultRecord, 'usage' | 'reported'> {
    const { usage, effects } = this
    return {
      ...(usage === null ? {} : { usage }),
      ...(effects.length === 0 ? {} : { reported: contentOf(effects) }),
    }
  }
}

const NOTHING: StepUsage = { tokens_in: 0, tokens_out: 0, cost_micros: 0 }

/** Whoever reports may be no typed code. */
function isObject(given: unknown): boolean {
  return typeof given === 'object' && given !== null
}

function summed(before: StepUsage, said: NonNullable<ReportedFacts['usage']>): StepUsage {
  if (!isObject(said)) throw new ToolError('invalid_input', 'usage is an object')
  return {
    tokens_in: sum(before.tokens_in, said.tokensIn),
    tokens_out: sum(before.tokens_out, said.tokensOut),
    cost_micros: sum(before.cost_micros, said.costMicros),
  }
}

function sum(before: number, said: unknown = 0): number {
  const total = typeof said === 'number' ? before + said : Number.NaN
  // Records hold safe integers only; what is no count would make the step unrecordable.
  if (Number.isSafeInteger(said) && total >= before && Number.isSafeInteger(total)) return total
  throw new ToolError('invalid_input', 'usage is told in whole numbers that are not negative')
}

function plain(effects: unknown): Json {
  const copy = copyJson(effects)
  if (copy.ok) return copy.value
  throw new ToolError('invalid_input', `effects are no plain JSON at \`${copy.at}\``)
}
