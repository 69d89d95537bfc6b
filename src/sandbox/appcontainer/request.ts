/** What the broker is asked for one command: text in frames, nothing on a command line (sandbox.md §6). */

import { SandboxError } from '../../core/errors.js'
import type { GuardedRequest } from '../protection/guard.js'
import { commandLine } from './command-line.js'
import { drivePath, isOnDrive, isSystems } from './paths.js'
import { programOf } from './program.js'

/** A name and a value; the broker knows every name. */
export type Field = readonly [name: string, value: string]

/** The request as fields. Throws `SandboxError` for what a container cannot keep. */
export function requestFields(request: GuardedRequest, programFiles: string): readonly Field[] {
  const cwd = drivePath(request.cwd)
  const wants = [...roots(request), ...guarded(request)]
  const writable = wants.filter(([name]) => name === 'write').map(([, path]) => path)
  return [
    ['program', programOf(request.argv[0] ?? '', { cwd, programFiles })],
    ['command_line', commandLine(request.argv)],
    ['folder', cwd],
    ['search_path', searchPath(request.environment, writable)],
    ...limit('processes', request.profile.limits.processes),
    ...limit('memory', request.profile.limits.memoryBytes),
    ...wants,
    ...Object.entries(request.environment)
      .filter(([name]) => name.toUpperCase() !== 'PATH')
      .map(([name, value]): Field => ['environment', `${name}=${value}`]),
  ]
}

/** Names and values in turn, each ended by a NUL; a NUL inside would be a new field. */
export function encodeFields(fields: readonly Field[]): Uint8Array {
  if (fields.flat().some((text) => text.includes('\0'))) {
    throw refused('a path, variable or argument holds a NUL character')
  }
  const bytes = new TextEncoder().encode(fields.flat().join('\0') + '\0')
  if (bytes.length <= MOST_REQUEST_BYTES) return bytes
  throw refused('the workspace holds too many protected paths and secrets, or their names are long')
}

const MOST_REQUEST_BYTES = 524_288

/** Writable and readable roots; what every container reads anyway gets no entry. */
function roots({ profile }: GuardedRequest): readonly Field[] {
  const { mode, workspace, writable, readable } = profile.fileSystem
  if (mode === 'open') {
    throw new SandboxError(
      'setup_failed',
      'a container cannot be opened to the whole file system',
      'name the folders in `writable` and `readable`, or ask for the command to run unconfined',
    )
  }
  const write = mode === 'read_only' ? [] : [workspace, ...writable].map((path) => drivePath(path))
  const read = mode === 'read_only' ? [workspace, ...readable] : readable
  const shown = read.map((path) => drivePath(path)).filter((path) => !isSystems(path))
  for (const path of [...write, ...shown]) refuseShared(path)
  return [
    ...write.map((path): Field => ['write', path]),
    ...shown
      .filter((path) => !write.some((root) => isOnDrive(path, root)))
      .map((path): Field => ['read', path]),
  ]
}

function refuseShared(path: string): void {
  if (!isSystems(path) && !/^[A-Z]:\\(?:Users(?:\\[^\\]+)?)?$/i.test(path)) return
  throw new SandboxError(
    'workspace_refused',
    `\`${path}\` belongs to the system or to a user as a whole`,
    'name a folder of a project',
  )
}

/** Every level below its root: fixed, held on the way, covered. */
function guarded({ guard, profile }: GuardedRequest): readonly Field[] {
  if (guard === undefined)
    throw refused('the workspace was not searched for what must be protected')
  const { mode, workspace, writable, readable, hidden } = profile.fileSystem
  const open = [workspace, ...(mode === 'read_only' ? [] : writable), ...readable].map((path) =>
    drivePath(path),
  )
  // Elsewhere a container has no entry: to name a path there would only change a list for nothing.
  const within = (paths: readonly string[]): readonly string[] =>
    paths
      .map((path) => drivePath(path))
      .filter((path) => open.some((root) => isOnDrive(path, root)))
  const at = (level: string, paths: readonly string[]): readonly Field[] =>
    within(paths).map((path): Field => [level, path])
  return [
    ...at('fixed', [...guard.fixed, ...guard.closed]),
    ...at('pinned', guard.pinned),
    ...at(
      'none',
      guard.masks.map(({ path }) => path),
    ),
    ...at('hidden', hidden),
  ]
}

function limit(name: 'processes' | 'memory', value: number | null): readonly Field[] {
  if (value === null) return []
  if (Number.isSafeInteger(value) && value > 0) return [[name, `${value}`]]
  throw new SandboxError(
    'invalid_limit',
    `the limit of ${name} is not a whole number above 0`,
    'give a positive whole number',
  )
}

/** Absolute folders that the command cannot write; the broker adds the system's own. */
function searchPath(
  environment: Readonly<Record<string, string>>,
  writable: readonly string[],
): string {
  const path = Object.entries(environment).find(([name]) => name.toUpperCase() === 'PATH')?.[1]
  return (path ?? '')
    .split(';')
    .filter((folder) => /^[A-Za-z]:[\\/]/.test(folder) && !/[\p{Cc}<>"|?*]/u.test(folder))
    .map((folder) => drivePath(folder))
    .filter((folder) => !writable.some((root) => isOnDrive(folder, root)))
    .join(';')
}

function refused(message: string): SandboxError {
  return new SandboxError(
    'setup_failed',
    message,
    'run commands through a sandbox handle or a session, with text that Windows can hold',
  )
}
