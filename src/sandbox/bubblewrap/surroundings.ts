/** What bubblewrap's view of a machine is built from, read once (sandbox.md §4). */

import { SECRET_NAMES, SYSTEM_SECRETS } from '../../lists/system-secrets.js'
import { TOOLCHAIN_SECRETS, TOOLCHAIN_VARIABLES } from '../../lists/toolchains.js'
import type { FolderEntry, Machine } from '../../platform/machine.js'
import { isInside } from '../paths.js'
import type { Mask } from '../protection/guard.js'

/** The machine as `confine` sees it: plain data and one look at a path. */
export interface Surroundings {
  /** The processor; the system-call filter exists for two. */
  readonly architecture: Machine['architecture']
  /** Top-level folders that are shown whole. */
  readonly system: readonly string[]
  /** Top-level links into them: `/bin` to `usr/bin`. */
  readonly links: readonly { readonly path: string; readonly target: string }[]
  /** Folders of PATH and of toolchains outside of those, real. */
  readonly tools: readonly string[]
  /** Secrets inside what is shown, which this user could read. */
  readonly secrets: readonly Mask[]
  /** Entries of `/proc` that a root user could use against the host. */
  readonly kernel: readonly Mask[]
  /** What a path is now; asked only for hidden paths inside something shown. */
  readonly kindOf: (path: string) => 'file' | 'directory' | 'absent' | 'other'
}

/** Reads the surroundings. What is not there is not shown. */
export function readSurroundings(machine: Machine): Surroundings {
  const system = SYSTEM.filter((path) => machine.facts(path)?.kind === 'directory')
  const tools = toolFolders(machine, system)
  return {
    architecture: machine.architecture,
    system,
    links: SYSTEM.flatMap((path) => link(machine, path)),
    tools,
    secrets: [
      ...SYSTEM_SECRETS.flatMap((name) => mask(machine, `/etc/${name}`)),
      ...['/etc', '/opt'].flatMap((folder) => namedSecrets(machine, folder)),
      ...tools.flatMap((folder) =>
        TOOLCHAIN_SECRETS.flatMap((name) => mask(machine, `${folder}/${name}`)),
      ),
    ].filter((one, index, all) => all.findIndex((other) => other.path === one.path) === index),
    kernel: machine.user === 0 ? KERNEL.flatMap((path) => mask(machine, path)) : [],
    kindOf: (path) => presence(machine, path),
  }
}

const SYSTEM = [
  '/usr',
  '/bin',
  '/sbin',
  '/lib',
  '/lib32',
  '/lib64',
  '/libx32',
  '/etc',
  '/opt',
  '/nix',
] as const

const KERNEL = [
  '/proc/sysrq-trigger',
  '/proc/irq',
  '/proc/bus',
  '/proc/fs',
  '/proc/mtrr',
  '/proc/kcore',
  '/proc/keys',
  // Where there is such hardware: written to, they detach disks, wake machines and configure drivers.
  '/proc/scsi',
  '/proc/acpi',
  '/proc/driver',
  '/proc/asound',
  '/proc/dynamic_debug',
  '/proc/latency_stats',
] as const

/** Folders that are never shown as tools: too much lies in them, or anybody can write there. */
const TOO_WIDE = ['/tmp', '/run', '/dev', '/proc', '/sys', '/var/tmp'] as const

function link(machine: Machine, path: string): Surroundings['links'] {
  if (machine.facts(path)?.kind !== 'link') return []
  const target = machine.realPath(path)
  return target === null ? [] : [{ path, target }]
}

function toolFolders(machine: Machine, system: readonly string[]): readonly string[] {
  const named = TOOLCHAIN_VARIABLES.map((name) => machine.environment[name] ?? '')
  const all = [...(machine.environment['PATH'] ?? '').split(':'), ...named]
  const real = all.flatMap((path) => (path.startsWith('/') ? (machine.realPath(path) ?? []) : []))
  return [...new Set(real)].filter(
    (path) =>
      path !== '/' &&
      !isInside(machine.home, path) &&
      ![...TOO_WIDE, ...machine.temporary].some(
        (wide) => isInside(path, wide) || isInside(wide, path),
      ) &&
      !system.some((shown) => isInside(path, shown)) &&
      machine.facts(path)?.kind === 'directory',
  )
}

/** Secrets by their name, and pipes and sockets that would reach a service, down to one folder below. */
function namedSecrets(machine: Machine, top: string): readonly Mask[] {
  return machine.list(top).flatMap((entry) => {
    const path = `${top}/${entry.name}`
    if (isSecret(entry)) return mask(machine, path)
    if (entry.kind !== 'directory') return []
    return machine
      .list(path)
      .flatMap((inner) => (isSecret(inner) ? mask(machine, `${path}/${inner.name}`) : []))
  })
}

function isSecret(entry: FolderEntry): boolean {
  return entry.kind === 'special' || SECRET_NAMES.some((name) => name.test(entry.name))
}

/** A mask costs a mount, and what the kernel refuses to this user anyway needs none. */
function mask(machine: Machine, path: string): readonly Mask[] {
  const kind = machine.facts(path)?.kind
  if (kind === undefined || kind === 'link') return []
  if (!machine.isReadable(path) && !path.startsWith('/proc/')) return []
  return [{ path, kind: kind === 'directory' ? 'directory' : 'file' }]
}

function presence(machine: Machine, path: string): 'file' | 'directory' | 'absent' | 'other' {
  const kind = machine.facts(path)?.kind
  if (kind === undefined) return 'absent'
  return kind === 'file' || kind === 'directory' ? kind : 'other'
}
