/** The environment of a confined command (sandbox.md §2): an allowlist, minus what runs code or opens doors. */

import { SandboxError } from '../core/errors.js'
import {
  LOADER_PREFIXES,
  LOADER_VARIABLES,
  PASSED_PREFIXES,
  PASSED_VARIABLES,
  REHOMED_VARIABLES,
  SECRET_VARIABLES,
  SECRET_WORDS,
} from '../lists/environment.js'
import { TOOLCHAIN_VARIABLES } from '../lists/toolchains.js'
import { isInside } from './paths.js'

type Environment = Readonly<Record<string, string>>

/** What an environment is built from. */
export interface EnvironmentInput {
  /** The host's own variables. */
  readonly host: Environment
  /** Names that the policy passes on beyond the allowlist. */
  readonly pass: readonly string[]
  /** What the call adds. */
  readonly explicit: Environment
  /** Real folders of PATH, in order. */
  readonly path: readonly string[]
  /** Folders that a command can write: no program is looked up there. */
  readonly writable: readonly string[]
}

/**
 * Allowlisted variables of the host, then those of the call, PATH rebuilt. Secrets, loader variables
 * and re-homed names are left out even when given explicitly; a name or value that no environment
 * can hold is `invalid_environment`.
 */
export function confinedEnvironment(input: EnvironmentInput): Environment {
  for (const [name, value] of Object.entries(input.explicit)) checkVariable(name, value)
  for (const name of input.pass) checkVariable(name, '')
  const passed = Object.entries(input.host).filter(
    ([name, value]) => isPassed(name, input.pass) && isHarmless(name) && !value.includes('\0'),
  )
  const given = Object.entries(input.explicit).filter(([name]) => isHarmless(name))
  return Object.fromEntries([...passed, ...given, ['PATH', searchPath(input)]])
}

/** Where HOME, temporary files and XDG folders live for one call. */
export function rehome(environment: Environment, home: string, temporary: string): Environment {
  return {
    ...environment,
    HOME: home,
    TMPDIR: temporary,
    TMP: temporary,
    TEMP: temporary,
    XDG_CACHE_HOME: `${home}/.cache`,
    XDG_CONFIG_HOME: `${home}/.config`,
    XDG_DATA_HOME: `${home}/.local/share`,
    XDG_STATE_HOME: `${home}/.local/state`,
  }
}

function checkVariable(name: string, value: string): void {
  if (name !== '' && !/[=\0]/.test(name) && !value.includes('\0')) return
  throw new SandboxError(
    'invalid_environment',
    'a variable has an empty name, a name with `=` or NUL, or a value with NUL',
    'give only variables that an environment can hold',
  )
}

function isPassed(name: string, pass: readonly string[]): boolean {
  return (
    has(PASSED_VARIABLES, name) ||
    has(TOOLCHAIN_VARIABLES, name) ||
    PASSED_PREFIXES.some((prefix) => name.startsWith(prefix)) ||
    pass.includes(name)
  )
}

/** Case does not matter: some systems and some programs ignore it. */
function isHarmless(given: string): boolean {
  const name = given.toUpperCase()
  return (
    !has(LOADER_VARIABLES, name) &&
    !LOADER_PREFIXES.some((prefix) => name.startsWith(prefix)) &&
    !has(SECRET_VARIABLES, name) &&
    !name.split('_').some((word) => has(SECRET_WORDS, word)) &&
    !has(REHOMED_VARIABLES, name)
  )
}

// INVARIANT: no folder that a command can write is on PATH (H-26, "leaves every writable folder out of PATH").
function searchPath(input: EnvironmentInput): string {
  const folders = input.path.filter(
    (folder) =>
      folder.startsWith('/') &&
      // A colon cannot be quoted: it would add folders.
      !folder.includes(':') &&
      !input.writable.some((root) => isInside(folder, root)),
  )
  return folders.length === 0 ? '/usr/bin:/bin' : [...new Set(folders)].join(':')
}

function has(list: readonly string[], name: string): boolean {
  return list.includes(name)
}
