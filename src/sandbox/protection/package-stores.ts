/** Whether files of a package store have names outside of it, which a command would change too (H-27). */

import { SEARCH_LIMITS } from '../../lists/searching.js'
import type { Machine } from '../../platform/machine.js'
import { refusedPath } from './refusal.js'
import { isUnseen } from './unseen.js'

/** Answers for one folder and remembers the answer until the folder or an entry of it changes. */
export type SharesFiles = (store: string) => boolean

export function createSharesFiles(machine: Machine): SharesFiles {
  const known = new Map<string, { readonly signature: string; readonly answer: boolean }>()
  return (store) => {
    const signature = signatureOf(store, machine)
    const before = known.get(store)
    if (before?.signature === signature) return before.answer
    const answer = hasNamesOutside(store, machine)
    known.set(store, { signature, answer })
    return answer
  }
}

/** Package managers that link files into a store add or replace an entry at its top. */
function signatureOf(store: string, machine: Machine): string {
  const paths = [store, ...machine.list(store).map(({ name }) => `${store}/${name}`)]
  return paths
    .map((path) => {
      const facts = machine.facts(path)
      return facts === null ? '' : `${facts.id}@${facts.changedMs}`
    })
    .join(' ')
}

/** Every name of a file must be found inside; one that is not lies somewhere else, and one that is unseen may. */
function hasNamesOutside(store: string, machine: Machine): boolean {
  const missing = new Map<string, number>()
  const waiting = [store]
  let entries = 0
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const found = machine.entries(folder)
    // A command may open a folder that cannot be listed; one that is gone holds nothing.
    if (found === null && machine.facts(folder) !== null) return true
    for (const { name, kind } of found ?? []) {
      const path = `${folder}/${name}`
      if (++entries > SEARCH_LIMITS.entries) throw refusedPath(store, 'holds too much to search')
      const facts = machine.facts(path)
      if (facts === null && isUnseen(folder, name, machine)) return true
      if (kind === 'directory') waiting.push(path)
      if (kind !== 'file' || facts === null || facts.links === 1) continue
      missing.set(facts.id, (missing.get(facts.id) ?? facts.links) - 1)
    }
  }
  return [...missing.values()].some((count) => count > 0)
}
