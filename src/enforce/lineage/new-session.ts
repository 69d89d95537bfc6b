/** What every session begins with, however it came to be. */

import { deriveKey } from '../../encoding/digest.js'
import type { LiveSession } from '../live-session.js'
import { starting } from '../start/starting.js'

/** What differs between a root, a child, and a session that is taken up again. */
export type Origins = Pick<
  LiveSession,
  | 'id'
  | 'kind'
  | 'home'
  | 'parent'
  | 'spawnsLeft'
  | 'recorder'
  | 'taskId'
  | 'cwd'
  | 'policy'
  | 'createdAt'
> &
  Partial<LiveSession>

/** Open, with no calls and no snapshot unless the origins say so. */
export function newSession(origins: Origins): LiveSession {
  const { around, store } = origins.home
  return {
    spawnCallId: null,
    history: undefined,
    givenDigest: null,
    coldParent: null,
    coldAncestors: [],
    snapshotVersion: 0,
    saving: Promise.resolve(),
    around,
    runId: origins.recorder.runId,
    ticketKey: deriveKey(store.secret, `ticket:${origins.id}`),
    calls: new Map(),
    abortedTurns: new Set(),
    starting: starting(),
    running: new Set(),
    unsettled: new Set(),
    closing: new AbortController(),
    steps: 0,
    denied: 0,
    dispatched: 0,
    ...origins,
  }
}
