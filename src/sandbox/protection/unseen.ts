/** Names that a search would pass by although a command can reach what they name (sandbox.md §3). */

import type { FileFacts, Machine } from '../../platform/machine.js'

/**
 * True for a name that its folder lists and that cannot be looked at: its bytes are no text, its path is
 * too long, or nobody may enter the folder before its owner opens it.
 */
export function isUnseen(folder: string, name: string, machine: Machine): boolean {
  if (machine.facts(`${folder}/${name}`) !== null) return false
  // What is gone since is listed no more.
  return machine.list(folder).some((entry) => entry.name === name)
}

/** True where a command gets in: its owner can open it, and some folders only keep their names to themselves. */
export function canEnter(path: string, facts: FileFacts, machine: Machine): boolean {
  return facts.owner === machine.user || machine.isReadable(path)
}
