/** What of a repository must not change: its folder, and where a gitfile leads (sandbox.md §3). */

import type { Machine } from '../../platform/machine.js'
import { absolutePath, isInside } from '../paths.js'
import { refusedPath } from './refusal.js'

/**
 * The paths to fix for one `.git`. `isWritable` says where commands can write. Throws
 * `workspace_refused` for a link, for an alias of a control file, and for a gitfile that leads to a
 * writable place where nothing is.
 */
export function repositoryPaths(
  path: string,
  machine: Machine,
  isWritable: (path: string) => boolean,
): readonly string[] {
  const facts = machine.facts(path)
  switch (facts?.kind) {
    case undefined:
      return []
    case 'directory':
      return [path, ...commonFolder(path, machine, isWritable)]
    case 'file': {
      if (facts.links > 1) throw refusedPath(path, 'has a second name')
      const target = /^gitdir: ([^\n]+)\n?$/.exec(machine.text(path) ?? '')?.[1]
      if (target === undefined) return [path]
      const folder = leadsTo(absolutePath(target, parentOf(path)), machine, isWritable)
      return [path, ...folder, ...folder.flatMap((one) => commonFolder(one, machine, isWritable))]
    }
    case 'link':
    case 'special':
      throw refusedPath(path, 'is a link or no file')
  }
}

/** The paths to fix for a folder that is a repository itself: programs find one by what lies in it (sandbox.md §3). */
export function barePaths(
  path: string,
  machine: Machine,
  isWritable: (path: string) => boolean,
): readonly string[] {
  return [path, ...commonFolder(path, machine, isWritable)]
}

/** The folders of one `.git` without the gitfile that leads to them. */
export function gitFolders(
  path: string,
  machine: Machine,
  isWritable: (path: string) => boolean,
): readonly string[] {
  const paths = repositoryPaths(path, machine, isWritable)
  return paths.filter((one) => machine.facts(one)?.kind === 'directory')
}

/** Control files in a repository's folder, besides everything in its folders of the next list. */
const CONTROL_FILES: readonly string[] = [
  'HEAD',
  'config',
  'config.worktree',
  'commondir',
  'gitdir',
  'packed-refs',
]
const CONTROL_FOLDERS: readonly string[] = ['hooks', 'info']

/** Paths of a repository's control files that exist. */
export function controlFiles(folder: string, machine: Machine): readonly string[] {
  return controlPaths(folder, machine).filter((path) => machine.facts(path) !== null)
}

/** Where control files are, with those that may be absent. */
export function controlPaths(folder: string, machine: Machine): readonly string[] {
  const inside = CONTROL_FOLDERS.flatMap((name) =>
    machine.list(`${folder}/${name}`).map((entry) => `${folder}/${name}/${entry.name}`),
  )
  return [...CONTROL_FILES.map((name) => `${folder}/${name}`), ...inside]
}

function commonFolder(
  folder: string,
  machine: Machine,
  isWritable: (path: string) => boolean,
): readonly string[] {
  const common = commonPath(folder, machine)
  return common === null ? [] : leadsTo(common, machine, isWritable)
}

/** True for the folder of one worktree: what it shares with others lies in another folder. */
export function isWorktreeFolder(folder: string, machine: Machine): boolean {
  const common = commonPath(folder, machine)
  return common !== null && machine.realPath(common) !== machine.realPath(folder)
}

/** Where Git finds what worktrees share; `null` where the folder does not say. */
function commonPath(folder: string, machine: Machine): string | null {
  const text = machine.text(`${folder}/commondir`)?.split('\n')[0]
  return text === undefined || text === '' ? null : absolutePath(text, folder)
}

/** A folder out of a command's reach needs no protection. */
function leadsTo(
  path: string,
  machine: Machine,
  isWritable: (path: string) => boolean,
): readonly string[] {
  const real = machine.realPath(path)
  if (real === null) {
    if (isWritable(path)) throw refusedPath(path, 'is named as a git folder and does not exist')
    return []
  }
  return isWritable(real) ? [real] : []
}

function parentOf(path: string): string {
  const parent = path.slice(0, path.lastIndexOf('/'))
  return parent === '' ? '/' : parent
}

/** True when one of `paths` holds `path`. */
export function isWithin(path: string, paths: readonly string[]): boolean {
  return paths.some((one) => isInside(path, one))
}
