/** A driver for a workspace that is not on this machine: its backend says where paths lead (sandbox.md §1, S1-14). */

import type {
  PlacedName,
  PlacedPath,
  SandboxDriver,
  WorkspaceBackend,
} from '../../contract/sandbox.js'
import { SandboxError } from '../../core/errors.js'
import type { Platform } from '../../core/guarantee.js'
import type { Files } from '../../platform/files.js'
import type { FileFacts, Machine } from '../../platform/machine.js'
import type { PathResolution, PathResolver } from '../../platform/path-resolver.js'
import type { Programs } from '../../platform/programs.js'
import { PLACE, type Place, type PlacedDriver } from './place.js'

/**
 * The same driver, with its workspace where the backend is: paths are judged as they are there, the
 * driver protects control files and secrets itself, and its report says whether it does. Nothing is run,
 * opened or protected on this machine in its place, an opt-in for commands on the host included.
 */
export function relocate(driver: SandboxDriver, backend: WorkspaceBackend): SandboxDriver {
  const { name, platform, status } = driver
  const placed: PlacedDriver = {
    name,
    platform,
    status,
    // Called on the driver: it may be an instance of a class.
    probe: () => driver.probe(),
    confine: (request) => driver.confine(request),
    [PLACE]: placeAt(backend, platform),
  }
  return placed
}

function placeAt(backend: WorkspaceBackend, platform: Platform): Place {
  const { home, temporary } = backend
  const unknown = unknownState()
  return {
    ports: {
      paths: pathsOf(backend),
      programs: programsOf(backend),
      home,
      temporary,
      platform,
      isFolder: (path) => backend.resolve(path)?.kind === 'folder',
    },
    files: NO_FILES,
    digest: (path) => (backend.digest === undefined ? unknown() : backend.digest(path)),
    machine: machineOf(backend, platform),
  }
}

function pathsOf(backend: WorkspaceBackend): PathResolver {
  const resolveNow = (path: string): PathResolution => {
    const found = backend.resolve(path)
    if (found === null) return { status: 'unresolvable', cause: 'the backend cannot tell' }
    const { real, links = 1, identity } = found
    return { status: 'resolved', real, links, ...(identity === undefined ? {} : { identity }) }
  }
  const namesIn = (folder: string): readonly PlacedName[] => backend.namesIn?.(folder) ?? []
  return {
    resolve: (path) => Promise.resolve(resolveNow(path)),
    resolveNow,
    ...(backend.namesIn === undefined ? {} : { namesIn }),
  }
}

function programsOf(backend: WorkspaceBackend): Programs {
  return {
    find(name) {
      const folders = backend.programFolders?.(name)
      // What nobody can look up may lie where calls write.
      if (folders === undefined) return { status: 'relative' }
      return folders.length === 0 ? { status: 'missing' } : { status: 'found', folders }
    },
  }
}

/** Never the same twice: an answer for a file that nobody could look at binds to nothing that runs later. */
function unknownState(): () => string {
  let asked = 0
  return () => `unknown ${(asked += 1)}`
}

function machineOf(backend: WorkspaceBackend, platform: Platform): Machine {
  return {
    platform,
    architecture: 'other',
    user: -1,
    home: backend.home,
    temporary: backend.temporary,
    // The variables of this process say nothing of another place.
    environment: {},
    facts: (path) => factsOf(backend.resolve(path), path),
    realPath(path) {
      const found = backend.resolve(path)
      return found === null || found.kind === 'absent' ? null : found.real
    },
    // The backend's answers have them behind them.
    linksOn: () => [],
    list: () => [],
    entries: () => null,
    text: () => null,
    isReadable: () => false,
    privateFolder: () => null,
  }
}

/** Links are followed already: what leads elsewhere is one. */
function factsOf(found: PlacedPath | null, path: string): FileFacts | null {
  if (found === null || found.kind === 'absent') return null
  const kind = found.real === path ? KINDS[found.kind] : 'link'
  const { identity: id = '', links = 1 } = found
  return { kind, links, id, owner: -1, mode: 0, modifiedMs: 0, changedMs: 0 }
}

const KINDS = { folder: 'directory', file: 'file', other: 'special' } as const

const NO_FILES: Files = {
  readRegularFile: refuse,
  writeRegularFile: refuse,
  removeRegularFile: refuse,
  modeOf: refuse,
  listFolder: refuse,
  walkFolder: () => ({ [Symbol.asyncIterator]: () => ({ next: refuse }) }),
}

/** Denied: a file of this machine in place of one that was judged elsewhere. */
function refuse(): Promise<never> {
  const message = 'the workspace is not on this machine, and no file here is one of its files'
  const remedy = 'open files in the executor, by the means of the workspace'
  return Promise.reject(new SandboxError('unavailable', message, remedy))
}
