/** From a policy's sandbox axis to what a driver is asked to enforce (sandbox.md §1, pipeline.md §2). */

import type { SandboxProfile } from '../contract/sandbox.js'
import { SandboxError } from '../core/errors.js'
import type { Roots } from '../core/facts.js'
import type { SandboxAxis } from '../policy/effective-policy.js'
import { absolutePath } from './paths.js'

/** What a profile is made from. */
export interface ProfileInput {
  readonly axis: SandboxAxis
  readonly roots: Roots
  /** Whether the policy grants `fs.write`. */
  readonly canWrite: boolean
  /** Real paths that no command sees: the control plane, credential stores. */
  readonly hidden: readonly string[]
}

/** The profile of one session. A policy without `fs.write` is read-only whatever its axis says. */
export function profileOf(input: ProfileInput): SandboxProfile {
  const { axis, roots } = input
  return {
    fileSystem: {
      mode: input.canWrite ? axis.mode : 'read_only',
      workspace: roots.workspace,
      writable: axis.writable.flatMap((path) => placed(path, roots)),
      readable: axis.readable.flatMap((path) => placed(path, roots)),
      hidden: [...input.hidden],
      ...openings(axis),
    },
    network: 'none',
    environment: { pass: [...axis.environment.pass] },
    limits: { ...axis.limits },
  }
}

/** What the axis opens, and no key for what it does not: a profile's digest stays the same without. */
export function openings({
  git,
  packageStores,
  scratch,
}: Pick<SandboxAxis, 'git' | 'packageStores' | 'scratch'>): Pick<
  SandboxProfile['fileSystem'],
  'git' | 'packageStores' | 'scratch'
> {
  return {
    ...(git === undefined ? {} : { git }),
    ...(packageStores === undefined ? {} : { packageStores }),
    ...(scratch === undefined ? {} : { scratch }),
  }
}

/** An entry of the axis as absolute paths. */
function placed(path: string, roots: Roots): readonly string[] {
  if (path === '@workspace') return [roots.workspace]
  if (path === '@home') return [roots.home]
  if (path === '@tmp') return roots.temporary
  if (path === '~') return [roots.home]
  if (path.startsWith('~/')) return [absolutePath(path.slice(2), roots.home)]
  if (!/^[@~]/.test(path)) return [absolutePath(path, roots.workspace)]
  throw new SandboxError(
    'setup_failed',
    `\`${path}\` is not a folder that a sandbox can open`,
    'name an absolute folder, one below `~/`, or one relative to the workspace',
  )
}
