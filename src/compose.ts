/** Checks the options of `createSixgate` and wires the parts; touches the disk only to resolve paths. */

import type { Policy } from './contract/policy.js'
import type { SixgateOptions, Store } from './contract/session.js'
import { ConfigError } from './core/errors.js'
import type { Roots } from './core/facts.js'
import { PLATFORMS, type Platform } from './core/guarantee.js'
import type { IdSource } from './core/ids.js'
import { toolRegistry } from './enforce/call/registry.js'
import { eventHub } from './enforce/events.js'
import { workspaceId } from './enforce/session.js'
import type { Surroundings } from './enforce/surroundings.js'
import { systemClock, type Clock } from './platform/clock.js'
import { homeFolder, platformName, temporaryFolder } from './platform/folders.js'
import { nodeFiles } from './platform/files.js'
import { systemIds } from './platform/ids.js'
import { nodePathResolver } from './platform/node-path-resolver.js'
import type { PathResolver } from './platform/path-resolver.js'
import { systemPrograms, type Programs } from './platform/programs.js'
import { bindPolicy, leadingFolders } from './policy/bind.js'
import { asWorkspaceSource, isPolicy } from './policy/compile.js'
import type { EffectivePolicy, PolicyAxes } from './policy/effective-policy.js'
import { reviseAxes } from './policy/revision.js'
import { unite } from './policy/unite.js'
import { profileOf } from './sandbox/profile.js'
import { createSandboxRunner, type SandboxRunner } from './sandbox/runner.js'
import type { SandboxDriver } from './contract/sandbox.js'
import { refusedWorkspace } from './sandbox/workspace.js'
import { memoryStore } from './store/memory.js'

/** What differs between a real process and a test. */
export interface Ports {
  readonly clock: Clock
  readonly ids: IdSource
  readonly paths: PathResolver
  readonly programs: Programs
  readonly home: string
  readonly temporary: readonly string[]
  readonly platform: Platform
  readonly sandbox: (driver: SandboxDriver | null) => SandboxRunner
}

/** Everything that `build` needs. */
export interface Parts {
  readonly around: Surroundings
  readonly store: Store
  readonly policies: readonly Policy[]
  /** Relabels policies that a session could write (H-01, H-02). */
  readonly classify: (policies: readonly Policy[]) => readonly Policy[]
  /** Throws `ConfigError`; then the policy in force stays. */
  readonly bind: (policies: readonly Policy[], count: number) => EffectivePolicy
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
    sandbox: (driver) => createSandboxRunner(driver),
  }
}

export function compose(options: SixgateOptions, ports: Ports): Parts {
  const roots = rootsOf(options, ports)
  const given = Array.isArray(options.policy)
    ? (options.policy as readonly Policy[])
    : [options.policy as Policy]
  const classify = (policies: readonly Policy[]): readonly Policy[] =>
    policies.map((policy) => classified(policy, roots, ports))
  const policies = classify(given)
  const store = options.store ?? memoryStore()
  const controlPlane = controlPlaneOf(store, policies, roots, ports)
  const sandbox = ports.sandbox(options.sandbox ?? null)
  const parts: Parts = {
    around: {
      roots,
      controlPlane,
      clock: ports.clock,
      ids: ports.ids,
      paths: ports.paths,
      programs: ports.programs,
      tools: toolRegistry(options.tools),
      sandbox,
      responder: responderOf(options),
      events: eventHub(),
      pause: () => new Promise((resolve) => setImmediate(resolve)),
      files: nodeFiles(),
    },
    store,
    policies,
    classify,
    bind: (united, count) => bind(united, { count, roots, ports, controlPlane, sandbox }),
  }
  parts.bind(policies, 1) // a policy that cannot be bound is refused here, not in the first session
  return parts
}

function rootsOf({ workspace }: SixgateOptions, ports: Ports): Roots {
  const home = realPath(ports.home, ports)
  const real = typeof workspace === 'string' ? realPath(workspace, ports) : ''
  const refusal = real === '' ? 'it is no path' : refusedWorkspace(real, home)
  if (refusal !== null) {
    throw new ConfigError('workspace_refused', `the workspace is refused: ${refusal}`, {
      path: ['workspace'],
      suggestion: 'give the folder of one project',
    })
  }
  const temporary = ports.temporary.map((folder) => realPath(folder, ports))
  return { workspace: real, home, temporary, platform: ports.platform }
}

/** A policy file that a session could write is a `workspace` source, whatever it was loaded as. */
function classified(policy: Policy, { workspace }: Roots, ports: Ports): Policy {
  if (!isPolicy(policy)) {
    throw new ConfigError(
      'invalid_option',
      'the policy was not made by definePolicy or loadPolicy',
      {
        path: ['policy'],
      },
    )
  }
  if (policy.file === null) return policy
  return isInside(realPath(policy.file, ports), workspace) ? asWorkspaceSource(policy) : policy
}

/** Real paths that no call may touch, and that must not lie where a session writes (H-02). */
function controlPlaneOf(
  store: Store,
  policies: readonly Policy[],
  { workspace }: Roots,
  ports: Ports,
): readonly string[] {
  const folder = store.folder(workspaceId(workspace))
  const ledger = folder === null ? [] : [realPath(folder, ports)]
  for (const path of ledger) refuseExposed(path, workspace)
  const files = policies.flatMap((policy) => (policy.file === null ? [] : [policy.file]))
  return [...ledger, ...files.map((file) => realPath(file, ports))]
}

interface Binding {
  readonly count: number
  readonly roots: Roots
  readonly ports: Ports
  readonly controlPlane: readonly string[]
  readonly sandbox: SandboxRunner
}

function bind(policies: readonly Policy[], binding: Binding): EffectivePolicy {
  const { count, roots, ports, controlPlane } = binding
  const axes = unite(policies)
  const real = new Map<string, string>()
  for (const folder of leadingFolders(axes, roots)) real.set(folder, realPath(folder, ports))
  const { writable, readable } = openFolders(axes, binding)
  for (const path of controlPlane) {
    for (const folder of writable) refuseExposed(path, folder)
  }
  return { ...bindPolicy(axes, reviseAxes(axes, count), roots, real), writable, readable }
}

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

function refuseExposed(path: string, folder: string): void {
  if (!isInside(path, folder)) return
  throw new ConfigError(
    'control_plane_exposed',
    "the library's own files lie where a session writes",
    {
      path: ['store'],
      suggestion: 'keep the ledger outside the workspace and outside `sandbox.writable`',
    },
  )
}

function responderOf({ responder }: SixgateOptions): Surroundings['responder'] {
  if (responder === undefined) return null
  if (responder === 'suspend') return responder
  const ask: unknown = Reflect.get(Object(responder) as object, 'ask')
  if (typeof ask === 'function') return responder
  throw new ConfigError('invalid_option', 'the responder has no `ask`', { path: ['responder'] })
}

function realPath(path: string, { paths }: Ports): string {
  const resolution = paths.resolveNow(path)
  if (resolution.status === 'resolved') return resolution.real
  throw new ConfigError('invalid_option', `the path \`${path}\` cannot be resolved`, {
    cause: resolution.cause,
  })
}

function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`)
}
