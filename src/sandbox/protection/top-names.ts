/** Protected names at the top of a workspace: what exists in any spelling, and what does not (sandbox.md §3). */

import { READ_BY_PACKAGE_MANAGERS } from '../../lists/protected.js'
import type { Machine } from '../../platform/machine.js'
import type { Placeholder } from '../../platform/placeholder/placeholder.js'
import { refuseAlias } from './aliases.js'
import { folded, PROTECTED_NAMES } from './names.js'

/** Absolute paths that exist, and names below the workspace that a placeholder must stand for. */
export interface TopNames {
  readonly existing: readonly string[]
  readonly absent: readonly Placeholder[]
}

/**
 * `standing` are placeholders of this process: names that stay absent, with somebody in their place.
 * Throws `workspace_refused` for a link on the way to a protected name, or at it.
 */
export function topNames(
  workspace: string,
  machine: Machine,
  standing: readonly Placeholder[],
): TopNames {
  const listed = new Map<string, readonly string[]>()
  const namesIn = (folder: string): readonly string[] => {
    const names = listed.get(folder) ?? machine.list(folder).map(({ name }) => name)
    listed.set(folder, names)
    return names
  }
  const isPackage = namesIn(workspace).includes('package.json')
  const spelled = PROTECTED_NAMES.flatMap(({ parts }) => spellings(workspace, parts, namesIn))
  for (const { path } of spelled) refuseAlias(path, machine)
  const stands = new Set(standing.map(({ name }) => name))
  const whole = spelled.filter(({ isWhole }) => isWhole).map(({ path }) => path)
  const absent = PROTECTED_NAMES.flatMap(({ parts }) => placeholders(parts, isPackage)).filter(
    ({ name }) => !stands.has(name) && !spelled.some(({ path }) => path === `${workspace}/${name}`),
  )
  return {
    existing: whole.filter((path) => !stands.has(path.slice(workspace.length + 1))),
    absent: absent.filter(({ name }, at) => absent.findIndex((one) => one.name === name) === at),
  }
}

/** Every spelling of a name that exists, and of the folders on the way to it. */
function spellings(
  folder: string,
  parts: readonly string[],
  namesIn: (folder: string) => readonly string[],
): readonly { readonly path: string; readonly isWhole: boolean }[] {
  const [first = '', ...rest] = parts
  const here = namesIn(folder).filter((name) => folded(name) === folded(first))
  return here.flatMap((name) => {
    const path = `${folder}/${name}`
    if (rest.length === 0) return [{ path, isWhole: true }]
    return [{ path, isWhole: false }, ...spellings(path, rest, namesIn)]
  })
}

/** What would stand for a name, folders on the way first. */
function placeholders(parts: readonly string[], isPackage: boolean): readonly Placeholder[] {
  return parts.map((_, at) => {
    const name = parts.slice(0, at + 1).join('/')
    if (at + 1 < parts.length) return { name, kind: 'open' }
    const isRead = isPackage && READ_BY_PACKAGE_MANAGERS.includes(name)
    return { name, kind: isRead ? 'file' : 'closed' }
  })
}
