/** A question that waits for nobody any more: it ends as cancelled, and its call with it. */

import { rejudge } from '../evaluate.js'
import { whenIdle, type CallEntry, type LiveSession } from '../live-session.js'

/** Once nobody judges the call; does nothing for a call without a question. */
export async function cancelQuestion(session: LiveSession, entry: CallEntry): Promise<void> {
  await whenIdle(entry)
  const { call } = entry
  // A dispatch that asks once more leaves its question as a ticket before it leaves the call.
  if (call?.status === 'dispatched') await session.starting.over()
  if (call === null || call.pending === null) return
  call.pending = null
  call.answer = { verdict: 'refused', end: 'cancelled' }
  await rejudge(session, entry, call)
}
