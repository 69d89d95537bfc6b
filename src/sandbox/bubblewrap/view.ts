/** Which folders a command sees and which of them it can write: a plan of mounts (sandbox.md §1, §4). */

import type { SandboxProfile } from '../../contract/sandbox.js'
import { SandboxError } from '../../core/errors.js'
import { depth, isInside } from '../paths.js'
import type { Guard, Mask } from '../protection/guard.js'
import type { Surroundings } from './surroundings.js'

/** One folder of the host, shown at its own path. */
export interface Shown {
  readonly path: string
  readonly access: 'read' | 'write'
  /** True: may have gone since the surroundings were read. */
  readonly optional: boolean
}

/** Parents come before children; what is guarded comes after everything shown, masks come last. */
export interface View {
  readonly shown: readonly (Shown | Mask)[]
  readonly guarded: Pick<Guard, 'pinned' | 'fixed' | 'closed'>
  readonly masks: readonly Mask[]
}

/** The view of one profile. Throws `SandboxError` for a root or a hidden path that cannot be held. */
export function planView(profile: SandboxProfile, surroundings: Surroundings, guard: Guard): View {
  const { workspace, mode } = profile.fileSystem
  const shown = withoutNested(roots(profile, surroundings))
  const whole = mode === 'open' ? [...shown, OPEN] : [...shown, ...system(surroundings)]
  const hidden = hiddenMasks(profile, whole, surroundings)
  const holding = hidden.filter((mask) => isInside(workspace, mask.path))
  const secrets = surroundings.secrets.filter((mask) => !isInside(workspace, mask.path))
  const guardMasks = guard.masks.filter(
    ({ path }) => isSeen(path, whole) && !isInside(workspace, path),
  )
  const masks = outermost([
    ...secrets,
    ...hidden.filter((mask) => !holding.includes(mask)),
    ...guardMasks,
  ])
  // What is covered as a whole needs nothing inside of it.
  const uncovered = (paths: readonly string[]): readonly string[] =>
    paths.filter((path) => !masks.some((mask) => isInside(path, mask.path)))
  return {
    // A hidden folder that holds the workspace is covered first and the workspace shown in it.
    shown: [...shown, ...holding].sort((a, b) => depth(a.path) - depth(b.path)),
    guarded: {
      pinned: uncovered(guard.pinned),
      fixed: uncovered(guard.fixed),
      closed: uncovered(guard.closed),
    },
    masks,
  }
}

function isSeen(path: string, shown: readonly Shown[]): boolean {
  return shown.some((one) => isInside(path, one.path))
}

const OPEN: Shown = { path: '/', access: 'write', optional: false }

/** Places that are made fresh for each call: what the host has there is never shown. */
const FRESH = ['/', '/tmp', '/run', '/dev', '/proc', '/sys'] as const

/** Below these nothing of the host is shown either. */
const FRESH_INSIDE = ['/dev', '/proc', '/sys'] as const

function system(surroundings: Surroundings): readonly Shown[] {
  return surroundings.system.map((path) => ({ path, access: 'read', optional: false }))
}

function roots(profile: SandboxProfile, surroundings: Surroundings): readonly Shown[] {
  const { workspace, writable, readable, hidden, mode } = profile.fileSystem
  const access = mode === 'read_only' ? 'read' : 'write'
  if (isFresh(workspace)) throw refused(workspace, 'is made fresh for each call')
  const tools =
    mode === 'open' ? [] : surroundings.tools.filter((path) => !isInside(workspace, path))
  const extra: readonly Shown[] = [
    ...writable.map((path) => ({ path, access, optional: false }) as const),
    ...readable.map((path) => ({ path, access: 'read', optional: false }) as const),
    ...tools.map((path) => ({ path, access: 'read', optional: true }) as const),
  ]
  const veils = hidden.filter((path) => !isInside(workspace, path))
  return [
    { path: workspace, access, optional: false },
    // Hidden wins over whatever a policy opens; the private `/tmp` wins over the host's.
    ...extra.filter(({ path }) => !isFresh(path) && !veils.some((veil) => isInside(path, veil))),
  ]
}

function isFresh(path: string): boolean {
  return (
    FRESH.some((fresh) => fresh === path) || FRESH_INSIDE.some((fresh) => isInside(path, fresh))
  )
}

// INVARIANT: nothing is mounted from inside a writable root ("never mounts from inside a writable root"):
// a command could have put a link there that leads a later mount to the host's files.
function withoutNested(all: readonly Shown[]): readonly Shown[] {
  return all.filter((one, index) => {
    return !all.some((other, at) => {
      if (at === index || !isInside(one.path, other.path)) return false
      const covers = other.access === 'write' || one.access === 'read'
      return covers && (one.path !== other.path || other.access !== one.access || at < index)
    })
  })
}

function hiddenMasks(
  profile: SandboxProfile,
  shown: readonly Shown[],
  surroundings: Surroundings,
): readonly Mask[] {
  const { workspace, hidden } = profile.fileSystem
  return [...new Set(hidden)].flatMap((path): readonly Mask[] => {
    if (path === workspace) throw refused(workspace, 'is hidden from commands')
    const around = shown.filter((one) => isInside(path, one.path) && one.path !== path)
    if (around.length === 0 && !shown.some((one) => one.path === path)) return []
    const kind = surroundings.kindOf(path)
    if (kind === 'file' || kind === 'directory') return [{ path, kind }]
    if (kind === 'absent' && !around.some((one) => one.access === 'write')) return []
    throw new SandboxError(
      'setup_failed',
      'a hidden path inside a writable root is absent or a link and cannot be covered',
      'create the hidden path, or move it out of what commands can write',
    )
  })
}

function outermost(masks: readonly Mask[]): readonly Mask[] {
  return masks.filter(
    (one, index) =>
      !masks.some((other, at) => {
        if (at === index || !isInside(one.path, other.path)) return false
        return one.path !== other.path || at < index
      }),
  )
}

function refused(path: string, why: string): SandboxError {
  return new SandboxError(
    'workspace_refused',
    `the workspace \`${path}\` ${why}`,
    'work in a project folder',
  )
}
