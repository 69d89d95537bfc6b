/** From what was found and which placeholders stand to what the driver mounts (sandbox.md §3). Pure. */

import type { Placeholder } from '../../platform/placeholder/placeholder.js'
import { depth, isInside } from '../paths.js'
import type { Guard } from './guard.js'
import type { Protection } from './protect.js'
import { refusedPath } from './refusal.js'

/** A placeholder where it stands. */
export interface StandIn {
  readonly path: string
  readonly kind: Placeholder['kind']
}

/** Placeholders below the folder that they were made in. */
export function standInsAt(
  folder: string,
  placeholders: readonly Placeholder[],
): readonly StandIn[] {
  return placeholders.map(({ name, kind }) => ({ path: `${folder}/${name}`, kind }))
}

/** More paths than this would outgrow the launcher's options. */
const MOST_PATHS = 1000

/** Pins every folder between a writable root and what is protected or secret in it. */
export function composeGuard(
  { fixed, masks, roots }: Protection,
  standIns: readonly StandIn[],
  workspace: string,
): Guard {
  const at = (kind: Placeholder['kind']): readonly string[] =>
    standIns.filter((one) => one.kind === kind).map(({ path }) => path)
  const allFixed = outermost([...fixed, ...at('file')])
  const closed = at('closed')
  const held = [...allFixed, ...closed, ...masks.map(({ path }) => path)]
  const pinned = new Set(held.flatMap((path) => ancestors(path, roots)))
  const open = [...pinned, ...at('open')].filter(
    (path) => !allFixed.some((one) => isInside(path, one)),
  )
  const guard: Guard = {
    pinned: sorted(open),
    fixed: sorted(allFixed),
    closed: sorted(closed),
    masks: [...masks].sort((a, b) => depth(a.path) - depth(b.path)),
  }
  if (held.length + open.length > MOST_PATHS) {
    throw refusedPath(workspace, `holds more than ${MOST_PATHS} protected paths and secrets`)
  }
  return guard
}

/** Folders above `path` and below the innermost root that holds it. */
function ancestors(path: string, roots: readonly string[]): readonly string[] {
  const root = roots
    .filter((one) => isInside(path, one) && one !== path)
    .sort((a, b) => depth(b) - depth(a))[0]
  if (root === undefined) return []
  const found: string[] = []
  const top = root === '/' ? '' : root
  for (let at = path.lastIndexOf('/'); at > top.length; at = path.lastIndexOf('/', at - 1)) {
    found.push(path.slice(0, at))
  }
  return found
}

function outermost(paths: readonly string[]): readonly string[] {
  const all = [...new Set(paths)]
  return all.filter((one) => !all.some((other) => other !== one && isInside(one, other)))
}

function sorted(paths: readonly string[]): readonly string[] {
  return [...new Set(paths)].sort((a, b) => depth(a) - depth(b) || (a < b ? -1 : 1))
}
