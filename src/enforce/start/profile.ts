/** The boundary that a policy asks for in one workspace (sandbox.md §1). */

import type { SandboxProfile } from '../../contract/sandbox.js'
import type { ToolCall } from '../../core/call.js'
import { grantRequest } from '../../pipeline/grant-request.js'
import type { EffectivePolicy } from '../../policy/effective-policy.js'
import { permitsHost } from '../../policy/rules/hosts.js'
import type { Surroundings } from '../surroundings.js'

/** A policy without `fs.write` reads only, whatever its sandbox axis says; the network is the call's grant or none. */
export function sandboxProfile(
  policy: EffectivePolicy,
  call: ToolCall,
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
    network: networkOf(policy, call),
    environment,
    limits,
  }
}

/** Only what the call asked for, and only while the policy permits that host. */
function networkOf({ axes }: EffectivePolicy, call: ToolCall): SandboxProfile['network'] {
  const grant = grantRequest(call)
  return grant !== null && permitsHost(axes.network, grant.host) ? { grant } : 'none'
}
