/** The spellings of one path before any link is followed (rules.md §4). Pure text. */

import type { Platform } from '../../core/guarantee.js'
import { Memo } from '../../core/memory/memo.js'
import { hasUncertainName, windowsAliases, windowsSpelling } from './windows-paths.js'

/** Where a path is read: absolute folders in the platform's spelling. */
export interface Place {
  readonly cwd: string
  readonly workspace: string
  readonly home: string
  readonly temporary: readonly string[]
  readonly platform: Platform
  /** HOME, TMPDIR and PWD where host and call see other values; their readings are added. */
  readonly environment?: Readonly<Record<string, string>> | undefined
}

/** Every reading of a path, absolute and with `/` as the only separator. Equal readings stand once. */
export interface LexicalForms {
  /** `..` is kept: where it leads depends on links. Resolve these. */
  readonly unfolded: readonly string[]
  /** `..` is folded as text. */
  readonly folded: readonly string[]
  /** False: the text alone does not say where it leads, so the path counts as unresolved. */
  readonly certain: boolean
}

/** The readings of `given`: variables and `~` expanded, on POSIX with a backslash as letter and as separator. */
export function lexicalForms(given: string, place: Place): LexicalForms {
  if (place.platform !== 'win32' && !/^[~$]|\\/.test(given)) {
    const only = collapse(absolute(given, place), place.platform)
    return { unfolded: [only], folded: [foldDots(only)], certain: true }
  }
  const unfolded = new Set<string>()
  let certain = true
  for (const reading of separatorReadings(given, place.platform)) {
    for (const expanded of expand(reading, place)) {
      const path = absolute(expanded, place)
      const aliases = place.platform === 'win32' ? windowsAliases(path) : []
      for (const spelling of [path, ...aliases]) unfolded.add(collapse(spelling, place.platform))
      certain &&= isCertain(expanded, path, place)
    }
  }
  const folded = new Set([...unfolded].map(foldDots))
  return { unfolded: [...unfolded], folded: [...folded], certain }
}

/** One folder of the host in the spelling of forms; used for roots. */
export function normalFolder(folder: string, platform: Platform): string {
  const normalFolders = NORMAL[platform]
  const known = normalFolders.get(folder)
  if (known !== undefined) return known
  const text = platform === 'win32' ? windowsSpelling(folder) : folder
  const normal = foldDots(collapse(text, platform))
  normalFolders.set(folder, normal)
  return normal
}

/** Roots and open folders are few, and every class of every path is measured against them. */
const NORMAL: { readonly [P in Platform]: Memo<string> } = {
  linux: new Memo(64),
  darwin: new Memo(64),
  win32: new Memo(64),
}

/** True for texts that name a place without a current folder. */
export function isAbsolute(path: string, platform: Platform): boolean {
  if (platform !== 'win32') return path.startsWith('/')
  return /^[\\/]/.test(path) || DRIVE.test(path.replace(/\\/g, '/'))
}

/** Resolves `.` and `..` as text; `..` never leaves the root, drive or share. */
export function foldDots(path: string): string {
  if (isPlain(path)) return path
  const root = rootOf(path)
  const kept: string[] = []
  for (const name of path.slice(root.length).split('/')) {
    if (name === '..') kept.pop()
    else if (name !== '' && name !== '.') kept.push(name)
  }
  return root + kept.join('/') || '/'
}

/** True for nearly every path: nothing in it to collapse or to fold. */
function isPlain(path: string): boolean {
  return path.startsWith('/') && !path.includes('//') && !path.includes('/.') && !path.endsWith('/')
}

const DRIVE = /^[A-Za-z]:(?=\/|$)/
const LEADING_VARIABLE = /^\$(?:(HOME|TMPDIR|PWD)(?![A-Za-z0-9_])|\{(HOME|TMPDIR|PWD)\})/

function separatorReadings(given: string, platform: Platform): readonly string[] {
  if (platform === 'win32') return [windowsSpelling(given)]
  return given.includes('\\') ? [given, given.replace(/\\/g, '/')] : [given]
}

function expand(path: string, place: Place): readonly string[] {
  if (path === '~' || path.startsWith('~/')) {
    return values('HOME', place).map((home) => home + path.slice(1))
  }
  const match = LEADING_VARIABLE.exec(path)
  if (match === null) return [path]
  const name = (match[1] ?? match[2] ?? '') as keyof typeof PLACE_VALUES
  const known = values(name, place)
  return known.length === 0 ? [path] : known.map((value) => value + path.slice(match[0].length))
}

function values(name: keyof typeof PLACE_VALUES, place: Place): readonly string[] {
  const known = PLACE_VALUES[name](place)
  const seen = place.environment?.[name]
  return seen === undefined || seen === '' ? known : [...known, seen]
}

const PLACE_VALUES = {
  HOME: (place: Place) => [place.home],
  TMPDIR: (place: Place) => place.temporary.slice(0, 1),
  PWD: (place: Place) => [place.cwd],
} as const

function absolute(path: string, place: Place): string {
  if (place.platform !== 'win32') return path.startsWith('/') ? path : `${place.cwd}/${path}`
  const text = windowsSpelling(path)
  const cwd = windowsSpelling(place.cwd)
  const drive = driveWithoutFolder(text)
  if (drive !== null) return (rootOf(cwd) === `${drive}/` ? `${cwd}/` : `${drive}/`) + text.slice(2)
  if (text.startsWith('//') || DRIVE.test(text)) return text
  return text.startsWith('/') ? rootOf(cwd) + text.slice(1) : `${cwd}/${text}`
}

/** `C:` and `C:x` are relative to that drive's current folder, which only the process knows. */
function driveWithoutFolder(text: string): string | null {
  return /^[A-Za-z]:(?!\/)/.test(text) ? text.slice(0, 2) : null
}

/** What the host's own folders are called is the host's affair; only what the call adds can be uncertain. */
function isCertain(given: string, path: string, place: Place): boolean {
  if (place.platform !== 'win32') return true
  const drive = driveWithoutFolder(windowsSpelling(given))
  if (drive !== null && rootOf(windowsSpelling(place.cwd)) !== `${drive}/`) return false
  const roots = [place.cwd, place.workspace, place.home, ...place.temporary].map(
    (folder) => `${windowsSpelling(folder).replace(/\/$/, '')}/`,
  )
  const under = roots.filter((root) => path.toLowerCase().startsWith(root.toLowerCase()))
  const longest = Math.max(0, ...under.map((root) => root.length))
  return !hasUncertainName(path.slice(longest))
}

/** Doubled separators and `.` go; `..` stays. */
function collapse(path: string, platform: Platform): string {
  if (platform !== 'win32' && isPlain(path)) return path
  const root = platform === 'win32' ? rootOf(path) : '/'
  const names = path.slice(root.length).split('/')
  return root + names.filter((name) => name !== '' && name !== '.').join('/')
}

function rootOf(path: string): string {
  const share = /^\/\/[^/]+(?:\/[^/]+)?(?:\/|$)/.exec(path)
  if (share !== null) return share[0].endsWith('/') ? share[0] : `${share[0]}/`
  if (DRIVE.test(path)) return `${path.slice(0, 2)}/`
  return '/'
}
