/** Aborting a turn (pipeline.md §5): its questions end as cancelled, and nobody is asked about the rest of it. */

import type { LiveSession } from '../live-session.js'
import { cancelQuestion } from './cancel-question.js'

/** What runs already goes on: its own signal stops it. */
export function abortTurn(session: LiveSession, turn: string): void {
  session.abortedTurns.add(turn)
  const started = new Set([...session.unsettled].map(({ call }) => call))
  for (const entry of session.calls.values()) {
    const { call } = entry
    if (entry.inTurn !== turn || call?.status === 'denied') continue
    if (call !== null && started.has(call)) continue
    entry.signals.add(AbortSignal.abort())
    // What cannot be recorded is denied on the way, and stays cancelled.
    cancelQuestion(session, entry).catch(() => undefined)
  }
}
