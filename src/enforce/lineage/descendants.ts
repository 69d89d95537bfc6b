/** Who is below whom: by live parents, and by the marks of sessions that were taken up again by themselves. */

import type { RunId } from '../../core/ids.js'
import type { LiveSession } from '../live-session.js'

/** Every open session below this one, at any depth, those that are just being created included. */
export function descendantsOf(session: LiveSession): readonly LiveSession[] {
  return [...session.home.sessions].filter((other) => isBelow(other, session.runId))
}

function isBelow(session: LiveSession, runId: RunId): boolean {
  const { parent } = session
  if (parent === null) return session.coldAncestors.some((mark) => mark.run_id === runId)
  return parent.runId === runId || isBelow(parent, runId)
}
