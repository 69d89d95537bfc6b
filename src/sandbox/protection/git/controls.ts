/** What stays closed in a repository that can be written, whether it exists or not (sandbox.md §3). */

import { GIT_CONTROL, GIT_WORKTREE_CONTROL } from '../../../lists/protected.js'
import type { Machine } from '../../../platform/machine.js'
import type { Placeholder } from '../../../platform/placeholder/placeholder.js'
import { refuseAlias, refuseAliasesBelow } from '../aliases.js'
import { isWithin } from '../repository.js'
import type { OpenedFolder } from './opened.js'
import { stoppedIn } from './stopped.js'

/** Names in one opened folder: real paths that exist, and what has to be stood in for. */
export interface Controls {
  readonly existing: readonly string[]
  readonly absent: readonly Placeholder[]
}

/** `standing` are placeholders of this process. Throws `workspace_refused` for a link or a second name. */
export function controlsOf(
  folder: OpenedFolder,
  all: readonly OpenedFolder[],
  {
    machine,
    standing,
    isWritable,
  }: {
    readonly machine: Machine
    readonly standing: readonly Placeholder[]
    readonly isWritable: (path: string) => boolean
  },
): Controls {
  const names = folder.kind === 'worktree' ? IN_WORKTREE : IN_WHOLE
  const stands = (name: string): boolean => standing.some((one) => one.name === name)
  const pathOf = ({ name }: Placeholder): string => `${folder.path}/${name}`
  const isThere = (one: Placeholder): boolean => machine.facts(pathOf(one)) !== null
  const wanted = names.filter(({ name }) => !stands(name))
  const stopped = stoppedIn([folder.path], machine)
  for (const path of stopped) refuseAlias(path, machine)
  // A folder on the way that exists needs nobody in its place, but it must not be a link.
  for (const one of wanted.filter(isThere)) refuseAlias(pathOf(one), machine)
  const existing = [
    ...wanted.filter((one) => one.kind !== 'open' && isThere(one)).map(pathOf),
    ...(stands('worktrees') ? [] : otherWorktrees(folder, all, machine)),
    ...stopped,
  ]
  const isOpen = (path: string): boolean => isWritable(path) && !isWithin(path, existing)
  for (const path of existing) {
    if (machine.facts(path)?.kind === 'directory') refuseAliasesBelow(path, machine, isOpen)
  }
  const none = folder.kind === 'whole' && !stands('worktrees') ? [NO_WORKTREES] : []
  return { existing, absent: [...wanted, ...none].filter((one) => !isThere(one)) }
}

/** Worktrees that are not opened themselves; all of them at once where none is. */
function otherWorktrees(
  { path: whole, kind }: OpenedFolder,
  all: readonly OpenedFolder[],
  machine: Machine,
): readonly string[] {
  if (kind === 'worktree') return []
  const folder = `${whole}/worktrees`
  const isOpened = (path: string): boolean => all.some((one) => one.path === path)
  const paths = machine.list(folder).map(({ name }) => `${folder}/${name}`)
  if (paths.some(isOpened)) return paths.filter((path) => !isOpened(path))
  return machine.facts(folder) === null ? [] : [folder]
}

/** Git stops at an empty `commondir`; this one says what is so without it. */
const HERE = '.\n'

function placeholders(
  files: readonly string[],
  folders: readonly string[],
): readonly Placeholder[] {
  const above = files.flatMap((name) =>
    name.includes('/') ? [{ name: name.slice(0, name.indexOf('/')), kind: 'open' as const }] : [],
  )
  return [
    ...above,
    ...folders.map((name) => ({ name, kind: 'closed' as const })),
    ...files.map((name) =>
      name === 'commondir'
        ? { name, kind: 'file' as const, text: HERE }
        : { name, kind: 'file' as const },
    ),
  ]
}

const NO_WORKTREES: Placeholder = { name: 'worktrees', kind: 'closed' }
const IN_WHOLE = placeholders(GIT_CONTROL.files, GIT_CONTROL.folders)
const IN_WORKTREE = placeholders(GIT_WORKTREE_CONTROL, [])
