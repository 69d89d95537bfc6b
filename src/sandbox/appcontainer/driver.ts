/** The Windows driver, experimental: an AppContainer without capabilities, in a job (sandbox.md §6). */

import type { ProbeReport, SandboxDriver } from '../../contract/sandbox.js'
import { SandboxError } from '../../core/errors.js'
import type { Machine } from '../../platform/machine.js'
import type { Dialogue } from '../../platform/process/dialogue.js'
import type { Confinement } from '../../platform/process/pipes.js'
import type { GuardedRequest } from '../protection/guard.js'
import { unavailableReport } from '../report.js'
import { BROKER_ARGS } from './bootstrap.js'
import { BROKER_SOURCE } from './broker/source.js'
import { encodeInput, listenToBroker } from './conversation.js'
import { encodeFrame, joined } from './frames.js'
import { checkLauncher, programFilesOf } from './launcher.js'
import { drivePath, isOnDrive } from './paths.js'
import { probeAppcontainer } from './probe.js'
import { encodeFields, requestFields } from './request.js'

/** What the driver works with. */
export interface AppcontainerOptions {
  readonly machine: Machine
  readonly launcher?: string | undefined
}

/**
 * Confines by a container, access entries and a job, each command by a broker of its own. The first
 * broker compiles and tests; what it compiled serves the later ones from memory.
 */
export function appcontainer({ machine, launcher }: AppcontainerOptions): SandboxDriver {
  const keep = (assembly: Uint8Array): void => {
    broker = { assembly, listen: LATER }
  }
  const expected = { compiles: true, tests: true, keep }
  const first: Broker = { assembly: null, listen: (hear) => listenToBroker(expected, hear) }
  let broker = first
  let kept: { readonly key: string; readonly report: Promise<ProbeReport> } | undefined
  const confine = (request: GuardedRequest): Confinement => {
    const path = trusted(machine, launcher)
    refuseWritable(path, request)
    return confineWith(path, request, { machine, broker })
  }
  return {
    name: 'appcontainer',
    platform: 'win32',
    status: 'dialogue',
    confine,
    probe() {
      const check = checkLauncher(machine, launcher)
      if (check.status === 'refused' || machine.architecture === 'other') {
        const { message, remedy } = check.status === 'refused' ? check.error : PROCESSOR
        return Promise.resolve(unavailableReport({ cause: message, remedy }))
      }
      const key = `${check.identity} ${machine.user}`
      // Another PowerShell: what an earlier one compiled and tested says nothing.
      if (kept?.key !== key) {
        broker = first
        kept = { key, report: probeAppcontainer(machine, confine) }
      }
      return kept.report
    },
  }
}

/** The broker as this process knows it: to be compiled and tested, or compiled and tested before. */
interface Broker {
  readonly assembly: Uint8Array | null
  readonly listen: Dialogue['listen']
}

const LATER: Dialogue['listen'] = (hear) => listenToBroker({ compiles: false, tests: false }, hear)

function confineWith(
  file: string,
  request: GuardedRequest,
  { machine, broker }: { readonly machine: Machine; readonly broker: Broker },
): Confinement {
  const { assembly, listen } = broker
  const home = programFilesOf(machine)
  const program = assembly === null ? encodeFrame('C', SOURCE) : encodeFrame('B', assembly)
  const fields = requestFields(request, home)
  const asked = encodeFields([...fields, ['self_tested', assembly === null ? 'no' : 'yes']])
  return {
    file,
    args: BROKER_ARGS,
    environment: brokerEnvironment(machine),
    cwd: `${home.slice(0, 2)}\\`,
    pipes: [],
    dialogue: { opening: joined(program, encodeFrame('Q', asked)), input: encodeInput, listen },
  }
}

const SOURCE = new TextEncoder().encode(BROKER_SOURCE)

const PROCESSOR = new SandboxError(
  'unsupported_platform',
  'the structures of the driver are those of 64-bit Windows',
  'run a 64-bit Node on x64 or arm64',
)

function trusted(machine: Machine, launcher: string | undefined): string {
  const check = checkLauncher(machine, launcher)
  if (check.status === 'refused') throw check.error
  if (machine.architecture === 'other') throw PROCESSOR
  return check.path
}

function refuseWritable(launcher: string, { profile }: GuardedRequest): void {
  const { workspace, writable } = profile.fileSystem
  const roots = [workspace, ...writable].map((path) => drivePath(path))
  if (!roots.some((root) => isOnDrive(launcher, root))) return
  throw new SandboxError(
    'untrusted_launcher',
    'PowerShell lies inside a folder that commands can write',
    'work in a folder of a project',
  )
}

/** What .NET itself needs. No variable that loads code into it is passed, and none that it reports home by. */
function brokerEnvironment({ environment }: Machine): Readonly<Record<string, string>> {
  const passed = Object.entries(environment).filter(([name]) => NEEDED.includes(name.toUpperCase()))
  return {
    ...Object.fromEntries(passed),
    POWERSHELL_TELEMETRY_OPTOUT: '1',
    POWERSHELL_UPDATECHECK: 'Off',
    DOTNET_CLI_TELEMETRY_OPTOUT: '1',
  }
}

const NEEDED: readonly string[] = [
  'SYSTEMROOT',
  'SYSTEMDRIVE',
  'WINDIR',
  'TEMP',
  'TMP',
  'USERPROFILE',
  'LOCALAPPDATA',
  'APPDATA',
  'PROGRAMDATA',
]
