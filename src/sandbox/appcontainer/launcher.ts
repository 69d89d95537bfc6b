/** Whether PowerShell 7 is the system's own, before it is started (sandbox.md §6, S1-18). */

import { SandboxError } from '../../core/errors.js'
import type { Machine } from '../../platform/machine.js'

/** The launcher's path with a text that changes when the file does, or why it is refused. */
export type LauncherCheck =
  | { readonly status: 'trusted'; readonly path: string; readonly identity: string }
  | { readonly status: 'refused'; readonly error: SandboxError }

/**
 * The folder of programs that only administrators write. Its name is the same in every language, and no
 * variable is asked but the letter of the system's drive.
 */
export function programFilesOf({ environment }: Machine): string {
  const drive = Object.entries(environment).find(([name]) => name.toUpperCase() === 'SYSTEMDRIVE')
  return `${/^[A-Za-z]:$/.exec(drive?.[1] ?? '')?.[0].toUpperCase() ?? 'C:'}\\Program Files`
}

/** Trusts a plain file below Program Files. PATH is never asked; a Store alias is a link elsewhere. */
export function checkLauncher(machine: Machine, given: string | undefined): LauncherCheck {
  const home = `${programFilesOf(machine)}\\PowerShell\\`
  const path = given ?? `${home}7\\pwsh.exe`
  if (/\\WindowsApps(?:\\|$)/i.test(path)) return refused('untrusted_launcher', ALIAS)
  if (!isProgram(path, home)) return refused('untrusted_launcher', ELSEWHERE)
  const facts = machine.facts(path)
  if (facts === null) return refused('missing_launcher', 'is missing')
  const real = machine.realPath(path)?.replaceAll('/', '\\')
  if (facts.kind !== 'file' || real?.toLowerCase() !== path.toLowerCase()) {
    return refused('untrusted_launcher', 'is a link, or lies behind one')
  }
  return { status: 'trusted', path, identity: `${path} ${facts.id} ${facts.modifiedMs}` }
}

const ALIAS = 'is an alias of the Store'
const ELSEWHERE = 'is not the one in the Program Files of the system'

/** One folder below its home, as the installer names them: 7, 7-preview. */
function isProgram(path: string, home: string): boolean {
  const isInHome = path.toLowerCase().startsWith(home.toLowerCase())
  return isInHome && /^[0-9][\w.-]*\\pwsh\.exe$/i.test(path.slice(home.length))
}

function refused(code: 'missing_launcher' | 'untrusted_launcher', why: string): LauncherCheck {
  const remedy =
    'install it for all users: winget install --id Microsoft.PowerShell --source winget'
  return { status: 'refused', error: new SandboxError(code, `PowerShell 7 ${why}`, remedy) }
}
