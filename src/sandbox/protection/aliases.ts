/** Second ways to a protected or secret file: links and further names (sandbox.md §3, E-31). */

import { SEARCH_LIMITS } from '../../lists/searching.js'
import type { FileFacts, Machine } from '../../platform/machine.js'
import { refusedPath } from './refusal.js'
import { controlPaths } from './repository.js'
import { isUnseen } from './unseen.js'

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
    ? repositoryControls(folder, machine)
    : everythingBelow(folder, machine)
  for (const path of paths) {
    const facts = machine.facts(path)
    if (facts?.kind !== 'link') {
      refuseSecondWay(path, facts)
      continue
    }
    const target = machine.realPath(path)
    // A link on the way that a command can replace leads wherever it wants.
    if (target === null || [target, ...machine.linksOn(path)].some(isWritable)) {
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

/** Its own and those of its submodules and worktrees; a folder that is a link counts with what lies in it. */
function repositoryControls(folder: string, machine: Machine): readonly string[] {
  const links = machine.list(folder).filter(({ kind }) => kind === 'link')
  return [
    ...links.map(({ name }) => `${folder}/${name}`),
    ...controlPaths(folder, machine),
    ...everythingBelow(`${folder}/hooks`, machine),
    ...innerControls(`${folder}/modules`, machine),
    ...innerControls(`${folder}/worktrees`, machine),
  ]
}

/** Folders of submodules lie as deep as their names have parts. */
function innerControls(top: string, machine: Machine): readonly string[] {
  return machine.list(top).flatMap(({ name, kind }) => {
    const path = `${top}/${name}`
    if (kind === 'link') return [path]
    if (kind !== 'directory') return []
    return isRepositoryFolder(path, machine)
      ? repositoryControls(path, machine)
      : innerControls(path, machine)
  })
}

function everythingBelow(top: string, machine: Machine): readonly string[] {
  const found: string[] = []
  const waiting = [top]
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    for (const { name, kind } of machine.list(folder)) {
      const path = `${folder}/${name}`
      if (isUnseen(folder, name, machine)) throw refusedPath(path, 'cannot be looked at')
      found.push(path)
      if (kind === 'directory') waiting.push(path)
    }
    if (found.length > SEARCH_LIMITS.entries) throw refusedPath(top, 'holds too much to search')
  }
  return found
}
