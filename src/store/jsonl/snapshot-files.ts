/** Snapshots as files (delegation.md §4): `snapshots/<session>/<version>.json`, each written once. */

import { RecordError } from '../../core/errors.js'
import type { SessionId } from '../../core/ids.js'
import type { Snapshots } from '../../delegation/snapshots.js'
import { createOnce, isDraft } from '../../platform/disk/create-once.js'
import { readPrivateFile } from '../../platform/disk/private-file.js'
import {
  createPrivateFolder,
  namesIn,
  privateFolderExists,
  removeFile,
  removeFolder,
  syncFolder,
} from '../../platform/disk/private-files.js'
import { systemErrorCode } from '../../platform/disk/system-error.js'
import { faulted } from '../fault.js'
import { checkVersion, copySnapshot, MAX_SNAPSHOT, refuseOtherBytes } from '../snapshot-limits.js'
import { takeTurns } from '../turns.js'
import { checkUlid } from '../ulid.js'

/** The snapshots below a ledger folder. Changes to one session take effect in call order. */
export function snapshotFiles(ledger: string): Snapshots {
  const inTurn = takeTurns()
  const root = `${ledger}/snapshots`
  const placeOf = (session: SessionId): Place => {
    const folder = `${root}/${checkUlid(session)}`
    return { ledger, root, folder, file: (version) => `${folder}/${checkVersion(version)}.json` }
  }
  const change = (
    action: string,
    session: SessionId,
    run: (place: Place) => () => Promise<void>,
  ): Promise<void> =>
    faulted(action, () => {
      const place = placeOf(session)
      return inTurn(place.folder, run(place))
    })
  return {
    put: (session, version, bytes) =>
      change('put the snapshot', session, (place) => {
        const given = { path: place.file(version), bytes: copySnapshot(bytes) }
        return () => putFile(place, given)
      }),
    get: (session, version) =>
      faulted('get the snapshot', () => getFile(placeOf(session), version)),
    versions: (session) => faulted('list the versions', () => versionsIn(placeOf(session))),
    prune: (session, version) =>
      change('prune the snapshots', session, (place) => {
        const least = checkVersion(version)
        return () => pruneFiles(place, least)
      }),
    remove: (session) =>
      change('remove the snapshots', session, (place) => () => removeFiles(place)),
  }
}

interface Place {
  readonly ledger: string
  readonly root: string
  readonly folder: string
  readonly file: (version: number) => string
}

interface Given {
  readonly path: string
  readonly bytes: Uint8Array
}

/**
 * Another process that puts or prunes takes our draft for a crash's, or removes the folder: then
 * nothing of ours has a name yet, and we start again.
 */
async function putFile(place: Place, given: Given): Promise<void> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    await createPrivateFolder(place.root)
    await createPrivateFolder(place.folder)
    await removeDrafts(place)
    const outcome = await nameFile(given)
    if (outcome === 'disturbed') continue
    if (outcome === 'taken') {
      refuseOtherBytes(await readPrivateFile(given.path, MAX_SNAPSHOT), given.bytes)
    }
    // Also where names were there before: who made them may have died before they were flushed.
    for (const folder of [place.folder, place.root, place.ledger]) await syncFolder(folder)
    return
  }
  throw new RecordError('store_failed', 'other writers disturb the session', { path: given.path })
}

const MAX_ATTEMPTS = 8

async function nameFile(given: Given): Promise<'made' | 'taken' | 'disturbed'> {
  try {
    return (await createOnce(given.path, given.bytes)) ? 'made' : 'taken'
  } catch (cause) {
    // The version has no name, so nobody reads it; any other fault reaches the caller.
    if (systemErrorCode(cause) === 'ENOENT') return 'disturbed'
    throw cause
  }
}

async function getFile(place: Place, version: number): Promise<Uint8Array | null> {
  const path = place.file(version)
  return (await isThere(place)) ? readPrivateFile(path, MAX_SNAPSHOT) : null
}

/** Each folder of the path is looked at before anything below it: a link would lead elsewhere. */
async function isThere(place: Place): Promise<boolean> {
  return (await privateFolderExists(place.root)) && privateFolderExists(place.folder)
}

/** By name alone: a version that cannot be read must not give way to an earlier one. */
async function versionsIn(place: Place): Promise<readonly number[]> {
  if (!(await isThere(place))) return []
  const versions = (await namesIn(place.folder)).flatMap((name) => versionOf(name) ?? [])
  return versions.sort((a, b) => a - b)
}

function versionOf(name: string): number | undefined {
  const version = Number(/^([1-9][0-9]{0,15})\.json$/.exec(name)?.[1])
  return Number.isSafeInteger(version) ? version : undefined
}

/** Lowest first: a crash leaves the versions that count. */
async function pruneFiles(place: Place, least: number): Promise<void> {
  if (!(await isThere(place))) return
  for (const version of await versionsIn(place)) {
    if (version < least) await removeFile(place.file(version))
  }
  await removeDrafts(place)
  await syncFolder(place.folder)
}

/** Rejects where a foreign file keeps the folder; the versions are gone all the same. */
async function removeFiles(place: Place): Promise<void> {
  if (!(await isThere(place))) return
  await pruneFiles(place, Infinity)
  await removeFolder(place.folder)
  await syncFolder(place.root)
}

async function removeDrafts(place: Place): Promise<void> {
  for (const name of await namesIn(place.folder)) {
    if (isDraft(name)) await removeFile(`${place.folder}/${name}`)
  }
}
