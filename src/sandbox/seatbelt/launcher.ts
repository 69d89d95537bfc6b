/** Whether macOS' own launcher is there and nobody's but root's (sandbox.md §2, S1-18). */

import { SandboxError } from '../../core/errors.js'
import type { FileFacts, Machine } from '../../platform/machine.js'

/** Where macOS keeps it, on a volume that cannot be written. PATH is never asked. */
export const LAUNCHER = '/usr/bin/sandbox-exec'

/** The launcher's real path with a text that changes when the file does, or why it is refused. */
export type LauncherCheck =
  | { readonly status: 'trusted'; readonly path: string; readonly identity: string }
  | { readonly status: 'refused'; readonly error: SandboxError }

/** Trusts a regular, executable file that only root could have put there. */
export function checkLauncher(machine: Machine, launcher: string): LauncherCheck {
  const path = launcher.startsWith('/') ? machine.realPath(launcher) : null
  const facts = path === null ? null : machine.facts(path)
  if (path === null || facts === null) return refused('missing_launcher', 'is missing', RESTORE)
  if (facts.kind !== 'file') return refused('untrusted_launcher', 'is not a file', RESTORE)
  if (![...parents(path), path].every((one) => isRoots(machine.facts(one)))) {
    return refused('untrusted_launcher', 'could be replaced by somebody else than root', PROTECT)
  }
  if ((facts.mode & 0o111) === 0) {
    return refused('missing_launcher', 'is not executable', RESTORE)
  }
  return { status: 'trusted', path, identity: `${path} ${facts.id} ${facts.modifiedMs}` }
}

const RESTORE = `macOS brings ${LAUNCHER} with it: reinstall the system over itself`
const PROTECT = 'switch system integrity protection on: csrutil enable, from the recovery system'

function refused(
  code: 'missing_launcher' | 'untrusted_launcher',
  why: string,
  remedy: string,
): LauncherCheck {
  return { status: 'refused', error: new SandboxError(code, `sandbox-exec ${why}`, remedy) }
}

function parents(path: string): readonly string[] {
  const parts = path.split('/').slice(1, -1)
  return ['/', ...parts.map((_, index) => `/${parts.slice(0, index + 1).join('/')}`)]
}

function isRoots(facts: FileFacts | null): boolean {
  return facts !== null && facts.owner === 0 && (facts.mode & 0o022) === 0
}
