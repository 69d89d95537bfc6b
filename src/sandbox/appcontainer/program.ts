/** Which programs a container starts: images, never batch files, which only a command interpreter runs. */

import { SandboxError } from '../../core/errors.js'
import { drivePath } from './paths.js'

/** Where Git for Windows keeps the shell that `command` texts are written for. */
const SHELLS: Readonly<Record<string, string | undefined>> = {
  '/bin/bash': 'Git\\usr\\bin\\bash.exe',
  '/bin/sh': 'Git\\usr\\bin\\sh.exe',
}

/**
 * The full path of an image, or a bare name that the broker looks up on the path of the request.
 * Throws `setup_failed` for anything that Windows would hand to an interpreter.
 */
export function programOf(
  name: string,
  places: { readonly cwd: string; readonly programFiles: string },
): string {
  const shell = SHELLS[name]
  if (shell !== undefined) return `${places.programFiles}\\${shell}`
  if (/\.(?:bat|cmd)[. ]*$/i.test(name)) {
    throw refused('a batch file runs in a command interpreter, which reads its words anew')
  }
  if (!/[\\/:]/.test(name)) {
    if (/^[\w.+-]*\w$/.test(name)) return name
    throw refused('the name of the program is no plain name')
  }
  const path = drivePath(name, places.cwd)
  if (/\.(?:exe|com)$/i.test(path)) return path
  throw refused('the program is no .exe and no .com')
}

function refused(message: string): SandboxError {
  return new SandboxError(
    'setup_failed',
    message,
    'name the program itself, such as node.exe with the script as its first word',
  )
}
