/** From what a caller asks to what a driver confines: every check that needs no driver (sandbox.md §2). */

import type { ConfineRequest, SandboxExec, SandboxProfile } from '../../contract/sandbox.js'
import { SandboxError } from '../../core/errors.js'
import type { Machine } from '../../platform/machine.js'
import { confinedEnvironment } from '../environment.js'
import { absolutePath, isInside } from '../paths.js'
import { stillReal } from './still-real.js'

/** Where a command runs. */
export interface Place {
  readonly machine: Machine
  /** Let out by a person: it starts in any folder that was judged. */
  readonly unconfined: boolean
  /** Outside of every sandbox, also for a host that opted in: it lives in the real home. */
  readonly atHome: boolean
}

/** A request that may be confined, with the bounds of its run. */
export interface Prepared {
  readonly request: ConfineRequest
  readonly limits: { readonly timeoutMs: number; readonly outputBytes: number }
}

/** Resolves roots, folder, environment and limits. Throws `SandboxError` before anything starts. */
export function prepare(given: SandboxProfile, exec: SandboxExec, options: Place): Prepared {
  const { machine, unconfined } = options
  refuseOtherTypes(exec)
  const profile = stillReal(given, machine)
  const cwd = unconfined
    ? absolutePath(exec.cwd ?? '.', profile.fileSystem.workspace)
    : workingFolder(exec.cwd, profile, machine)
  return {
    request: { profile, argv: argvOf(exec), cwd, environment: environment(exec, profile, options) },
    limits: {
      timeoutMs: shorter(exec.timeoutMs, profile.limits.timeoutMs),
      outputBytes: profile.limits.outputBytes,
    },
  }
}

/** For callers that no compiler holds: nothing is made of a value that is no text. */
function refuseOtherTypes({ command, argv, cwd, env, stdin }: SandboxExec): void {
  const texts: readonly unknown[] = [command, cwd, ...(argv ?? []), ...Object.values(env ?? {})]
  const areTexts = texts.every((one) => one === undefined || typeof one === 'string')
  const isList = argv === undefined || Array.isArray(argv)
  const isInput = stdin === undefined || typeof stdin === 'string' || stdin instanceof Uint8Array
  if (areTexts && isList && isInput) return
  throw new SandboxError(
    'setup_failed',
    'a command, argument, folder, variable or input is not what its type says',
    'give texts, and for the input a text or bytes',
  )
}

function workingFolder(
  given: string | undefined,
  profile: SandboxProfile,
  machine: Machine,
): string {
  const { workspace, writable, readable, hidden } = profile.fileSystem
  const cwd = machine.realPath(absolutePath(given ?? '.', workspace))
  if (cwd === null) throw refused('the folder to start in does not exist')
  const isShown = [workspace, ...writable, ...readable].some((root) => isInside(cwd, root))
  const isHidden = hidden.some((path) => isInside(cwd, path) && !isInside(workspace, path))
  if (isShown && !isHidden) return cwd
  throw refused('the folder to start in is outside of what the command may see')
}

function argvOf(exec: SandboxExec): readonly string[] {
  // The dashes: a text that begins with one is still a text, not an option.
  if (exec.command !== undefined && exec.argv === undefined) {
    return ['/bin/bash', '-c', '--', exec.command]
  }
  if (exec.command === undefined && exec.argv !== undefined && exec.argv.length > 0) {
    return exec.argv
  }
  throw new SandboxError(
    'setup_failed',
    'neither or both of `command` and `argv` are given',
    'give exactly one of them',
  )
}

/** Names that an unconfined command keeps beyond the allowlist: it lives in the real home. */
const HOST_HOME = ['HOME', 'TMPDIR', 'USERPROFILE'] as const

function environment(
  exec: SandboxExec,
  profile: SandboxProfile,
  options: Place,
): Readonly<Record<string, string>> {
  const { machine, atHome } = options
  const { workspace, writable } = profile.fileSystem
  const path = exec.env?.['PATH'] ?? machine.environment['PATH'] ?? ''
  const built = confinedEnvironment({
    host: machine.environment,
    pass: profile.environment.pass,
    explicit: exec.env ?? {},
    path: path
      .split(':')
      .flatMap((one) => (one.startsWith('/') ? (machine.realPath(one) ?? []) : [])),
    writable: [workspace, ...writable, ...machine.temporary, '/run'],
  })
  const known =
    machine.platform === 'win32' ? { ...built, PATH: windowsPath(exec, machine) } : built
  if (!atHome) return known
  const home = HOST_HOME.flatMap((name) => {
    const value = machine.environment[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return { ...known, ...Object.fromEntries(home) }
}

/** Real folders on drives; the driver leaves out those that the command can write. */
function windowsPath(exec: SandboxExec, machine: Machine): string {
  const isPath = ([name]: readonly [string, string]): boolean => name.toUpperCase() === 'PATH'
  const given = Object.entries(exec.env ?? {}).find(isPath)
  const [, path] = given ?? Object.entries(machine.environment).find(isPath) ?? ['', '']
  return path
    .split(';')
    .flatMap((one) => (/^[A-Za-z]:[\\/]/.test(one) ? (machine.realPath(one) ?? []) : []))
    .join(';')
}

/** A call may ask for less than the policy's limit; more is cut to it. Nonsense stays and is refused. */
function shorter(asked: number | undefined, limit: number): number {
  return asked === undefined ? limit : Math.min(asked, limit)
}

function refused(message: string): SandboxError {
  return new SandboxError(
    'workspace_refused',
    message,
    'start in an existing folder inside the workspace',
  )
}
