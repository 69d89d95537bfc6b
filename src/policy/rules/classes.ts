/** Path classes (rules.md §1, §4): what a path is, whatever a pattern says. */

import type { Roots } from '../../core/facts.js'
import { Memo } from '../../core/memory/memo.js'
import type { PathSubject } from '../../core/subject.js'
import {
  CREDENTIAL_TEMPLATES,
  HOME_CREDENTIALS,
  WORKSPACE_CREDENTIALS,
} from '../../lists/credentials.js'
import {
  GIT_CONTROL,
  INSTRUCTION_FILES,
  PROTECTED_ANYWHERE,
  PROTECTED_DIRECTORIES,
  PROTECTED_FILES,
} from '../../lists/protected.js'
import { foldForProof, foldForSuspicion } from './compare.js'
import { lexicalForms, normalFolder } from './path-forms.js'
import { namesDevice } from './windows-paths.js'

export const PATH_CLASSES = [
  '@workspace',
  '@outside',
  '@home',
  '@tmp',
  '@protected',
  '@credentials',
  '@kernel',
] as const
export type PathClass = (typeof PATH_CLASSES)[number]

/** True when any form of the path may be in the class; what cannot be resolved is outside and protected as well. */
export function mayBeIn(name: PathClass, path: PathSubject, roots: Roots): boolean {
  if (!path.resolved && (name === '@outside' || name === '@protected')) return true
  return path.forms.some((form) => isInClass(name, form, { roots, claim: 'suspicion' }))
}

/** How sure a comparison has to be: an allow needs proof, a deny or an ask only suspicion. */
export type Claim = 'proof' | 'suspicion'

/** What a path is measured against, and how surely. */
export interface Measure {
  readonly roots: Roots
  readonly claim: Claim
}

/** True when one form is in a class. */
export function isInClass(name: PathClass, form: string, measure: Measure): boolean {
  if (measure.claim === 'proof' || form.length > LONGEST_KEPT) {
    return isMeasured(name, form, measure)
  }
  const memo = suspectedIn(name, measure.roots)
  const known = memo.get(form)
  if (known !== undefined) return known
  const is = isMeasured(name, form, measure)
  memo.set(form, is)
  return is
}

/** Several layers and every rule ask the same of the same few paths. */
function suspectedIn(name: PathClass, roots: Roots): Memo<boolean> {
  const memos = SUSPECTED.get(roots) ?? new Map<PathClass, Memo<boolean>>()
  SUSPECTED.set(roots, memos)
  const memo = memos.get(name) ?? new Memo(256)
  memos.set(name, memo)
  return memo
}

const SUSPECTED = new WeakMap<Roots, Map<PathClass, Memo<boolean>>>()
const LONGEST_KEPT = 1024

function isMeasured(name: PathClass, form: string, { roots, claim }: Measure): boolean {
  switch (name) {
    case '@workspace':
      return isBelow(form, roots.workspace, { roots, claim })
    case '@outside':
      return !isBelow(form, roots.workspace, { roots, claim: opposite(claim) })
    case '@home':
      return isBelow(form, roots.home, { roots, claim })
    case '@tmp':
      return roots.temporary.some((folder) => isBelow(form, folder, { roots, claim }))
    case '@protected':
      return isProtected(form, roots)
    case '@credentials':
      return isCredential(form, roots)
    case '@kernel':
      return isKernel(form)
  }
}

/**
 * Proof: the path is resolved and every form is one of the folders or below one. Folders may be
 * written as in a policy: `~/x`, or relative to the workspace.
 */
export function liesWithin(path: PathSubject, folders: readonly string[], roots: Roots): boolean {
  if (!path.resolved || path.forms.length === 0) return false
  const place = { ...roots, cwd: roots.workspace }
  const known = folders.flatMap((folder) => lexicalForms(folder, place).folded[0] ?? [])
  return path.forms.every((form) =>
    known.some((folder) => isBelow(form, folder, { roots, claim: 'proof' })),
  )
}

/** Suspicion: one form is, or may be, one of the folders or below one; so may be what cannot be resolved. */
export function touches(path: PathSubject, folders: readonly string[], roots: Roots): boolean {
  return path.forms.some((form) =>
    folders.some((folder) => isBelow(form, folder, { roots, claim: 'suspicion' })),
  )
}

/** True for a folder of the home that is a store of credentials, lies in one or holds one. */
export function mayHoldSecrets(folder: string, roots: Roots): boolean {
  if (isInClass('@credentials', folder, { roots, claim: 'suspicion' })) return true
  const rest = suspectedRest(folder, roots.home, roots)
  return rest !== null && (rest === '' || STORE_PATHS.some((store) => store.startsWith(`${rest}/`)))
}

/** True for a path whose writing needs a confirmation of its own: protected, or a file that instructs models. */
export function writeEscalates(path: PathSubject, roots: Roots): boolean {
  return mayBeIn('@protected', path, roots) || path.forms.some((form) => isInstruction(form, roots))
}

/**
 * True for a path that no command writes: protected, unless the Git write profile opens exactly this part
 * of the workspace's own repository.
 */
export function isClosedToCommands(
  path: PathSubject,
  roots: Roots,
  git: 'write' | undefined,
): boolean {
  if (git === undefined) return mayBeIn('@protected', path, roots)
  if (!path.resolved) return true
  return path.forms.some((form) => isProtected(form, roots) && !isGitContent(form, roots))
}

/** What a repository holds beside its control files; other repositories below are not meant. */
function isGitContent(form: string, roots: Roots): boolean {
  const rest = suspectedRest(form, roots.workspace, roots)
  if (rest?.startsWith('.git/') !== true) return false
  const inside = rest.slice('.git/'.length)
  if (isInRepository(inside)) return false
  return !GIT_CONTROLS.some((name) => isAtOrUnder(inside, name) || isAtOrUnder(name, inside))
}

/** What is not surely inside is suspected to be outside, and the other way round. */
function opposite(claim: Claim): Claim {
  return claim === 'proof' ? 'suspicion' : 'proof'
}

function isBelow(form: string, folder: string, { roots, claim }: Measure): boolean {
  if (claim === 'suspicion') return suspectedRest(form, folder, roots) !== null
  const { platform } = roots
  const inner = foldForProof(form, platform)
  return isAtOrUnder(inner, foldForProof(normalFolder(folder, platform), platform))
}

/** What follows the folder in the path, folded for suspicion; `null` when it is elsewhere. */
function suspectedRest(form: string, folder: string, roots: Roots): string | null {
  const inner = foldForSuspicion(form)
  const outer = foldForSuspicion(normalFolder(folder, roots.platform))
  if (!isAtOrUnder(inner, outer)) return null
  return inner.slice(outer.length).replace(/^\//, '')
}

function isAtOrUnder(inner: string, outer: string): boolean {
  if (inner === outer) return true
  return inner.startsWith(outer.endsWith('/') ? outer : `${outer}/`)
}

function isProtected(form: string, roots: Roots): boolean {
  const rest = suspectedRest(form, roots.workspace, roots)
  // A repository in another folder that is open runs its hooks as well.
  if (rest === null) return isInRepository(foldForSuspicion(form))
  if (TOP_DIRECTORIES.some((name) => isAtOrUnder(rest, name))) return true
  // A protected file that is a folder is no less protected.
  if (TOP_FILES.some((name) => isAtOrUnder(rest, name))) return true
  return isInRepository(rest)
}

function isInRepository(folded: string): boolean {
  return folded.split('/').some((name) => ANYWHERE.has(name))
}

function isInstruction(form: string, roots: Roots): boolean {
  const rest = suspectedRest(form, roots.workspace, roots)
  return rest !== null && INSTRUCTIONS.has(rest.slice(rest.lastIndexOf('/') + 1))
}

function isCredential(form: string, roots: Roots): boolean {
  const inHome = suspectedRest(form, roots.home, roots)
  if (inHome !== null && HOME_STORES.some((store) => store(inHome))) return true
  const inWorkspace = suspectedRest(form, roots.workspace, roots)
  return inWorkspace !== null && inWorkspace.split('/').some(isSecretName)
}

function isSecretName(name: string): boolean {
  if (TEMPLATES.has(name)) return false
  return SECRET_NAMES.some((known) =>
    known.endsWith('*') ? name.startsWith(known.slice(0, -1)) : name === known,
  )
}

function isKernel(form: string): boolean {
  const path = foldForSuspicion(form)
  if (namesDevice(path)) return true
  if (!KERNEL_FOLDERS.some((folder) => isAtOrUnder(path, folder))) return false
  return !HARMLESS_DEVICES.has(path)
}

/** Each store as a test of what follows the home directory. */
function storeTest(store: string): (rest: string) => boolean {
  const folded = foldForSuspicion(store)
  if (!folded.endsWith('*')) return (rest) => isAtOrUnder(rest, folded)
  const start = folded.slice(0, -1)
  return (rest) => rest.startsWith(start)
}

const TOP_DIRECTORIES = PROTECTED_DIRECTORIES.map(foldForSuspicion)
const TOP_FILES = PROTECTED_FILES.map(foldForSuspicion)
const ANYWHERE = new Set(PROTECTED_ANYWHERE.map(foldForSuspicion))
const GIT_CONTROLS = [...GIT_CONTROL.folders, ...GIT_CONTROL.files, 'worktrees'].map(
  foldForSuspicion,
)
const INSTRUCTIONS = new Set(INSTRUCTION_FILES.map(foldForSuspicion))
const STORE_PATHS = HOME_CREDENTIALS.map(foldForSuspicion)
const HOME_STORES = HOME_CREDENTIALS.map(storeTest)
const SECRET_NAMES = WORKSPACE_CREDENTIALS.map(foldForSuspicion)
const TEMPLATES = new Set(CREDENTIAL_TEMPLATES.map(foldForSuspicion))
const KERNEL_FOLDERS = ['/proc', '/sys', '/dev']
const HARMLESS_DEVICES = new Set(
  ['null', 'zero', 'full', 'random', 'urandom'].map((name) => `/dev/${name}`),
)
