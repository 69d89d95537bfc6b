/** What a path is by its names: protected, a credential, inside a package store (tools.md §1, sandbox.md §3). */

import {
  CREDENTIAL_TEMPLATES,
  HOME_CREDENTIALS,
  WORKSPACE_CREDENTIALS,
} from '../../lists/credentials.js'
import {
  GIT_CONTROL,
  PROTECTED_ANYWHERE,
  PROTECTED_DIRECTORIES,
  PROTECTED_FILES,
} from '../../lists/protected.js'
import { PACKAGE_STORES } from '../../lists/searching.js'

/** One spelling for all that some file system takes for the same path: no case, nothing invisible, `/` between names. */
export function foldedPath(path: string): string {
  const names = foldedLetters(path).replaceAll('\\', '/').split('/')
  return names
    .map((name) => (name === '..' || name === '.' ? name : withoutTail(name)))
    .filter((name, at) => at === 0 || name !== '')
    .join('/')
}

/** Upper case first: letters such as the long s only meet their kin there. */
function foldedLetters(text: string): string {
  const shown = text.normalize('NFC').replace(/\p{Default_Ignorable_Code_Point}/gu, '')
  return shown.toUpperCase().toLowerCase().normalize('NFC')
}

/** What follows `folder` in `path`, both folded; `null` when it lies elsewhere. */
export function restBelow(path: string, folder: string): string | null {
  if (path === folder) return ''
  const prefix = folder.endsWith('/') ? folder : `${folder}/`
  return path.startsWith(prefix) ? path.slice(prefix.length) : null
}

/** True for a folded path below a workspace that no tool writes. The Git write profile opens a part of it. */
export function isProtectedName(rest: string, git: 'write' | undefined): boolean {
  const isTop = PROTECTED.some((name) => isAtOrUnder(rest, name))
  if (!isTop && !isInRepository(rest)) return false
  return git === undefined || !isGitContent(rest)
}

/** True for a folded path in the control folder of a repository, wherever that is. */
export function isInRepository(rest: string): boolean {
  return rest.split('/').some((name) => ANYWHERE.has(name))
}

/** True for a folded path below a workspace that holds secrets, at any depth. */
export function isSecretName(rest: string): boolean {
  return rest
    .split('/')
    .some((name) => !TEMPLATES.has(name) && SECRETS.some((known) => matches(name, known)))
}

/** True for a folded path below a home that holds secrets. */
export function isHomeCredential(rest: string): boolean {
  return HOME_STORES.some((store) =>
    store.endsWith('*') ? rest.startsWith(store.slice(0, -1)) : isAtOrUnder(rest, store),
  )
}

/** True for a folder name that a search for secrets passes over. */
export function isUnsearchedStore(name: string): boolean {
  return STORES.has(name)
}

function isGitContent(rest: string): boolean {
  const inside = restBelow(rest, '.git')
  if (inside === null || inside === '') return false
  if (isInRepository(inside)) return false
  return !GIT_CONTROLS.some((name) => isAtOrUnder(inside, name) || isAtOrUnder(name, inside))
}

function isAtOrUnder(rest: string, name: string): boolean {
  return restBelow(rest, name) !== null
}

function matches(name: string, pattern: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern
}

/** As some systems compare: trailing dots and blanks are nothing. */
function withoutTail(name: string): string {
  let end = name.length
  while (end > 0 && '. '.includes(name.charAt(end - 1))) end -= 1
  return name.slice(0, end)
}

const PROTECTED = [...PROTECTED_DIRECTORIES, ...PROTECTED_FILES].map(foldedPath)
const ANYWHERE = new Set(PROTECTED_ANYWHERE.map(foldedPath))
const GIT_CONTROLS = [...GIT_CONTROL.folders, ...GIT_CONTROL.files, 'worktrees'].map(foldedPath)
const TEMPLATES = new Set(CREDENTIAL_TEMPLATES.map(foldedPath))
const SECRETS = WORKSPACE_CREDENTIALS.map(foldedPath)
const HOME_STORES = HOME_CREDENTIALS.map(foldedPath)
const STORES = new Set(['.git', ...PACKAGE_STORES].map(foldedPath))
