/** Holds the placeholders of a workspace while commands run in it, over processes and crashes (sandbox.md §3). */

import { createHash } from 'node:crypto'
import { lstatSync, mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'
import { SandboxError, SixgateError } from '../../core/errors.js'
import { controlDirectory } from '../control-directory.js'
import { ownIdentity, type ProcessIdentity } from '../process/process-identity.js'
import {
  dropClaim,
  moveClaim,
  noteClaim,
  readClaims,
  writeClaim,
  type ClaimNote,
} from './claim-file.js'
import { followFolder } from './moved-folder.js'
import {
  isStanding,
  makePlaceholder,
  removePlaceholder,
  type Made,
  type Placeholder,
} from './placeholder.js'

/** One process' hold on the placeholders of a workspace. */
export interface Claim {
  /** Where the notes lie: hidden from every command. */
  readonly folder: string
  /** What this claim made and nobody touched since. */
  readonly standing: () => readonly Placeholder[]
  /** Makes what is absent and gives what was made. */
  readonly make: (wanted: readonly Placeholder[]) => readonly Placeholder[]
  /** Removes the placeholders unless somebody else needs them; the last one removes all. */
  readonly release: () => void
}

/**
 * Claims a workspace and clears away what crashed processes left. Rejects with `SandboxError` when no
 * notes can be kept: without them a crash would leave names that nobody knows to be placeholders.
 */
export async function claimWorkspace(workspace: string): Promise<Claim> {
  const folder = notesFolder(workspace)
  const identity = ownIdentity()
  const { instance } = identity
  const followed = followFolder(workspace)
  await begin(workspace, folder, identity).catch((cause: unknown) => {
    // Denied: the run that needs the claim.
    followed.close()
    throw cause
  })
  const all: Made[] = []
  return {
    folder,
    standing: () => all.filter((one) => isStanding(workspace, one)),
    make(wanted) {
      if (wanted.length === 0) return []
      noteClaim(folder, instance, { wanted })
      const made = wanted.flatMap((one) => makePlaceholder(workspace, one) ?? [])
      noteClaim(folder, instance, { made })
      all.push(...made)
      return made
    },
    release() {
      try {
        const isClear = release(workspace, folder, instance)
        const elsewhere = followed.elsewhere()
        if (isClear && elsewhere !== null) removeAll(elsewhere, all)
      } catch {
        // Nothing is denied: the next claim finds these notes and clears away.
      } finally {
        followed.close()
      }
    },
  }
}

/** True when notes about placeholders in a folder are left: by somebody who holds it, or who was killed. */
export function hasClaims(workspace: string): boolean {
  try {
    return readClaims(notesFolder(workspace)).length > 0
  } catch {
    // Nothing is denied: without notes there is nothing to clear away.
    return false
  }
}

// INVARIANT: whoever removes says so first and looks for claims afterwards, whoever claims looks for
// removers afterwards: of two that overlap at least one sees the other ("two hosts in one workspace").
function release(workspace: string, folder: string, instance: string): boolean {
  moveClaim(folder, instance, { from: 'claim', to: 'removing' })
  const isClear = removeUnheld(workspace, folder, instance)
  if (isClear) dropClaim(folder, { file: `removing-${instance}` })
  else moveClaim(folder, instance, { from: 'removing', to: 'left' })
  return isClear
}

async function begin(workspace: string, folder: string, identity: ProcessIdentity): Promise<void> {
  writeClaim(folder, identity)
  sweep(workspace, folder, identity.instance)
  await removersGone(folder, identity.instance)
}

/** Before a claim's first look at the workspace: what the dead left must not pass for the user's own. */
function sweep(workspace: string, folder: string, instance: string): void {
  if (readClaims(folder).every((note) => note.instance === instance)) return
  moveClaim(folder, instance, { from: 'claim', to: 'removing' })
  removeUnheld(workspace, folder, instance)
  moveClaim(folder, instance, { from: 'removing', to: 'claim' })
}

/** Removes what this claim, ended ones and dead ones made; false when somebody alive holds a claim. */
function removeUnheld(workspace: string, folder: string, instance: string): boolean {
  const notes = readClaims(folder)
  const isOther = (note: ClaimNote): boolean => note.instance !== instance
  if (notes.some((note) => isOther(note) && note.state === 'claim' && note.isLive)) return false
  const over = notes.filter((note) => !isOther(note) || note.state === 'left' || !note.isLive)
  removeAll(
    workspace,
    over.flatMap((note) => note.placeholders),
  )
  for (const note of over) if (isOther(note)) dropClaim(folder, note)
  return true
}

/** The deepest first: a folder on the way is empty only then. */
function removeAll(workspace: string, placeholders: ClaimNote['placeholders']): void {
  const depth = ({ name }: Placeholder): number => name.split('/').length
  for (const one of [...placeholders].sort((a, b) => depth(b) - depth(a))) {
    removePlaceholder(workspace, one)
  }
}

/** Somebody who removes is done within milliseconds. */
async function removersGone(folder: string, instance: string): Promise<void> {
  const isRemoving = (note: ClaimNote): boolean =>
    note.instance !== instance && note.state === 'removing' && note.isLive
  for (let waitedMs = 0; readClaims(folder).some(isRemoving); waitedMs += PAUSE_MS) {
    if (waitedMs >= LONGEST_WAIT_MS) {
      dropClaim(folder, { file: `claim-${instance}` })
      throw refused('another process does not let go of the workspace')
    }
    await after(PAUSE_MS)
  }
}

const PAUSE_MS = 2
const LONGEST_WAIT_MS = 5000

/** The user's state directory, or where there is none a private folder among temporary files. */
function notesFolder(workspace: string): string {
  const id = `held-${createHash('sha256').update(workspace).digest('hex').slice(0, 32)}`
  for (const place of [
    stateFolder(id),
    join(tmpdir(), `sixgate-${process.geteuid?.() ?? 0}`, id),
  ]) {
    if (place !== null && isPrivate(place)) return place
  }
  throw refused('no private folder can be made for notes about placeholders')
}

function stateFolder(id: string): string | null {
  try {
    return controlDirectory(id)
  } catch (cause) {
    // Denied: the state directory; the temporary folder is tried, with the same checks.
    if (cause instanceof SixgateError) return null
    throw cause
  }
}

function isPrivate(folder: string): boolean {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const stats = lstatSync(folder)
    return stats.isDirectory() && stats.uid === process.geteuid?.() && (stats.mode & 0o077) === 0
  } catch {
    // Denied: this folder for notes.
    return false
  }
}

function refused(message: string): SandboxError {
  return new SandboxError('setup_failed', message, 'make the state directory of this user writable')
}
