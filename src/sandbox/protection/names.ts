/** Protected and secret names as a search compares them: in any case spelling (sandbox.md §3). */

import { CREDENTIAL_TEMPLATES, WORKSPACE_CREDENTIALS } from '../../lists/credentials.js'
import {
  PROTECTED_ANYWHERE,
  PROTECTED_DIRECTORIES,
  PROTECTED_FILES,
} from '../../lists/protected.js'
import { PACKAGE_STORES } from '../../lists/searching.js'

/** One spelling for all that a file system may take for the same name. */
export function folded(name: string): string {
  return name.normalize('NFC').toLowerCase()
}

/** True for the control folder of a repository, at any depth. */
export function isRepository(name: string): boolean {
  return ANYWHERE.has(folded(name))
}

/** True for a name that holds secrets, at any depth. */
export function isSecret(given: string): boolean {
  const name = folded(given)
  return !TEMPLATES.has(name) && SECRETS.some((one) => matches(name, one))
}

/** True for a folder that a package manager or compiler fills. */
export function isPackageStore(name: string): boolean {
  return STORES.has(folded(name))
}

/** Protected names at the top of a workspace, each as its parts. */
export const PROTECTED_NAMES: readonly { readonly parts: readonly string[] }[] = [
  ...PROTECTED_DIRECTORIES,
  ...PROTECTED_FILES,
].map((name) => ({ parts: name.split('/') }))

/** A trailing `*` stands for any ending. */
export function matches(name: string, pattern: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern
}

const ANYWHERE = new Set(PROTECTED_ANYWHERE.map(folded))
const TEMPLATES = new Set(CREDENTIAL_TEMPLATES.map(folded))
const SECRETS = WORKSPACE_CREDENTIALS.map(folded)
const STORES = new Set(PACKAGE_STORES.map(folded))
