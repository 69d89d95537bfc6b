/** What a tree of sessions has asked (pipeline.md §5, H-13): so that nobody is worn down by questions. */

import type { BudgetsAxis } from '../../policy/effective-policy.js'

/** A call as far as asking is concerned. */
interface AskedCall {
  readonly prepared: {
    readonly call: { readonly tool: string; readonly cwd: string }
    readonly submission: { readonly argsRef: { readonly d: string } }
  }
  /** Not `null` while somebody is asked, by a responder or by a ticket. */
  readonly asking: object | null
  readonly pending: object | null
}

/** Refusals since a person last spoke, after which nobody is asked any more. */
const REFUSALS = 3
const HOUR_MS = 3_600_000

/** One for a root session and everything below it. Times are monotonic milliseconds. */
export class AskBook {
  private readonly waiting = new Set<AskedCall>()
  private asked: readonly number[] = []
  private readonly refused = new Set<string>()
  private refusals = 0

  /** Why nobody is asked about the call; `null` when somebody may be. */
  hindrance(
    call: Pick<AskedCall, 'prepared'>,
    { asksPending, asksPerHour }: BudgetsAxis,
    now: number,
  ): 'already_rejected' | 'ask_budget' | null {
    if (this.refused.has(keyOf(call))) return 'already_rejected'
    for (const one of this.waiting) {
      if (one.asking === null && one.pending === null) this.waiting.delete(one)
    }
    const recent = this.asked.filter((at) => now - at < HOUR_MS).length
    const isSpent =
      this.refusals >= REFUSALS ||
      (asksPending !== null && this.waiting.size >= asksPending) ||
      (asksPerHour !== null && recent >= asksPerHour)
    return isSpent ? 'ask_budget' : null
  }

  /** Somebody is being asked; the call counts as pending until it no longer says so. */
  note(call: AskedCall, now: number): void {
    this.waiting.add(call)
    this.asked = [...this.asked.filter((at) => now - at < HOUR_MS), now]
  }

  /** A person said no: the same call is not asked about again. */
  refuse(call: AskedCall): void {
    this.refused.add(keyOf(call))
    this.refusals += 1
  }

  /** A person spoke. */
  reset(): void {
    this.refused.clear()
    this.refusals = 0
  }
}

/** Tool, arguments and folder, whoever makes the call. */
function keyOf({ prepared: { call, submission } }: Pick<AskedCall, 'prepared'>): string {
  return JSON.stringify([call.tool, submission.argsRef.d, call.cwd])
}
