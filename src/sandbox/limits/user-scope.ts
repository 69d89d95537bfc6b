/** A launcher inside a transient scope of the user's service manager (sandbox.md §4, limits). Pure text. */

import type { Confinement } from '../../platform/process/pipes.js'

/** The program that makes scopes; it becomes the launcher, so pipes and number stay the same. */
export const SCOPE_PROGRAM = '/usr/bin/systemd-run'

/** What is measured in one scope. */
export interface ScopeLimits {
  readonly processes: number | null
  readonly memoryBytes: number | null
}

/**
 * The same command with its launcher in a scope. Nothing of the command is read as an option: the dashes
 * end them. The service manager is found by its folder, whose name holds nothing but the user's number.
 */
export function inUserScope(command: Confinement, limits: ScopeLimits, user: number): Confinement {
  return {
    ...command,
    file: SCOPE_PROGRAM,
    args: [...SCOPE, ...properties(limits), '--', command.file, ...command.args],
    environment: { ...command.environment, XDG_RUNTIME_DIR: runtimeFolder(user) },
  }
}

/** Where the user's service manager listens. */
export function runtimeFolder(user: number): string {
  return `/run/user/${user}`
}

const SCOPE = ['--user', '--scope', '--quiet', '--collect', '--no-ask-password'] as const

function properties({ processes, memoryBytes }: ScopeLimits): readonly string[] {
  return [
    ...(processes === null ? [] : ['-p', `TasksMax=${processes}`]),
    ...(memoryBytes === null ? [] : ['-p', `MemoryMax=${memoryBytes}`, '-p', 'MemorySwapMax=0']),
  ]
}
