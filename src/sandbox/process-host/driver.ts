/** No boundary: a command in a process group of its own, for a call that a person let out (sandbox.md §1). */

import type { ConfineRequest, ConfinedCommand, SandboxDriver } from '../../contract/sandbox.js'
import { SandboxError } from '../../core/errors.js'
import { guaranteesExcept } from '../report.js'

/**
 * Keeps time and output bounds and the allowlisted environment, nothing else. Its report says so, so
 * no profile admits it; records call it `none`.
 */
export function processHost(platform: SandboxDriver['platform'] = 'linux'): SandboxDriver {
  return {
    name: 'none',
    platform,
    status: 'none',
    probe: () =>
      Promise.resolve({ status: 'ready', guarantees: GUARANTEES, cause: null, remedy: null }),
    confine,
  }
}

/** The name under which commands of a host that opted in run: it stands in every rule id and record. */
export const PROCESS_HOST = 'process-host'

/** The same driver for a host that opted in (H-25). Its own name keeps it apart from an answered escalation. */
export function optedProcessHost(platform: SandboxDriver['platform']): SandboxDriver {
  return { ...processHost(platform), name: PROCESS_HOST }
}

const KEPT: readonly string[] = ['limits.time', 'limits.output']

const GUARANTEES = guaranteesExcept((name) =>
  KEPT.includes(name)
    ? null
    : { cause: 'the command runs outside every sandbox', remedy: 'run it in a sandbox' },
)

function confine(request: ConfineRequest): ConfinedCommand {
  const [file, ...args] = request.argv
  if (file === undefined || request.argv.some((arg) => arg.includes('\0'))) {
    throw new SandboxError(
      'setup_failed',
      'the command is empty or holds a NUL character',
      'give a program and arguments without NUL',
    )
  }
  return { file, args, environment: request.environment, cwd: request.cwd, pipes: [] }
}
