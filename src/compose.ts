/** Checks the options of `createSixgate` and wires the parts; of the disk it only resolves paths and reads the list of trust. */

import type { Policy } from './contract/policy.js'
import type { SixgateOptions, Store } from './contract/session.js'
import { ConfigError } from './core/errors.js'
import type { Roots } from './core/facts.js'
import { PLATFORMS, type Platform } from './core/guarantee.js'
import type { IdSource } from './core/ids.js'
import { toolRegistry } from './enforce/call/registry.js'
import { eventHub } from './enforce/events.js'
import { hookRegister } from './enforce/guards/hook-register.js'
import { readOptions } from './options.js'
import { workspaceId } from './enforce/session.js'
import type { Surroundings } from './enforce/surroundings.js'
import { systemClock, type Clock } from './platform/clock.js'
import {
  homeFolder,
  isFolder,
  platformName,
  temporaryFolder,
  userName,
} from './platform/folders.js'
import { absolutePath } from './platform/disk/private-files.js'
import { fileDigest } from './platform/disk/file-digest.js'
import { nodeFiles } from './platform/files.js'
import { systemIds } from './platform/ids.js'
import { nodePathResolver } from './platform/node-path-resolver.js'
import type { PathResolver } from './platform/path-resolver.js'
import { systemPrograms, type Programs } from './platform/programs.js'
import { bindPolicy, leadingFolders } from './policy/bind.js'
import type { EffectivePolicy, PolicyAxes } from './policy/effective-policy.js'
import { reviseAxes } from './policy/revision.js'
import { foldForSuspicion } from './policy/rules/compare.js'
import { normalFolder } from './policy/rules/path-forms.js'
import { unite } from './policy/unite.js'
import { placeOf } from './sandbox/elsewhere/place.js'
import { profileOf } from './sandbox/profile.js'
import { createSandboxRunner, type SandboxRunner } from './sandbox/runner.js'
import type { SandboxDriver } from './contract/sandbox.js'
import { refusedWorkspace } from './sandbox/workspace.js'
import { memoryStore } from './store/memory.js'
import { ownTrustFile, sourced } from './trusted-policies.js'
import { folderOf, makeTrustFolder } from './platform/trust-file.js'
import type { Language } from './words/language.js'
import { wordsIn } from './words/speak.js'

/** What differs between a real process and a test. */
export interface Ports {
  readonly clock: Clock
  readonly ids: IdSource
  readonly paths: PathResolver
  readonly programs: Programs
  readonly home: string
  readonly temporary: readonly string[]
  readonly platform: Platform
  /** True for a folder that is there, links followed. */
  readonly isFolder: (path: string) => boolean
  /** Who this process runs as. */
  readonly principal: string
  /** Where the list of trusted policy files really is; `null` for none. */
  readonly trustFile: () => string | null
  readonly sandbox: (driver: SandboxDriver | null) => SandboxRunner
}

/** Everything that `build` needs. */
export interface Parts {
  readonly around: Surroundings
  /** Loaded before the first session. */
  readonly language: Language
  readonly store: Store
  /** Which ledger of the store the runs are in. */
  readonly ledgerId: string
  /** The axes of the policies that the host gave. */
  readonly given: () => PolicyAxes
  /** Several policies as one; one that a session could write is a `workspace` source (H-01, H-02). */
  readonly unite: (policies: readonly Policy[]) => PolicyAxes
  /** Throws `ConfigError`; then the policy in force stays. */
  readonly bind: (axes: PolicyAxes, place: BindingPlace) => EffectivePolicy
}

/** Which policy of a session is bound. */
export interface BindingPlace {
  readonly count: number
  readonly isDelegated: boolean
}

/** The ports of this process. */
export function systemPorts(): Ports {
  return {
    clock: systemClock(),
    ids: systemIds(),
    paths: nodePathResolver(),
    programs: systemPrograms(),
    home: homeFolder(),
    temporary: [temporaryFolder()],
    // Where no driver exists paths compare as on Linux and commands have no sandbox.
    platform: PLATFORMS.find((name) => name === platformName()) ?? 'linux',
    isFolder,
    principal: userName(),
    trustFile: ownTrustFile,
    sandbox: (driver) => createSandboxRunner(driver),
  }
}

export function compose(
  options: SixgateOptions,
  ports: Ports,
  ledgerOf: (workspace: string) => string = workspaceId,
): Parts {
  const read = readOptions(options)
  const place = placedBy(read.sandbox, ports)
  const [roots, store] = [rootsOf(read.workspace, place.ports), read.store ?? memoryStore()]
  const [ledgerId, sandbox] = [ledgerOf(roots.workspace), ports.sandbox(read.sandbox)]
  const binding = bindingOf({ roots, place, ports, sandbox }, store.folder(ledgerId))
  const { controlPlane } = binding
  const classify = (policies: readonly Policy[]): readonly Policy[] => {
    // Never taken out again: a file that was a policy once may be loaded once more.
    controlPlane.push(...filesOf(policies, ports).filter((file) => !controlPlane.includes(file)))
    return classified(policies, binding)
  }
  const axes = unite(classify(read.policies))
  const parts: Parts = {
    around: speaking(read.language, {
      roots,
      controlPlane,
      ...processOf(place),
      tools: toolRegistry(read.tools),
      sandbox,
      ...listening(roots, read.responder),
    }),
    language: read.language,
    store,
    ledgerId,
    given: () => axes,
    unite: (policies) => unite(classify(policies)),
    bind: (united, place) => bind(united, place, binding),
  }
  // A policy that cannot be bound is refused here, not in the first session.
  parts.bind(axes, { count: 1, isDelegated: false })
  return parts
}

/** Who hears of calls: observers afterwards, hooks before, the responder in between. */
function listening(
  roots: Roots,
  responder: Surroundings['responder'],
): Pick<Surroundings, 'events' | 'hooks' | 'responder'> {
  return { events: eventHub(), hooks: hookRegister(roots), responder }
}

/** A language is loaded before the first session; what is said until then is English. */
function speaking(language: Language, around: Omit<Surroundings, 'words'>): Surroundings {
  return {
    ...around,
    get words() {
      return wordsIn(language)
    },
  }
}

/** What calls act on. */
interface Placed extends Pick<Surroundings, 'files' | 'digest'> {
  readonly ports: Ports
}

/** This machine, unless the driver's workspace lies elsewhere: then nothing here is asked about a path (S1-14). */
function placedBy(driver: SandboxDriver | null, ports: Ports): Placed {
  const { files = nodeFiles(), digest = fileDigest, ports: there } = placeOf(driver) ?? {}
  return { ports: { ...ports, ...there }, files, digest }
}

/** What sessions take from the process as it is. */
function processOf({ ports, files, digest }: Placed): ProcessParts {
  const { principal, clock, ids, paths, programs } = ports
  return {
    principal,
    clock,
    ids,
    paths,
    programs,
    files,
    digest,
    pause: () => new Promise((resolve) => setImmediate(resolve)),
  }
}

type ProcessParts = Pick<
  Surroundings,
  'principal' | 'clock' | 'ids' | 'paths' | 'programs' | 'files' | 'digest' | 'pause'
>

function rootsOf(workspace: string, ports: Ports): Roots {
  const home = realPath(ports.home, ports)
  const isWhole = ports.platform === 'win32' && /^(?:[A-Za-z]:|[\\/])[\\/]/.test(workspace)
  const whole = isWhole ? workspace : absolutePath(workspace)
  const real = workspace === '' ? '' : realPath(whole, ports)
  const refusal =
    real === '' || !ports.isFolder(real) ? 'it is no folder' : refusedWorkspace(real, home)
  if (refusal !== null) {
    throw new ConfigError('workspace_refused', `the workspace is refused: ${refusal}`, {
      path: ['workspace'],
      suggestion: 'give the folder of one project',
    })
  }
  const temporary = ports.temporary.map((folder) => realPath(folder, ports))
  return { workspace: real, home, temporary, platform: ports.platform }
}

/** A policy whose file a session could write is a `workspace` source, whatever it was loaded as (H-01, H-02). */
function classified(policies: readonly Policy[], binding: Binding): readonly Policy[] {
  const { workspace, platform } = binding.roots
  const written = [workspace, ...openFolders(unite(policies), binding).writable]
  const isWritten = (path: string): boolean =>
    written.some((folder) => mayLieIn(folder, path, platform))
  return policies.map((policy) => {
    if (policy.file === null) return policy
    return sourced(policy, {
      real: realPath(policy.file, binding.ports),
      isWritten,
      list: binding.trust,
    })
  })
}

/** The list of trusted policy files, at its real place; a session that could write it could trust itself (H-02). */
function trustOf({ workspace, platform }: Roots, { trustFile }: Ports): string | null {
  const file = trustFile()
  if (file !== null) refuseExposed(file, workspace, platform)
  return file
}

/** What policies are bound with; `ledger` is the folder of the records, which lies where no session writes (H-02). */
function bindingOf(
  parts: Pick<Binding, 'roots' | 'place' | 'ports' | 'sandbox'>,
  folder: string | null,
): Binding & { readonly controlPlane: string[] } {
  const { roots, ports } = parts
  const trust = trustOf(roots, ports)
  const ledger = folder === null ? [] : [realPath(folder, ports)]
  for (const path of ledger) refuseExposed(path, roots.workspace, roots.platform)
  const own = trust === null ? ledger : [...ledger, folderOf(trust)]
  return { ...parts, own, trust, controlPlane: [...own] }
}

function filesOf(policies: readonly Policy[], ports: Ports): readonly string[] {
  return policies.flatMap(({ file }) => (file === null ? [] : [realPath(file, ports)]))
}

interface Binding {
  readonly roots: Roots
  /** Where the workspace lies. */
  readonly place: Placed
  /** Of this machine: policies, records and the list of trust lie here wherever the workspace does. */
  readonly ports: Ports
  /** The ledger and the folder of the list of trusted policy files. */
  readonly own: readonly string[]
  /** The list of trusted policy files. */
  readonly trust: string | null
  /** Those and the files of every policy so far. */
  readonly controlPlane: readonly string[]
  readonly sandbox: SandboxRunner
}

function bind(axes: PolicyAxes, place: BindingPlace, binding: Binding): EffectivePolicy {
  const { roots, place: workspace, own } = binding
  refuseUncounted(axes)
  const real = new Map<string, string>()
  for (const folder of leadingFolders(axes, roots)) {
    real.set(folder, realPath(folder, workspace.ports))
  }
  const { writable, readable } = openFolders(axes, binding)
  // What is not there cannot be covered, and then a command of an open sandbox could put it there.
  if (axes.sandbox.mode === 'open' && binding.trust !== null) makeTrustFolder(binding.trust)
  for (const path of own) {
    for (const folder of writable) refuseExposed(path, folder, roots.platform)
  }
  const bound = bindPolicy(axes, reviseAxes(axes, place.count), roots, real)
  return { ...bound, writable, readable, isDelegated: place.isDelegated }
}

/** Limits that this version does not count yet are refused, not ignored: a limit that is stated holds. */
function refuseUncounted({ budgets }: PolicyAxes): void {
  const stated = UNCOUNTED.find((name) => budgets[name] !== null)
  if (stated === undefined) return
  throw new ConfigError('invalid_option', `this version does not count \`${stated}\` yet`, {
    path: ['budgets', stated],
    suggestion: 'remove the limit, or enforce it in the host',
  })
}

const UNCOUNTED = [
  'actionsPerHour',
  'costPerDay',
  'costPerMonth',
  'treeIterations',
  'evaluationsPerMinute',
] as const

/** The sandbox axis' extra roots, their links followed once: what becomes a link later grants nothing. */
function openFolders(
  { sandbox: axis, capabilities }: PolicyAxes,
  { roots, controlPlane, sandbox }: Binding,
): { readonly writable: readonly string[]; readonly readable: readonly string[] } {
  const canWrite = capabilities.includes('fs.write')
  try {
    return sandbox.resolve(profileOf({ axis, roots, canWrite, hidden: controlPlane })).fileSystem
  } catch (cause) {
    // A boundary that cannot be drawn is no boundary: nothing is built.
    throw new ConfigError('workspace_refused', 'the workspace cannot be confined', {
      path: ['workspace'],
      cause,
    })
  }
}

function refuseExposed(path: string, folder: string, platform: Platform): void {
  if (!mayLieIn(folder, path, platform)) return
  throw new ConfigError(
    'control_plane_exposed',
    "the library's own files lie where a session writes",
    {
      path: ['store'],
      suggestion:
        'keep the ledger and the state directory outside the workspace and `sandbox.writable`',
    },
  )
}

function realPath(path: string, { paths, platform }: Ports): string {
  const resolution = paths.resolveNow(path)
  // In the one spelling that paths are compared in, also where `\\` separates.
  if (resolution.status === 'resolved') return normalFolder(resolution.real, platform)
  throw new ConfigError('invalid_option', `the path \`${path}\` cannot be resolved`, {
    cause: resolution.cause,
  })
}

/** Where volumes usually take several spellings for one name, any of them may be the folder. */
function mayLieIn(folder: string, path: string, platform: Platform): boolean {
  const [outer, inner] =
    platform === 'linux' ? [folder, path] : [foldForSuspicion(folder), foldForSuspicion(path)]
  return inner === outer || inner.startsWith(outer.endsWith('/') ? outer : `${outer}/`)
}
