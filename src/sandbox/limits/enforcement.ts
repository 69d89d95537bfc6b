/** How processes and memory of a command are limited on this machine, or why they are not (sandbox.md §4). */

import type { SandboxProfile } from '../../contract/sandbox.js'
import { SandboxError } from '../../core/errors.js'
import type { Guarantee } from '../../core/guarantee.js'
import type { ControlGroups } from '../../platform/control-group/control-group.js'
import type { Confinement } from '../../platform/process/pipes.js'
import type { Shortfall } from '../report.js'
import { inUserScope } from './user-scope.js'

/** One way for one machine, fixed when the driver is probed. */
export interface LimitEnforcement {
  readonly shortfalls: { readonly [G in Guarantee]?: Shortfall }
  /** The command under the profile's limits. Throws `SandboxError unenforceable_limit`. */
  readonly limited: (command: Confinement, limits: SandboxProfile['limits']) => Confinement
}

/** No way: a profile that names a limit is refused. */
export function withoutLimits(cause: string): LimitEnforcement {
  const shortfall = { cause, remedy: REMEDY }
  const shortfalls = { 'limits.processes': shortfall, 'limits.memory': shortfall }
  return { shortfalls, limited: (command, limits) => demanding(shortfalls, limits, command) }
}

/** A group of its own for each command, below the one that was delegated to this process. */
export function byControlGroups(groups: ControlGroups): LimitEnforcement {
  const shortfalls = {
    ...(groups.controllers.has('pids') ? {} : { 'limits.processes': lacking('pids') }),
    ...(groups.controllers.has('memory') ? {} : { 'limits.memory': lacking('memory') }),
  }
  return {
    shortfalls,
    limited(command, limits) {
      const checked = demanding(shortfalls, limits, command)
      if (!isLimited(limits)) return checked
      return { ...checked, group: () => groups.make(withLauncher(limits)) }
    },
  }
}

/** A transient scope of the user's service manager for each command. */
export function byUserScope(user: number): LimitEnforcement {
  return {
    shortfalls: {},
    limited: (command, limits) =>
      isLimited(limits) ? inUserScope(command, withLauncher(limits), user) : command,
  }
}

/** The launcher and the first process of the boundary are in the group too. */
const LAUNCHER_PROCESSES = 2

function withLauncher({ processes, memoryBytes }: SandboxProfile['limits']): {
  readonly processes: number | null
  readonly memoryBytes: number | null
} {
  return { processes: processes === null ? null : processes + LAUNCHER_PROCESSES, memoryBytes }
}

function isLimited({ processes, memoryBytes }: SandboxProfile['limits']): boolean {
  return processes !== null || memoryBytes !== null
}

function demanding(
  shortfalls: LimitEnforcement['shortfalls'],
  { processes, memoryBytes }: SandboxProfile['limits'],
  command: Confinement,
): Confinement {
  const missing =
    (processes === null ? undefined : shortfalls['limits.processes']) ??
    (memoryBytes === null ? undefined : shortfalls['limits.memory'])
  if (missing === undefined) return command
  // Denied: the run. A limit that is stated and does not hold would be worse than none.
  throw new SandboxError('unenforceable_limit', missing.cause, missing.remedy)
}

const REMEDY =
  'leave the limit out, or run where this user has a systemd manager (loginctl enable-linger) or a writable cgroup v2'

function lacking(controller: string): Shortfall {
  return {
    cause: `the control group of this process has no ${controller} controller`,
    remedy: REMEDY,
  }
}
