/**
 * Hooks before a call is judged (pipeline.md §4 "Guards"): each may stop the call, have it asked about
 * or change its arguments. All that match are heard; none suppresses another, none approves.
 */

import type { HookCall } from '../../contract/hooks.js'
import type { GuardAnswer } from '../../core/facts.js'
import type { Json } from '../../core/json.js'
import { copyJsonInSlices } from '../../encoding/plain-json.js'
import { rewrite, type Prepared } from '../call/prepare.js'
import type { CallSignals } from '../call/signals.js'
import { subjectsOf } from '../call/subjects.js'
import type { LiveCall, LiveSession } from '../live-session.js'
import { CANCELLED, guardAnswers } from './builtin.js'
import { HOOK_LIMITS, type RegisteredHook } from './hook-register.js'

/** The call as hooks find it. */
export type Hearing = Pick<LiveCall, 'prepared' | 'signals' | 'within'>

/** The call as they leave it. */
export interface Heard {
  readonly prepared: Prepared
  readonly guards: readonly GuardAnswer[]
}

/**
 * The answers of hooks, and the arguments as they leave them. Never rejects. A call that the library's
 * own guards deny is heard by no hook: neither can a rewrite make it another call. These guards look
 * again at what hooks left, on every pass.
 */
export async function hearHooks(session: LiveSession, hearing: Hearing): Promise<Heard> {
  const { around } = session
  let { prepared } = hearing
  const own = guardAnswers(hearing, await subjectsOf(prepared.call, around), around)
  if (own.length > 0 || prepared.call.defect !== null) return { prepared, guards: own }
  const answers: GuardAnswer[] = []
  const startedAt = around.clock.monotonicUs()
  for (const hook of around.hooks.inOrder()) {
    // Anew for each: links move while an earlier hook thinks.
    const subjects = await subjectsOf(prepared.call, around)
    const { tool, runsIn, defect } = prepared.call
    // An earlier hook's rewrite left nothing to judge; layer 1 denies it.
    if (defect !== null) break
    if (!hook.hears({ tool, runsIn, subjects, roots: around.roots })) continue
    const spentMs = (around.clock.monotonicUs() - startedAt) / 1000
    const said = await hear(session, hook, {
      call: hookCall(prepared),
      signals: hearing.signals,
      timeMs: Math.min(hook.timeoutMs, HOOK_LIMITS.totalMs - spentMs),
    })
    if (said.action === 'cancelled') return { prepared, guards: [CANCELLED, ...answers] }
    if (said.action === 'rewrite') prepared = rewrite(prepared, said.args, hook.id)
    else answers.push(...answerOf(hook, said))
  }
  const blocking = answers.find(({ decision }) => decision === 'deny')?.reason
  return {
    prepared: blocking === undefined ? prepared : { ...prepared, detail: blocking },
    guards: answers,
  }
}

/** An answer that was understood; everything else is a block. */
type Said =
  | { readonly action: 'continue' | 'cancelled' }
  | { readonly action: 'block' | 'ask'; readonly reason: string }
  | { readonly action: 'rewrite'; readonly args: Json }

function answerOf(hook: RegisteredHook, said: Exclude<Said, { action: 'rewrite' }>): GuardAnswer[] {
  const matchedRule = `guard:${hook.id}`
  switch (said.action) {
    case 'block':
      return [{ decision: 'deny', matchedRule, reason: said.reason }]
    case 'ask':
      return [{ decision: 'ask', matchedRule, reason: said.reason }]
    case 'continue':
    case 'cancelled':
      return []
  }
}

function hookCall({ call, input, submission }: Prepared): Omit<HookCall, 'signal'> {
  const { callId, sessionId, origin, tool, cwd } = call
  return { callId, sessionId, turn: submission.turn, origin, tool, args: input, cwd }
}

interface Turn {
  readonly call: Omit<HookCall, 'signal'>
  readonly signals: CallSignals
  /** Milliseconds. */
  readonly timeMs: number
}

/** One hook, for as long as it may take. */
function hear({ around, closing }: LiveSession, hook: RegisteredHook, turn: Turn): Promise<Said> {
  const over = new AbortController()
  return new Promise((resolve) => {
    const finish = (said: Said): void => {
      stopTimer()
      stopListening()
      closing.signal.removeEventListener('abort', cancel)
      over.abort()
      resolve(said)
    }
    const begun = around.clock.monotonicUs()
    // A handler that kept the process from looking at the clock is late all the same.
    const answered = (said: Said): void =>
      (around.clock.monotonicUs() - begun) / 1000 < turn.timeMs ? finish(said) : late()
    const cancel = (): void => finish({ action: 'cancelled' })
    const late = (): void => finish(blocked('the hook did not answer in time'))
    const stopTimer = around.clock.after(Math.max(0, turn.timeMs), late)
    const stopListening = turn.signals.onAbort(cancel)
    closing.signal.addEventListener('abort', cancel)
    if (closing.signal.aborted || turn.signals.isAborted()) cancel()
    else if (turn.timeMs <= 0) late()
    else {
      const call = Object.freeze({ ...turn.call, signal: over.signal })
      // A promise settles once: what a hook says after its end changes nothing.
      answer(hook, call, around.pause).then(answered, late)
    }
  })
}

async function answer(
  { handler }: RegisteredHook,
  call: HookCall,
  pause: () => Promise<void>,
): Promise<Said> {
  if (typeof handler !== 'function') return blocked('the hook has no handler')
  try {
    const given: unknown = await (handler as (call: HookCall) => unknown)(call)
    return await read(Object(given) as object, pause)
  } catch {
    // A gate that fails has not let the call pass.
    return blocked('the hook failed')
  }
}

/** `allow`, `skip`, `retry` and whatever else somebody may say are no answers of a gate. */
async function read(given: object, pause: () => Promise<void>): Promise<Said> {
  const { action, reason, args } = given as Readonly<Record<string, unknown>>
  if (action === 'continue') return { action }
  if ((action === 'block' || action === 'ask') && typeof reason === 'string') {
    return { action, reason: reason.slice(0, LONGEST_REASON).toWellFormed() }
  }
  if (action !== 'rewrite') return blocked('the hook gave an unknown answer')
  const copy = await copyJsonInSlices(args, pause)
  return copy.ok
    ? { action, args: copy.value }
    : blocked('the hook gave arguments that are no JSON')
}

function blocked(reason: string): Said {
  return { action: 'block', reason }
}

/** Characters; what a person reads beside the question or the denial. */
const LONGEST_REASON = 1000
