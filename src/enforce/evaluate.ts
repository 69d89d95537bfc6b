/** `evaluate` (pipeline.md §3): one call id is one call, decided once, replayed afterwards. */

import type { Outcome } from '../contract/outcome.js'
import type { CallRequest } from '../contract/session.js'
import type { Origin } from '../core/call.js'
import type { CallId } from '../core/ids.js'
import { unreachable } from '../core/unreachable.js'
import { sha256 } from '../encoding/digest.js'
import { admit } from './admission.js'
import { prepare } from './call/prepare.js'
import type { FixedChildren } from './call/fixed-children.js'
import type { RegisteredTool } from './call/registry.js'
import { callSignals } from './call/signals.js'
import { submit, type Submission } from './call/submission.js'
import { newCall, type CallEntry, type LiveCall, type LiveSession } from './live-session.js'
import { denied, unrecorded } from './messages.js'
import { settle } from './settle.js'
import { emptyTrail } from './trail.js'

/** Who makes a call: nothing of this can be said in a request (S1-54 to S1-58). */
export type Maker =
  | { readonly by: 'agent' }
  | { readonly by: 'host'; readonly fixed: FixedChildren }
  /** The executor of a call that runs. */
  | { readonly by: 'call'; readonly within: LiveCall }
  /** The same, for a host that it wants to reach beside the ones that were judged. */
  | { readonly by: 'call'; readonly within: LiveCall; readonly registered: RegisteredTool }

export const AGENT: Maker = { by: 'agent' }

/** Never rejects; every fault on the way denies. */
export async function evaluate(
  session: LiveSession,
  request: CallRequest,
  maker: Maker = AGENT,
): Promise<Outcome> {
  const submission = await submit(request, session.around.ids, session.around.pause)
  if (session.closing.signal.aborted) {
    return unrecorded(session.around.words, 'session_closed', submission.callId)
  }
  const arrival = arrivalOf(session, submission, maker)
  const identity = identityOf(arrival)
  const known = session.calls.get(submission.callId)
  if (known !== undefined && known.identity !== identity) {
    return unrecorded(session.around.words, 'call_id_reused', submission.callId)
  }
  return known === undefined ? begin(session, arrival, identity) : replay(session, known, arrival)
}

function arrivalOf(session: LiveSession, submission: Submission, maker: Maker): Arrival {
  const found = session.around.tools.find(submission.tool) ?? null
  const base = { submission, registered: found, within: null, fixed: null }
  switch (maker.by) {
    case 'agent':
      return { ...base, origin: 'agent' }
    case 'host':
      return { ...base, origin: 'host', fixed: maker.fixed }
    case 'call': {
      const { within } = maker
      const isFixed = within.fixed?.takes(submission) === true
      const registered = 'registered' in maker ? maker.registered : found
      return { ...base, registered, within, origin: isFixed ? 'host_nested' : 'nested' }
    }
    default:
      return unreachable(maker)
  }
}

/** What a replay must repeat, as a digest; a request with a defect repeats its defect. */
export function identityOf({
  submission,
  origin,
  registered,
}: Pick<Arrival, 'submission' | 'origin' | 'registered'>): string {
  const { tool, argsRef, cwd, defect } = submission
  const definition = registered?.digest ?? null
  // `JSON.stringify` also takes a tool name that is no well-formed text.
  return sha256(JSON.stringify([origin, tool, definition, argsRef.d, cwd, defect]))
}

function begin(session: LiveSession, arrival: Arrival, identity: string): Promise<Outcome> {
  const { callId, signal } = arrival.submission
  const signals = callSignals(signal)
  signals.add(arrival.within?.stopped.signal ?? null)
  const entry: CallEntry = {
    identity,
    signals,
    inTurn: null,
    call: null,
    isBusy: false,
    turn: PENDING,
  }
  session.calls.set(callId, entry)
  return judgeFirst(session, entry, arrival)
}

/** Stands in the entry for the moment between its making and its first turn. */
const PENDING = new Promise<Outcome>(() => undefined)

/** What a call that is judged for the first time in this process comes from. */
export interface Arrival {
  readonly submission: Submission
  readonly origin: Origin
  readonly registered: RegisteredTool | null
  readonly within: LiveCall | null
  readonly fixed: FixedChildren | null
}

function judgeFirst(session: LiveSession, entry: CallEntry, arrival: Arrival): Promise<Outcome> {
  const turn = async (): Promise<Outcome> => judge(session, await wakeCall(session, entry, arrival))
  return takeTurn(session, entry, { callId: arrival.submission.callId, turn })
}

/** A call in its entry: fresh, or going on from what its run holds. */
export function wakeCall(
  session: LiveSession,
  entry: CallEntry,
  arrival: Arrival,
): Promise<LiveCall> {
  if (entry.waking === undefined) enterTurn(session, entry, arrival)
  entry.waking ??= prepareCall(session, entry, arrival)
  return entry.waking
}

/** From here on the end of its turn ends the call. */
function enterTurn(session: LiveSession, entry: CallEntry, arrival: Arrival): void {
  entry.inTurn = turnOf(arrival)
  if (isAborted(session, entry.inTurn)) entry.signals.add(AbortSignal.abort())
}

/** A call within a call is of its turn, whatever it says of itself. */
export function turnOf({
  submission,
  within,
}: Pick<Arrival, 'submission' | 'within'>): string | null {
  let { turn } = submission
  for (let outer = within; outer !== null; outer = outer.within) {
    turn = outer.prepared.submission.turn ?? turn
  }
  return turn
}

export function isAborted({ abortedTurns }: LiveSession, turn: string | null): boolean {
  return turn !== null && abortedTurns.has(turn)
}

async function prepareCall(
  session: LiveSession,
  entry: CallEntry,
  arrival: Arrival,
): Promise<LiveCall> {
  const { submission, within, fixed } = arrival
  const prepared = await prepare(submission, arrival, session)
  const { identity, signals } = entry
  const trail = entry.trail ?? emptyTrail(submission.callId)
  const call = newCall({ identity, prepared, signals, within, fixed, trail })
  entry.call = call
  return call
}

/** A call in progress is joined; one that ended gives what it ended in; others are folded again. */
function replay(session: LiveSession, entry: CallEntry, arrival: Arrival): Promise<Outcome> {
  const { call, past } = entry
  if (call?.status !== 'dispatched') entry.signals.add(arrival.submission.signal)
  if (entry.isBusy) return entry.turn
  if (call === null) {
    return past === 'open' ? judgeFirst(session, entry, arrival) : entry.turn
  }
  switch (call.status) {
    case 'dispatched':
      return Promise.resolve(
        unrecorded(session.around.words, 'already_dispatched', arrival.submission.callId),
      )
    case 'denied':
      return entry.turn
    case 'judging':
    case 'suspended':
    case 'admitted':
      return rejudge(session, entry, call)
    default:
      return unreachable(call.status)
  }
}

/** Folds a call that is not terminal again, on its own turn. Never rejects. */
export function rejudge(session: LiveSession, entry: CallEntry, call: LiveCall): Promise<Outcome> {
  const turn = (): Promise<Outcome> => judge(session, call)
  return takeTurn(session, entry, { callId: call.trail.callId, turn })
}

/** One turn of a call at a time; what cannot be prepared or recorded is denied. */
function takeTurn(
  session: LiveSession,
  entry: CallEntry,
  { callId, turn }: { readonly callId: CallId; readonly turn: () => Promise<Outcome> },
): Promise<Outcome> {
  entry.isBusy = true
  entry.turn = turn()
    // The chain stays open and is reported.
    .catch(() => unrecorded(session.around.words, 'audit_unavailable', callId))
    .finally(() => {
      entry.isBusy = false
    })
  return entry.turn
}

async function judge(session: LiveSession, call: LiveCall): Promise<Outcome> {
  const settled = await settle(session, call)
  switch (settled.status) {
    case 'admitted':
      call.status = 'admitted'
      call.outcome = admit(session, call)
      return call.outcome
    case 'denied':
      call.status = 'denied'
      call.outcome = denied(session.around.words, call.prepared, settled)
      return call.outcome
    case 'suspended':
      call.status = 'suspended'
      call.outcome = settled.suspended
      return call.outcome
    default:
      return unreachable(settled)
  }
}
