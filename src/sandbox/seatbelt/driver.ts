/** The macOS driver: a Seatbelt profile by sandbox-exec (sandbox.md §5). */

import type { ConfinedCommand, ProbeReport, SandboxDriver } from '../../contract/sandbox.js'
import { SandboxError } from '../../core/errors.js'
import type { Machine } from '../../platform/machine.js'
import { rehome } from '../environment.js'
import { isInside } from '../paths.js'
import { unavailableReport } from '../report.js'
import { checkLauncher, LAUNCHER } from './launcher.js'
import { probeSeatbelt } from './probe.js'
import { profileText } from './profile-text.js'
import { startWords, STATUS_DESCRIPTOR } from './starter.js'
import { readSurroundings, type Surroundings } from './surroundings.js'
import { planView, type SeatbeltRequest } from './view.js'

/** What the driver works with. */
export interface SeatbeltOptions {
  readonly machine: Machine
  readonly launcher?: string | undefined
  /** Absent: read from the machine at first use. */
  readonly surroundings?: Surroundings | undefined
}

/** Confines by a profile. The probe's answer is kept until the launcher changes. */
export function seatbelt(options: SeatbeltOptions): SandboxDriver {
  const { machine } = options
  let known = options.surroundings
  let kept: { readonly key: string; readonly report: Promise<ProbeReport> } | undefined
  const check = (): ReturnType<typeof checkLauncher> =>
    checkLauncher(machine, options.launcher ?? LAUNCHER)
  const confine = (request: SeatbeltRequest): ConfinedCommand => {
    const launcher = check()
    if (launcher.status === 'refused') throw launcher.error
    known ??= readSurroundings(machine)
    return confineWith(launcher.path, request, known)
  }
  return {
    name: 'seatbelt',
    platform: 'darwin',
    status: 'exec_json',
    confine,
    probe() {
      const launcher = check()
      if (launcher.status === 'refused') {
        const { message, remedy } = launcher.error
        return Promise.resolve(unavailableReport({ cause: message, remedy }))
      }
      const key = `${launcher.identity} ${machine.user}`
      if (kept?.key !== key) kept = { key, report: probeSeatbelt(machine, confine) }
      return kept.report
    },
  }
}

function confineWith(
  launcher: string,
  request: SeatbeltRequest,
  surroundings: Surroundings,
): ConfinedCommand {
  const { profile, argv, cwd, guard, scratch } = request
  refuseWritable(launcher, request)
  if (guard === undefined) throw NOT_SEARCHED
  if (argv.length === 0) throw refused('the command is empty')
  const { text, parameters } = profileText(planView({ profile, guard, surroundings, scratch }))
  const given = parameters.flatMap(({ name, value }) => ['-D', `${name}=${value}`])
  const args = ['-p', text, ...given, '--', ...startWords(argv)]
  const environment = environmentOf(request)
  refuseNul([...args, cwd, ...Object.entries(environment).flat()])
  refuseLong(args.slice(0, -argv.length))
  return {
    file: launcher,
    args,
    environment,
    cwd,
    pipes: [{ descriptor: STATUS_DESCRIPTOR, direction: 'read', purpose: 'status' }],
  }
}

/** Empty and nobody's; part of macOS. */
const NOWHERE = '/var/empty'

function environmentOf({ environment, scratch }: SeatbeltRequest): ConfinedCommand['environment'] {
  const home = scratch ?? NOWHERE
  // The launcher gets it as well: what would load a library into it never reaches it.
  const harmless = Object.entries(environment).filter(([name]) => !/^DYLD_/i.test(name))
  return rehome(Object.fromEntries(harmless), home, home)
}

function refuseWritable(launcher: string, { profile }: SeatbeltRequest): void {
  const { workspace, writable } = profile.fileSystem
  if (![workspace, ...writable].some((root) => isInside(launcher, root))) return
  throw new SandboxError(
    'untrusted_launcher',
    'sandbox-exec lies inside a folder that commands can write',
    'use the launcher of the system',
  )
}

/** A workspace that nobody looked at may hold what must not change. */
const NOT_SEARCHED = new SandboxError(
  'setup_failed',
  'the workspace was not searched for what must be protected',
  'run commands through a sandbox handle or a session',
)

// INVARIANT: a NUL would end the text of a profile in the middle ("refuses NUL wherever it stands").
function refuseNul(texts: readonly string[]): void {
  if (texts.some((text) => text.includes('\0'))) {
    throw refused('a path, variable or argument holds a NUL character')
  }
}

/** macOS takes a mebibyte of words with the environment; the command needs its part. */
const MOST_PROFILE_BYTES = 524_288

function refuseLong(words: readonly string[]): void {
  const bytes = new TextEncoder().encode(words.join('\0'))
  if (bytes.length <= MOST_PROFILE_BYTES) return
  throw new SandboxError(
    'setup_failed',
    'the workspace holds too many protected paths and secrets, or their names are too long',
    'work in a smaller folder',
  )
}

function refused(message: string): SandboxError {
  return new SandboxError('setup_failed', message, 'give a command and paths without NUL')
}
