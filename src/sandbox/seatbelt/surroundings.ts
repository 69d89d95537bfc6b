/** What Seatbelt's view of a Mac is built from, read once (sandbox.md §1, §5). */

import { SECRET_NAMES, SYSTEM_SECRETS } from '../../lists/system-secrets.js'
import { TOOLCHAIN_SECRETS, TOOLCHAIN_VARIABLES } from '../../lists/toolchains.js'
import type { FolderEntry, Machine } from '../../platform/machine.js'
import { isInside } from '../paths.js'
import { canonicalPath } from './spellings.js'

/** The machine as `confine` sees it: plain data. */
export interface Surroundings {
  readonly home: string
  /** Readable: the system's own, and folders of PATH and of toolchains. Real paths. */
  readonly tools: readonly string[]
  /** Unreadable as wholes unless a root lies in them: temporary folders and data of services. */
  readonly closed: readonly string[]
  /** The part of `closed` that stays so under `open`. */
  readonly temporary: readonly string[]
  /** Secrets inside what is readable. */
  readonly secrets: readonly string[]
}

/** Reads the surroundings. What is not there is named all the same: a rule about it says nothing. */
export function readSurroundings(machine: Machine): Surroundings {
  const temporary = [...new Set([...TEMPORARY, ...machine.temporary.map(canonicalPath)])]
  const closed = [...temporary, ...SERVICE_DATA]
  const found = toolFolders(machine, closed)
  const tools = [...SYSTEM, ...found]
  return {
    home: canonicalPath(machine.home),
    tools,
    closed,
    temporary,
    secrets: [
      ...SYSTEM_SECRETS.map((name) => `/private/etc/${name}`),
      ...MAC_SECRETS,
      ...['/private/etc', '/opt', '/opt/homebrew/etc', '/usr/local/etc'].flatMap((folder) =>
        namedSecrets(machine, folder),
      ),
      ...found.flatMap((folder) => TOOLCHAIN_SECRETS.map((name) => `${folder}/${name}`)),
    ].filter((path, index, all) => all.indexOf(path) === index),
  }
}

const SYSTEM = [
  '/System',
  // The libraries of the system lie outside of the folder that hides all volumes.
  '/System/Volumes/Preboot/Cryptexes',
  '/usr',
  '/bin',
  '/sbin',
  '/opt',
  '/nix',
  '/Library/Apple',
  '/Library/Developer',
  '/Library/Frameworks',
  '/Library/Java',
  '/private/etc',
  '/private/var/select',
  '/private/var/db/dyld',
  '/private/var/db/timezone',
  '/private/var/db/xcode_select_link',
] as const

const TEMPORARY = [
  '/dev',
  '/private/tmp',
  '/private/var/folders',
  '/private/var/run',
  '/private/var/tmp',
] as const

/** What services keep inside folders that are readable otherwise. */
const SERVICE_DATA = [
  '/System/Volumes',
  '/nix/var',
  '/opt/homebrew/var',
  '/opt/local/var',
  '/usr/local/var',
] as const

/** Beyond those that Linux has as well. */
const MAC_SECRETS = [
  '/private/etc/kcpassword',
  '/private/etc/krb5.keytab',
  '/private/etc/master.passwd',
  '/private/etc/racoon',
] as const

/** Applications, libraries of a user and volumes are never shown as tools: too much lies in them. */
const TOO_WIDE = ['/', '/Applications', '/Library', '/Users', '/Volumes', '/private'] as const

function toolFolders(machine: Machine, closed: readonly string[]): readonly string[] {
  const named = TOOLCHAIN_VARIABLES.map((name) => machine.environment[name] ?? '')
  const paths = (machine.environment['PATH'] ?? '').split(':')
  const real = [...paths, ...named, '/private/var/db/xcode_select_link'].flatMap((path) =>
    path.startsWith('/') ? (machine.realPath(path) ?? []) : [],
  )
  const around = [...TOO_WIDE, machine.home].map(canonicalPath)
  return [...new Set(real.map(canonicalPath).map(wholeToolchain))].filter(
    (path) =>
      !around.some((wide) => isInside(wide, path)) &&
      !closed.some((one) => isInside(path, one) || isInside(one, path)) &&
      !SYSTEM.some((shown) => isInside(path, shown)) &&
      machine.facts(path)?.kind === 'directory',
  )
}

/** Xcode keeps libraries of its tools beside the folder that it names. */
function wholeToolchain(path: string): string {
  return path.endsWith('.app/Contents/Developer') ? path.slice(0, -'/Developer'.length) : path
}

/** Secrets by their name, down to one folder below. */
function namedSecrets(machine: Machine, top: string): readonly string[] {
  return machine.list(top).flatMap((entry) => {
    const path = `${top}/${entry.name}`
    if (isSecret(entry)) return [path]
    if (entry.kind !== 'directory') return []
    const inner = machine.list(path).filter(isSecret)
    return inner.map(({ name }) => `${path}/${name}`)
  })
}

function isSecret(entry: FolderEntry): boolean {
  return SECRET_NAMES.some((name) => name.test(entry.name))
}
