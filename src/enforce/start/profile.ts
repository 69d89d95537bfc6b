/** The boundary that a policy asks for in one workspace (sandbox.md §1). */

import type { SandboxProfile } from '../../contract/sandbox.js'
import type { EffectivePolicy } from '../../policy/effective-policy.js'
import type { Surroundings } from '../surroundings.js'

/** A policy without `fs.write` reads only, whatever its sandbox axis says. */
export function sandboxProfile(
  policy: EffectivePolicy,
  { roots, controlPlane }: Pick<Surroundings, 'roots' | 'controlPlane'>,
): SandboxProfile {
  const { sandbox, capabilities } = policy.axes
  const { mode, environment, limits, git, packageStores, scratch } = sandbox
  return {
    fileSystem: {
      mode: capabilities.includes('fs.write') ? mode : 'read_only',
      workspace: roots.workspace,
      writable: policy.writable,
      readable: policy.readable,
      hidden: [...controlPlane],
      ...(git === undefined ? {} : { git }),
      ...(packageStores === undefined ? {} : { packageStores }),
      ...(scratch === undefined ? {} : { scratch }),
    },
    network: 'none',
    environment,
    limits,
  }
}
