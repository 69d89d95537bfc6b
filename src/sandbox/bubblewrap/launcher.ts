/** Whether bubblewrap's program can be trusted before it is started (sandbox.md §2, E-78, E-80). */

import { SandboxError } from '../../core/errors.js'
import type { FileFacts, Machine } from '../../platform/machine.js'

/** Where systems keep it. PATH is never asked. */
export const LAUNCHER = '/usr/bin/bwrap'

/** The launcher's real path with a text that changes when the file does, or why it is refused. */
export type LauncherCheck =
  | { readonly status: 'trusted'; readonly path: string; readonly identity: string }
  | { readonly status: 'refused'; readonly error: SandboxError }

/** Trusts a regular, executable file that only root could have put there. */
export function checkLauncher(machine: Machine, launcher: string): LauncherCheck {
  const path = launcher.startsWith('/') ? machine.realPath(launcher) : null
  const facts = path === null ? null : machine.facts(path)
  if (path === null || facts === null) return refused('missing_launcher', 'is missing', INSTALL)
  if (facts.kind !== 'file') return refused('untrusted_launcher', 'is not a file', REINSTALL)
  if ((facts.mode & 0o4000) !== 0) return refused('untrusted_launcher', SETUID, UNSET)
  if (![...parents(path), path].every((one) => isRoots(machine.facts(one)))) {
    return refused('untrusted_launcher', 'could be replaced by somebody else than root', REINSTALL)
  }
  if ((facts.mode & 0o111) === 0) {
    return refused('missing_launcher', 'is not executable', 'run: chmod 755 /usr/bin/bwrap')
  }
  return { status: 'trusted', path, identity: `${path} ${facts.id} ${facts.modifiedMs}` }
}

const INSTALL =
  'install it with: apt-get install -y bubblewrap (Debian, Ubuntu) or dnf install -y bubblewrap (Fedora)'
const REINSTALL = 'install the package of the system: apt-get install --reinstall -y bubblewrap'
const SETUID = 'is the set-user-id variant, which this driver does not use'
const UNSET = 'allow unprivileged user namespaces and run: chmod u-s /usr/bin/bwrap'

function refused(
  code: 'missing_launcher' | 'untrusted_launcher',
  why: string,
  remedy: string,
): LauncherCheck {
  return { status: 'refused', error: new SandboxError(code, `bubblewrap ${why}`, remedy) }
}

function parents(path: string): readonly string[] {
  const parts = path.split('/').slice(1, -1)
  return ['/', ...parts.map((_, index) => `/${parts.slice(0, index + 1).join('/')}`)]
}

function isRoots(facts: FileFacts | null): boolean {
  return facts !== null && facts.owner === 0 && (facts.mode & 0o022) === 0
}
