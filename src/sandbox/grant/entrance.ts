/** How a confined command gets into the network of its grant: by nsenter, or not at all (sandbox.md §4). */

import type { Machine } from '../../platform/machine.js'
import type { Confinement } from '../../platform/process/pipes.js'
import { checkLauncher } from '../bubblewrap/launcher.js'
import type { GuardedRequest } from '../protection/guard.js'
import type { Shortfall } from '../report.js'

/** Plain text: a program, and paths of this process's descriptors that it enters by. */
export interface Entrance {
  readonly program: string
  readonly user: string
  readonly network: string
  /** The proxy that programs inside are told of. */
  readonly proxy: string
}

/** With a grant in its profile there is an entrance, and never without one. */
export interface EnteredRequest extends GuardedRequest {
  readonly entrance?: Entrance | undefined
}

/** The same command by way of its entrance; unchanged without one. The credentials stay what they are. */
export function entering(command: Confinement, { entrance }: EnteredRequest): Confinement {
  if (entrance === undefined) return command
  const { program, user, network } = entrance
  const words = [`--user=${user}`, '--preserve-credentials', `--net=${network}`, '--']
  return { ...command, file: program, args: [...words, command.file, ...command.args] }
}

/** The program that enters namespaces, trusted like the launcher, or why there is none. */
export type EntranceCheck =
  | { readonly status: 'trusted'; readonly path: string; readonly identity: string }
  | { readonly status: 'refused'; readonly identity: string; readonly shortfall: Shortfall }

/** PATH is never asked. */
export function checkEntrance(machine: Machine): EntranceCheck {
  const check = checkLauncher(machine, PROGRAM)
  if (check.status === 'trusted') return check
  const { code } = check.error
  const shortfall = code === 'missing_launcher' ? MISSING : UNTRUSTED
  return { status: 'refused', identity: code, shortfall }
}

const PROGRAM = '/usr/bin/nsenter'

const MISSING: Shortfall = {
  cause: 'nsenter is missing or not executable, and without it no command enters a network',
  remedy:
    'install it with: apt-get install -y util-linux (Debian, Ubuntu) or dnf install -y util-linux-core (Fedora)',
}

const UNTRUSTED: Shortfall = {
  cause: 'nsenter is no plain program, or somebody else than root could replace it',
  remedy: 'install the package of the system: apt-get install --reinstall -y util-linux',
}
