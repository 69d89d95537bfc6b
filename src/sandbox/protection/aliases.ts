/** Second ways to a protected or secret file: links and further names (sandbox.md §3, E-31). */

import { SEARCH_LIMITS } from '../../lists/searching.js'
import type { FileFacts, Machine } from '../../platform/machine.js'
import { refusedPath } from './refusal.js'
import { controlPaths } from './repository.js'

/** Throws `workspace_refused` for a link or a file with a second name. What is absent passes. */
export function refuseAlias(path: string, machine: Machine): void {
  refuseSecondWay(path, machine.facts(path))
}

/**
 * The same for what lies in a protected folder. A link in it may lead to a place that no command can
 * write; of a repository only control files count, because clones share objects by name.
 */
export function refuseAliasesBelow(
  folder: string,
  machine: Machine,
  isWritable: (path: string) => boolean,
): void {
  const paths = isRepositoryFolder(folder, machine)
    ? controlPaths(folder, machine)
    : everythingBelow(folder, machine)
  for (const path of paths) {
    const facts = machine.facts(path)
    if (facts?.kind !== 'link') {
      refuseSecondWay(path, facts)
      continue
    }
    const target = machine.realPath(path)
    if (target === null || isWritable(target)) {
      throw refusedPath(path, 'is a link to a place that commands can write')
    }
  }
}

function refuseSecondWay(path: string, facts: FileFacts | null): void {
  if (facts === null) return
  if (facts.kind === 'link') throw refusedPath(path, 'is a link')
  if (facts.kind === 'special') throw refusedPath(path, 'is neither a file nor a folder')
  if (facts.kind === 'file' && facts.links > 1) throw refusedPath(path, 'has a second name')
}

function isRepositoryFolder(folder: string, machine: Machine): boolean {
  return machine.facts(`${folder}/HEAD`) !== null
}

function everythingBelow(top: string, machine: Machine): readonly string[] {
  const found: string[] = []
  const waiting = [top]
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    for (const { name, kind } of machine.list(folder)) {
      const path = `${folder}/${name}`
      found.push(path)
      if (kind === 'directory') waiting.push(path)
    }
    if (found.length > SEARCH_LIMITS.entries) throw refusedPath(top, 'holds too much to search')
  }
  return found
}
