/** Private folders that last for a session and go with it, with the process, or after a crash (sandbox.md §2). */

import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readlinkSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { removeTree } from './disk/remove-tree.js'
import { isRunning, ownIdentity } from './process/process-identity.js'

/** Folders by owner and use: two uses of one owner never share one, nor do two owners. */
export interface ScratchFolders {
  /** The folder, made at first use; `null` when none can be made. */
  readonly folder: (owner: string, use: string) => string | null
  /** Removes all folders of an owner. */
  readonly end: (owner: string) => void
}

/** Nothing is made, and nothing of ended processes removed, before the first folder is asked for. */
export function createScratchFolders(): ScratchFolders {
  const made = new Map<string, Map<string, string>>()
  const end = (owner: string): void => {
    for (const path of made.get(owner)?.values() ?? []) remove(path)
    made.delete(owner)
  }
  let isListening = false
  return {
    end,
    folder(owner, use) {
      const own = made.get(owner) ?? new Map<string, string>()
      const known = own.get(use)
      if (known !== undefined) return known
      if (!isListening) {
        isListening = true
        process.on('exit', () => [...made.keys()].forEach(end))
        removeAbandoned()
      }
      const path = make()
      if (path !== null) made.set(owner, own.set(use, path))
      return path
    },
  }
}

const PREFIX = 'sixgate-scratch'

/** Who made a folder, in its name: the process, when it started, and where its number counts. */
function ownName(): string {
  const { pid, started } = ownIdentity()
  return [PREFIX, pid, (started ?? '').replace('/', '.'), namespace(), ''].join('_')
}

function make(): string | null {
  try {
    const path = realpathSync(mkdtempSync(join(tmpdir(), ownName())))
    mkdirSync(join(path, 'home'), { mode: 0o700 })
    return path
  } catch {
    // Denied: the run that asked for a folder of its session.
    return null
  }
}

/** What killed processes of this user left; of a number that counts elsewhere nothing is known. */
function removeAbandoned(): void {
  for (const name of namesIn(tmpdir())) {
    const [prefix, pid, started = '', where] = name.split('_')
    if (prefix !== PREFIX || where !== namespace()) continue
    const identity = { pid: Number(pid), started: started.replace('.', '/'), instance: '' }
    const path = join(tmpdir(), name)
    if (!isRunning(identity) && isOwn(path)) remove(path)
  }
}

function namespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid').replace(/\D/g, '')
  } catch {
    // Nothing is denied: numbers count for the whole system where there are no namespaces.
    return ''
  }
}

function isOwn(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  return stats?.isDirectory() === true && stats.uid === process.geteuid?.()
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    // Nothing is denied: what is left behind stays.
    return []
  }
}

function remove(path: string): void {
  try {
    removeTree(path)
  } catch {
    // Nothing is denied: the folder stays behind, and only this user can enter it.
  }
}
