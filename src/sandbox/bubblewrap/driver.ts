/** The Linux driver: namespaces, mounts and a system-call filter by bubblewrap (sandbox.md §4). */

import type { ProbeReport } from '../../contract/sandbox.js'
import { SandboxError } from '../../core/errors.js'
import { systemControlGroups } from '../../platform/control-group/control-group.js'
import type { Machine } from '../../platform/machine.js'
import type { Confinement } from '../../platform/process/pipes.js'
import {
  checkEntrance,
  entering,
  type EnteredRequest,
  type EntranceCheck,
} from '../grant/entrance.js'
import { grantNetworks, type GrantingDriver } from '../grant/networks.js'
import { withoutLimits, type LimitEnforcement } from '../limits/enforcement.js'
import { findLimits } from '../limits/find.js'
import { isInside } from '../paths.js'
import { unavailableReport } from '../report.js'
import { checkLauncher, LAUNCHER } from './launcher.js'
import { syscallFilter } from '../seccomp/filter.js'
import {
  bubblewrapOptions,
  FILTER_DESCRIPTOR,
  OPTIONS_DESCRIPTOR,
  STATUS_DESCRIPTOR,
} from './options.js'
import { probeBubblewrap } from './probe.js'
import { readSurroundings, type Surroundings } from './surroundings.js'

/** What the driver works with. */
export interface BubblewrapOptions {
  readonly machine: Machine
  readonly launcher?: string | undefined
  /** Absent: read from the machine at first use. */
  readonly surroundings?: Surroundings | undefined
  /** Absent: found by the probe. */
  readonly limits?: LimitEnforcement | undefined
  /** Hosts whose grants may lead to private addresses. */
  readonly privateHosts?: readonly string[] | undefined
}

/** Confines by namespaces, mounts and a system-call filter. The probe's answer is kept until the launcher changes. */
export function bubblewrap(options: BubblewrapOptions): GrantingDriver {
  const { machine } = options
  const launcher = options.launcher ?? LAUNCHER
  let known = options.surroundings
  let limits = options.limits
  let program: string | undefined
  // The file that was checked, not a link to it.
  const real = (): string => (program ??= machine.realPath(launcher) ?? launcher)
  const confine = (request: EnteredRequest): Confinement => {
    known ??= readSurroundings(machine)
    const command = entering(confineWith(real(), request, known), request)
    return (limits ?? NOT_PROBED).limited(command, request.profile.limits)
  }
  const probe = async (check: EntranceCheck): Promise<ProbeReport> => {
    limits ??= await findLimits(machine, systemControlGroups)
    const { shortfalls } = limits
    return probeBubblewrap(machine, { confine, networks, entrance: check, limits: shortfalls })
  }
  const entrance = (): EntranceCheck => checkEntrance(machine)
  const networks = grantNetworks({ launcher: real, entrance, privateHosts: options.privateHosts })
  return {
    name: 'bubblewrap',
    platform: 'linux',
    status: 'bubblewrap_json',
    confine,
    networks,
    probe: probing(machine, launcher, { entrance, probe }),
  }
}

/** Asks once, and again when a program that it depends on is another one. */
function probing(
  machine: Machine,
  launcher: string,
  {
    entrance,
    probe,
  }: {
    readonly entrance: () => EntranceCheck
    readonly probe: (way: EntranceCheck) => Promise<ProbeReport>
  },
): () => Promise<ProbeReport> {
  let kept: { readonly key: string; readonly report: Promise<ProbeReport> } | undefined
  return () => {
    const check = checkLauncher(machine, launcher)
    if (check.status === 'refused') {
      const { message, remedy } = check.error
      return Promise.resolve(unavailableReport({ cause: message, remedy }))
    }
    const way = entrance()
    const programs = `${check.identity} ${way.identity}`
    const key = `${programs} ${machine.user} ${containerMarker(machine)}`
    if (kept?.key !== key) kept = { key, report: probe(way) }
    return kept.report
  }
}

/** What holds until the probe has looked. */
const NOT_PROBED = withoutLimits('limits are not in force before the driver is probed')

function confineWith(
  launcher: string,
  request: EnteredRequest,
  surroundings: Surroundings,
): Confinement {
  refuseWritable([launcher, request.entrance?.program ?? launcher], request)
  const { words, files } = bubblewrapOptions(request, surroundings)
  refuseNul([...words, ...request.argv])
  const bytes = new TextEncoder().encode(words.map((word) => `${word}\0`).join(''))
  refuseLong(bytes)
  if (request.argv.length === 0) throw refused('the command is empty')
  return {
    file: launcher,
    args: ['--args', `${OPTIONS_DESCRIPTOR}`, '--', ...request.argv],
    // The launcher itself gets nothing: its messages stay English and no loader variable reaches it.
    environment: {},
    cwd: '/',
    pipes: [
      {
        descriptor: OPTIONS_DESCRIPTOR,
        direction: 'write',
        bytes,
      },
      { descriptor: STATUS_DESCRIPTOR, direction: 'read', purpose: 'status' },
      {
        descriptor: FILTER_DESCRIPTOR,
        direction: 'write',
        bytes: filterFor(surroundings, request),
      },
    ],
    files,
    last: FILTER_DESCRIPTOR,
  }
}

function refuseWritable(programs: readonly string[], { profile }: EnteredRequest): void {
  const { workspace, writable } = profile.fileSystem
  const roots = [workspace, ...writable]
  if (!programs.some((one) => roots.some((root) => isInside(one, root)))) return
  throw new SandboxError(
    'untrusted_launcher',
    'a launcher lies inside a folder that commands can write',
    'use the launcher of the system',
  )
}

function filterFor({ architecture }: Surroundings, { profile }: EnteredRequest): Uint8Array {
  const network = profile.network !== 'none'
  if (architecture !== 'other') return syscallFilter({ architecture, network })
  throw new SandboxError(
    'unsupported_platform',
    'the system-call filter exists for x86-64 and arm64 alone',
    'run on one of these processors, or hand in a driver of your own',
  )
}

// INVARIANT: the options fit into the pipe at once ("refuses options that a pipe cannot hold at once"): a
// host that dies while it writes must not leave a launcher with the first half of them.
function refuseLong(bytes: Uint8Array): void {
  if (bytes.length <= MOST_OPTION_BYTES) return
  throw new SandboxError(
    'setup_failed',
    'the paths of what is protected and secret in the workspace, with the environment, are too long',
    'work in a smaller folder, or give fewer variables',
  )
}

const MOST_OPTION_BYTES = 131_072

// INVARIANT: options are separated by NUL, so a NUL in one would be a new option (E-77).
function refuseNul(texts: readonly string[]): void {
  if (texts.some((text) => text.includes('\0'))) {
    throw refused('a path, variable or argument holds a NUL character')
  }
}

function refused(message: string): SandboxError {
  return new SandboxError('setup_failed', message, 'give a command and paths without NUL')
}

/** A probe in one container says nothing about another. */
function containerMarker(machine: Machine): string {
  const files = ['/.dockerenv', '/run/.containerenv'].map((path) => machine.facts(path)?.id ?? '-')
  return [...files, machine.environment['container'] ?? '-'].join(' ')
}
