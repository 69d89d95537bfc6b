/** Finds how this machine limits processes and memory, by trying it (sandbox.md §1: each guarantee is proved). */

import type { FoundGroups } from '../../platform/control-group/control-group.js'
import type { Machine } from '../../platform/machine.js'
import type { Confinement } from '../../platform/process/pipes.js'
import { runConfined } from '../../platform/process/spawn.js'
import { checkLauncher } from '../bubblewrap/launcher.js'
import {
  byControlGroups,
  byUserScope,
  withoutLimits,
  type LimitEnforcement,
} from './enforcement.js'
import { inUserScope, runtimeFolder, SCOPE_PROGRAM } from './user-scope.js'

/**
 * Scopes of the user's service manager first: where there is one, groups are its to make. Then groups
 * below the one that was delegated to this process. Never rejects.
 */
export async function findLimits(
  machine: Machine,
  groups: () => FoundGroups,
): Promise<LimitEnforcement> {
  if (await canScope(machine)) return byUserScope(machine.user)
  const found = groups()
  if (found.status === 'ready' && canMake(found)) return byControlGroups(found.groups)
  const cause = found.status === 'missing' ? found.cause : 'no control group could be made'
  return withoutLimits(`there is no service manager of this user, and ${cause}`)
}

function canMake({ groups }: FoundGroups & { readonly status: 'ready' }): boolean {
  try {
    const { controllers } = groups
    groups
      .make({
        processes: controllers.has('pids') ? TRIED.processes : null,
        memoryBytes: controllers.has('memory') ? TRIED.memoryBytes : null,
      })
      .remove()
    return true
  } catch {
    // Denied: limits by control groups.
    return false
  }
}

async function canScope(machine: Machine): Promise<boolean> {
  const socket = machine.facts(`${runtimeFolder(machine.user)}/systemd/private`)
  if (socket?.kind !== 'special' || socket.owner !== machine.user) return false
  if (checkLauncher(machine, SCOPE_PROGRAM).status !== 'trusted') return false
  try {
    const run = await runConfined(inUserScope(SHOW_LIMITS, TRIED, machine.user), {
      timeoutMs: 10_000,
      outputBytes: 4096,
      launcherStatus: 'none',
    })
    return isLimited(run.exitCode, run.stdout)
  } catch {
    // Denied: limits by scopes.
    return false
  }
}

/** True when the scope said of itself exactly what was asked for. */
export function isLimited(exitCode: number | null, stdout: string): boolean {
  return exitCode === 0 && stdout === `${TRIED.processes}\n${TRIED.memoryBytes}\n0\n`
}

const TRIED = { processes: 61, memoryBytes: 268_435_456 } as const

const SHOW_LIMITS: Confinement = {
  file: '/bin/sh',
  args: [
    '-c',
    'cd "/sys/fs/cgroup$(sed -n s/^0:://p /proc/self/cgroup)" && cat pids.max memory.max memory.swap.max',
  ],
  environment: { PATH: '/usr/bin:/bin' },
  cwd: '/',
  pipes: [],
}
