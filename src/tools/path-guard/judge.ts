/** What a path guard permits, by every spelling of a path and by the file that it leads to (tools.md §1). */

import { ToolError } from '../../core/errors.js'
import { systemClock } from '../../platform/clock.js'
import type { Machine } from '../../platform/machine.js'
import { nodePathResolver } from '../../platform/node-path-resolver.js'
import {
  foldedPath,
  isHomeCredential,
  isInRepository,
  isProtectedName,
  isSecretName,
  restBelow,
} from './names.js'
import { knownCredentials, relocatedStores } from './known-credentials.js'
import type { GuardLimits } from './limits.js'

/** A path that is permitted. */
export interface Judged {
  /** As given. */
  readonly path: string
  /** Where it leads. */
  readonly real: string
  /** The folder of the policy that holds it. */
  readonly root: string
  readonly access: 'read' | 'write'
}

/** Judges, and rejects with `ToolError not_permitted`. */
export interface Judge {
  readonly readable: (path: string) => Promise<Judged>
  readonly writable: (path: string) => Promise<Judged>
  /** The same for what was opened: a credential by another name, or a write that reaches a second name. */
  readonly refuseAlias: (
    file: { readonly id: string; readonly links: number },
    judged: Judged,
  ) => void
}

/** What judging works with. */
export interface JudgeParts {
  readonly machine: Machine
  readonly workspace: string
  readonly limits: GuardLimits
}

/** Folders are followed once, here: what becomes a link later grants nothing. */
export function judgePaths({ machine, workspace, limits }: JudgeParts): Judge {
  const top = machine.realPath(workspace)
  if (top === null || machine.facts(top)?.kind !== 'directory') {
    throw new ToolError('not_a_folder', 'the workspace is no folder')
  }
  const folders = followed(limits, top, machine)
  const paths = nodePathResolver()
  const refuseAlias = aliasRefusal(machine, top)
  const judge = async (path: string, access: Judged['access']): Promise<Judged> => {
    const given = isAbsolute(path) ? path : `${top}/${path}`
    const resolution = await paths.resolve(given)
    if (resolution.status === 'unresolvable') throw refused(path, 'cannot be resolved')
    const { real } = resolution
    const root = folders[access].find(
      (folder) => restBelow(slashed(real), slashed(folder)) !== null,
    )
    if (root === undefined) throw refused(path, 'lies outside of what the policy opens')
    for (const form of [given, real].map(foldedPath)) {
      refuseName({ path, form, access, root: foldedPath(root) }, { ...folders, git: limits.git })
    }
    const judged = { path, real, root, access }
    const facts = machine.facts(real)
    if (facts?.kind === 'file') refuseAlias(facts, judged)
    return judged
  }
  return {
    readable: (path) => judge(path, 'read'),
    writable: (path) => judge(path, 'write'),
    refuseAlias,
  }
}

/** A look for credentials counts for this long: a list of candidates is judged by one. */
const LOOK_US = 1_000_000

function aliasRefusal(machine: Machine, top: string): Judge['refuseAlias'] {
  const clock = systemClock()
  let look: { readonly known: ReadonlySet<string>; readonly until: number } | undefined
  return ({ id, links }, judged) => {
    if (links <= 1) return
    if (judged.access === 'write') throw refused(judged.path, 'has a second name')
    const now = clock.monotonicUs()
    if (look === undefined || look.until < now) {
      look = { known: knownCredentials(machine, [top]), until: now + LOOK_US }
    }
    if (look.known.has(id)) throw refused(judged.path, 'is a credential by another name')
  }
}

/** Folders of the policy where they really are, and folded what is closed by name. */
function followed(
  limits: GuardLimits,
  top: string,
  machine: Machine,
): Pick<Surroundings, 'top' | 'home' | 'closed' | 'hidden'> & {
  readonly read: readonly string[]
  readonly write: readonly string[]
} {
  const placed = (path: string): string => placedFolder(path, top, machine)
  const real = (paths: readonly string[]): readonly string[] =>
    paths.flatMap((path) => machine.realPath(path) ?? [])
  const writable = real(limits.writable.map(placed))
  const forbidden = limits.forbidden.map(placed)
  const stores = relocatedStores(machine.environment)
  return {
    read: [top, ...writable, ...real(limits.readable.map(placed))],
    write: limits.canWrite ? [top, ...writable] : [],
    top: foldedPath(top),
    home: foldedPath(machine.home),
    closed: [...forbidden, ...real(forbidden)].map(foldedPath),
    hidden: [...stores, ...real(stores)].map(foldedPath),
  }
}

interface Named {
  readonly path: string
  readonly form: string
  readonly access: Judged['access']
  readonly root: string
}

interface Surroundings {
  readonly top: string
  readonly home: string
  readonly closed: readonly string[]
  readonly hidden: readonly string[]
  readonly git: 'write' | undefined
}

function refuseName({ path, form, access, root }: Named, around: Surroundings): void {
  const inHome = restBelow(form, around.home)
  const inside = restBelow(form, around.top)
  const isBelow = (folders: readonly string[]): boolean =>
    folders.some((folder) => restBelow(form, folder) !== null)
  if (isBelow(around.closed)) throw refused(path, 'is forbidden by the policy')
  if ((inHome !== null && isHomeCredential(inHome)) || isBelow(around.hidden)) {
    throw refused(path, 'holds credentials')
  }
  // Below another folder that the policy opens a name means the same.
  if (isSecretName(inside ?? form)) throw refused(path, 'holds credentials')
  if (access === 'read') return
  // A repository below another folder runs its hooks as well.
  const isProtected =
    inside === null
      ? isInRepository(restBelow(form, root) ?? form)
      : isProtectedName(inside, around.git)
  if (isProtected) throw refused(path, 'is protected')
}

/** A folder as policies write it. */
function placedFolder(path: string, top: string, machine: Machine): string {
  if (path === '@workspace') return top
  if (path === '~' || path === '@home') return machine.home
  if (path.startsWith('~/')) return `${machine.home}/${path.slice(2)}`
  return isAbsolute(path) ? path : `${top}/${path}`
}

/** `..` stays in it: it means the parent of where the links before it led. */
function isAbsolute(path: string): boolean {
  return path.startsWith('/') || /^[A-Za-z]:[\\/]|^\\\\/.test(path)
}

/** On systems with drives a path has two separators; elsewhere a backslash is a letter. */
function slashed(path: string): string {
  return path.startsWith('/') ? path : path.replaceAll('\\', '/')
}

function refused(path: string, why: string): ToolError {
  return new ToolError('not_permitted', `the path \`${path}\` ${why}`)
}
