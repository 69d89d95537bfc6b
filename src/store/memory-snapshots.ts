/** Snapshots that are forgotten with their store (delegation.md §4). */

import type { SessionId } from '../core/ids.js'
import type { Snapshots } from '../delegation/snapshots.js'
import { checkVersion, copySnapshot, refuseOtherBytes } from './snapshot-limits.js'
import { checkUlid } from './ulid.js'

type Versions = ReadonlyMap<number, Uint8Array>

/** The snapshots of one workspace, kept as long as this value. */
export function memorySnapshots(): Snapshots {
  const sessions = new Map<SessionId, Versions>()
  const versionsOf = (session: SessionId): Versions =>
    sessions.get(checkUlid(session)) ?? new Map<number, Uint8Array>()
  return {
    // Each is async so that what it throws rejects.
    async put(session, version, bytes) {
      const known = versionsOf(session)
      const copy = copySnapshot(bytes)
      if (known.has(checkVersion(version))) refuseOtherBytes(known.get(version), copy)
      else sessions.set(session, new Map([...known, [version, copy]]))
    },
    async get(session, version) {
      const found = versionsOf(session).get(checkVersion(version))
      return found === undefined ? null : copySnapshot(found)
    },
    versions: async (session) => [...versionsOf(session).keys()].sort((a, b) => a - b),
    async prune(session, version) {
      const least = checkVersion(version)
      const kept = [...versionsOf(session)].filter(([one]) => one >= least)
      sessions.set(session, new Map(kept))
    },
    async remove(session) {
      sessions.delete(checkUlid(session))
    },
  }
}
