/** Which folders are open and which are closed: of two that enclose a path the nearer decides (sandbox.md §1). */

import type { SandboxProfile } from '../../contract/sandbox.js'
import { depth, isInside } from '../paths.js'
import { canonicalPath } from './spellings.js'
import type { Surroundings } from './surroundings.js'

/** A folder, or a file, and what may be done with it and all below it. */
export interface Zone {
  readonly path: string
  readonly access: 'none' | 'read' | 'write'
}

/** The folders that a profile opens and that can be opened. */
export interface Roots {
  readonly workspace: string
  readonly writable: readonly string[]
  readonly readable: readonly string[]
}

/** Canonical. Hidden wins over whatever a policy opens; what everybody writes is never opened as a whole. */
export function rootsOf({ fileSystem }: SandboxProfile, { temporary }: Surroundings): Roots {
  const veils = fileSystem.hidden.map(canonicalPath)
  const isOpenable = (path: string): boolean =>
    path !== '/' &&
    !isInside(path, '/dev') &&
    !temporary.includes(path) &&
    !veils.some((veil) => isInside(path, veil))
  return {
    workspace: canonicalPath(fileSystem.workspace),
    writable: fileSystem.writable.map(canonicalPath).filter(isOpenable),
    readable: fileSystem.readable.map(canonicalPath).filter(isOpenable),
  }
}

/** Parents before children; canonical paths, each once. What no zone encloses is closed. */
export function zonesOf(
  profile: SandboxProfile,
  surroundings: Surroundings,
  scratch: string | undefined,
): readonly Zone[] {
  const { workspace, writable, readable } = rootsOf(profile, surroundings)
  const { mode, hidden } = profile.fileSystem
  const veils = hidden.map(canonicalPath)
  const isVeiled = (path: string): boolean => veils.some((veil) => isInside(path, veil))
  const isOpen = mode === 'open'
  const closed = isOpen ? surroundings.temporary : surroundings.closed
  const tools = isOpen ? [] : surroundings.tools.filter((path) => !isVeiled(path))
  const as = (access: Zone['access'], paths: readonly string[]): readonly Zone[] =>
    paths.map((path) => ({ path: canonicalPath(path), access }))
  const all = [
    // A hidden folder that holds the workspace is closed around it.
    ...as('none', [...closed, ...veils.filter((veil) => isInside(workspace, veil))]),
    ...as('write', [...(isOpen ? ['/'] : []), ...(scratch === undefined ? [] : [scratch])]),
    ...as(mode === 'read_only' ? 'read' : 'write', [workspace, ...writable]),
    ...as('read', [...readable, ...tools]),
  ]
  return needed(merged(all).sort((a, b) => depth(a.path) - depth(b.path)))
}

/** A path that is named twice: closed wins over open, writable over readable. */
function merged(zones: readonly Zone[]): Zone[] {
  const order: readonly Zone['access'][] = ['none', 'write', 'read']
  const paths = [...new Set(zones.map(({ path }) => path))]
  return paths.map((path) => {
    const given = zones.filter((zone) => zone.path === path).map(({ access }) => access)
    return { path, access: order.find((access) => given.includes(access)) ?? 'none' }
  })
}

/** Without those that say what the zone around them says, and readable ones inside writable ones. */
function needed(zones: readonly Zone[]): readonly Zone[] {
  const kept: Zone[] = []
  for (const zone of zones) {
    const around = nearest(zone.path, kept)
    if (zone.access === around || (zone.access === 'read' && around === 'write')) continue
    kept.push(zone)
  }
  return kept
}

/** What may be done with a path, by the nearest zone that encloses it. */
export function nearest(path: string, zones: readonly Zone[]): Zone['access'] {
  return zones.findLast((zone) => isInside(path, zone.path))?.access ?? 'none'
}
