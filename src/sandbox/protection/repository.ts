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
      const target = gitfileTarget(machine.text(path) ?? '')
      if (target === null) return [path]
      const folder = leadsTo(target, parentOf(path), { machine, isWritable })
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
  const common = commonText(folder, machine)
  return common === null ? [] : leadsTo(common, folder, { machine, isWritable })
}

/** True for the folder of one worktree: what it shares with others lies in another folder. */
export function isWorktreeFolder(folder: string, machine: Machine): boolean {
  const common = commonText(folder, machine)
  if (common === null) return false
  return machine.realPath(absolutePath(common, folder)) !== machine.realPath(folder)
}

/** Where Git finds what worktrees share; `null` where the folder does not say. */
function commonText(folder: string, machine: Machine): string | null {
  return pathText(machine.text(`${folder}/commondir`) ?? '')
}

function gitfileTarget(text: string): string | null {
  return text.startsWith(GITFILE) ? pathText(text.slice(GITFILE.length)) : null
}

const GITFILE = 'gitdir: '

/** As Git reads it: ends of lines at the end fall off, those inside are letters of a name. */
function pathText(text: string): string | null {
  const [whole = ''] = text.split('\0')
  let end = whole.length
  while (end > 0 && '\r\n'.includes(whole.charAt(end - 1))) end -= 1
  return end === 0 ? null : whole.slice(0, end)
}

/** A folder out of a command's reach needs no protection. */
function leadsTo(
  target: string,
  base: string,
  {
    machine,
    isWritable,
  }: { readonly machine: Machine; readonly isWritable: (path: string) => boolean },
): readonly string[] {
  const given = target.startsWith('/') ? target : `${base}/${target}`
  const path = absolutePath(target, base)
  if (machine.linksOn(given).some(isWritable)) {
    throw refusedPath(
      path,
      'is named as a git folder and lies behind a link that commands can replace',
    )
  }
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
