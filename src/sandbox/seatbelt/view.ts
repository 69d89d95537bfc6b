/** Which paths a command reads, which it changes, and which it never does: a plan of rules (sandbox.md §1, §3). */

import type { SandboxProfile } from '../../contract/sandbox.js'
import { SandboxError } from '../../core/errors.js'
import { isInside } from '../paths.js'
import type { Guard, GuardedRequest } from '../protection/guard.js'
import { PROTECTED_NAMES } from '../protection/names.js'
import { PROTECTED_ANYWHERE } from '../../lists/protected.js'
import { canonicalPath } from './spellings.js'
import type { Surroundings } from './surroundings.js'
import { nearest, rootsOf, zonesOf, type Zone } from './zones.js'

/** Names that no command makes or changes, in any case spelling, whether they exist or not. */
export interface ProtectedName {
  readonly root: string
  /** From the root, with `/`. */
  readonly name: string
  readonly at: 'top' | 'any_depth'
}

/** Canonical paths. Later parts win over earlier ones. */
export interface View {
  readonly zones: readonly Zone[]
  /** What of the request's own folders is written: pipes and sockets there are the command's. */
  readonly roots: readonly string[]
  /** Neither read nor written, whatever zone they lie in. */
  readonly hidden: readonly string[]
  /** The same; named by a policy, so in any case spelling. */
  readonly veiled: readonly string[]
  /** Shown as they are and never changed. */
  readonly fixed: readonly string[]
  readonly protected: readonly ProtectedName[]
  /** Neither renamed, removed nor put in place: what is above has its rules by path. */
  readonly pinned: readonly string[]
}

/** A request with the private folder of the call; without one nothing but the roots can be written. */
export interface SeatbeltRequest extends GuardedRequest {
  /** Real, empty, made before the command and removed after it. */
  readonly scratch?: string | undefined
}

/** What a view is made from. */
export interface ViewInput {
  readonly profile: SandboxProfile
  readonly guard: Guard
  readonly surroundings: Surroundings
  readonly scratch?: string | undefined
}

/** The view of one request. Throws `SandboxError workspace_refused` for a folder that is no workspace. */
export function planView({ profile, guard, surroundings, scratch }: ViewInput): View {
  const { workspace, writable, readable } = rootsOf(profile, surroundings)
  refuse(workspace, profile, surroundings)
  const zones = zonesOf(profile, surroundings, scratch)
  // What holds the workspace is closed around it as a zone; a secret cannot be covered so.
  const beside = (paths: readonly string[]): readonly string[] =>
    unique(paths.map(canonicalPath)).filter((path) => !isInside(workspace, path))
  const hidden = beside([...surroundings.secrets, ...guard.masks.map(({ path }) => path)])
  const veiled = beside(profile.fileSystem.hidden)
  const fixed = unique([...guard.fixed, ...guard.closed].map(canonicalPath))
  const own = profile.fileSystem.mode === 'read_only' ? [] : unique([workspace, ...writable])
  const names = own.length === 0 ? [] : protectedNames(workspace, own)
  const roots = unique([...own, ...(scratch === undefined ? [] : [canonicalPath(scratch)])])
  const held = [
    ...[...roots, ...readable, ...zones.map(({ path }) => path)],
    ...[...hidden, ...veiled, ...fixed, ...names.map(({ root, name }) => `${root}/${name}`)],
  ]
  const above = held.flatMap(ancestors).filter((path) => nearest(path, zones) === 'write')
  return {
    zones,
    roots,
    hidden: hidden.filter((path) => isSeen(path, zones)),
    veiled,
    fixed,
    protected: names,
    pinned: unique([...roots, ...guard.pinned.map(canonicalPath), ...above]),
  }
}

function isSeen(path: string, zones: readonly Zone[]): boolean {
  return nearest(path, zones) !== 'none' || zones.some((zone) => isInside(zone.path, path))
}

/** Protected at the top of the workspace, and repositories at any depth of whatever can be written. */
function protectedNames(workspace: string, roots: readonly string[]): readonly ProtectedName[] {
  return [
    ...PROTECTED_NAMES.map(({ parts }) => parts.join('/'))
      .filter((name) => !PROTECTED_ANYWHERE.includes(name))
      .map((name) => ({ root: workspace, name, at: 'top' }) as const),
    ...roots.flatMap((root) =>
      PROTECTED_ANYWHERE.map((name) => ({ root, name, at: 'any_depth' }) as const),
    ),
  ]
}

/** Folders that hold the system, all homes or everybody's files; a rule that opens one opens too much. */
const NEVER = [
  '/Applications',
  '/Library',
  '/System',
  '/Users',
  '/Volumes',
  '/bin',
  '/dev',
  '/nix',
  '/opt',
  '/private',
  '/sbin',
  '/usr',
] as const

function refuse(workspace: string, profile: SandboxProfile, surroundings: Surroundings): void {
  const wide = [...NEVER, surroundings.home, ...surroundings.closed]
  const isWide = wide.some((one) => isInside(one, workspace)) || isInside(workspace, '/dev')
  const isHidden = profile.fileSystem.hidden.some((path) => canonicalPath(path) === workspace)
  if (!isWide && !isHidden) return
  throw new SandboxError(
    'workspace_refused',
    `the workspace \`${workspace}\` ${isHidden ? 'is hidden from commands' : 'holds what is not its own'}`,
    'work in a project folder',
  )
}

/** Folders above a path. */
export function ancestors(path: string): readonly string[] {
  if (path === '/') return []
  const parts = path.split('/').slice(1, -1)
  return ['/', ...parts.map((_, at) => `/${parts.slice(0, at + 1).join('/')}`)]
}

function unique(paths: readonly string[]): readonly string[] {
  return [...new Set(paths)]
}
