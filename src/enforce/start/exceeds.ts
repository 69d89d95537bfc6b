/** Whether a boundary that was drawn is wider in any part than one that is allowed now (pipeline.md §6). */

import type { SandboxProfile } from '../../contract/sandbox.js'

type FileSystem = SandboxProfile['fileSystem']
type Network = SandboxProfile['network']
type Limits = SandboxProfile['limits']

/** All parts but the time limit, which can still be shortened while a command runs. */
export function exceeds(held: SandboxProfile, allowed: SandboxProfile): boolean {
  return (
    exceedsFiles(held.fileSystem, allowed.fileSystem) ||
    exceedsNetwork(held.network, allowed.network) ||
    !held.environment.pass.every((name) => allowed.environment.pass.includes(name)) ||
    LIMITS.some((name) => isMore(held.limits[name], allowed.limits[name]))
  )
}

const MODES: readonly FileSystem['mode'][] = ['read_only', 'workspace_write', 'open']
const OPENINGS: readonly ('git' | 'packageStores' | 'scratch')[] = [
  'git',
  'packageStores',
  'scratch',
]
const LIMITS: readonly (keyof Limits)[] = ['outputBytes', 'diskBytes', 'processes', 'memoryBytes']

function exceedsFiles(held: FileSystem, allowed: FileSystem): boolean {
  if (MODES.indexOf(held.mode) > MODES.indexOf(allowed.mode)) return true
  if (OPENINGS.some((name) => held[name] !== undefined && allowed[name] === undefined)) return true
  const shown = [allowed.workspace, ...allowed.writable, ...allowed.readable]
  return (
    !areWithin([held.workspace, ...held.writable], [allowed.workspace, ...allowed.writable]) ||
    !areWithin(held.readable, shown) ||
    !areWithin(allowed.hidden, held.hidden)
  )
}

/** A grant is one exact origin: it is the same one, or it is more. */
function exceedsNetwork(held: Network, allowed: Network): boolean {
  if (held === 'none') return false
  if (allowed === 'none' || held.grant.host !== allowed.grant.host) return true
  return allowed.grant.port !== null && held.grant.port !== allowed.grant.port
}

function areWithin(paths: readonly string[], folders: readonly string[]): boolean {
  return paths.every((path) =>
    folders.some((folder) => path === folder || path.startsWith(withSlash(folder))),
  )
}

function withSlash(folder: string): string {
  return folder.endsWith('/') ? folder : `${folder}/`
}

/** `null` is no limit. */
function isMore(held: number | null, allowed: number | null): boolean {
  if (allowed === null) return false
  return held === null || held > allowed
}
