/** Named starting points of a policy (pipeline.md §7); every other key of the document overrides its own. */

import type { PolicyInput } from '../contract/policy.js'
import { ConfigError } from '../core/errors.js'
import type { JsonObject } from '../core/json.js'
import { nearest } from './nearest.js'

type ProfileName = NonNullable<PolicyInput['profile']>

const PROFILES: { readonly [N in ProfileName]: JsonObject } = {
  'terminal.default': {
    workMode: 'full',
    network: 'grant',
    toolApproval: 'accept_all',
    approvalResponse: 'prompt',
    sandbox: { mode: 'workspace_write', onUnavailable: 'ask_host' },
  },
  'terminal.plan': {
    workMode: 'plan',
    network: 'off',
    toolApproval: 'accept_all',
    approvalResponse: 'never',
    sandbox: { onUnavailable: 'deny' },
  },
  'terminal.auto': {
    workMode: 'rw',
    network: 'off',
    toolApproval: 'accept_all',
    approvalResponse: 'never',
    sandbox: { mode: 'workspace_write', onUnavailable: 'deny' },
  },
  unrestricted: {
    workMode: 'full',
    network: 'on',
    toolApproval: 'accept_all',
    approvalResponse: 'prompt',
  },
}

export const PROFILE_NAMES: readonly string[] = Object.keys(PROFILES)

/** The document with its profile written out. Throws `ConfigError` for a name that is none. */
export function withProfile({ profile, ...document }: JsonObject): JsonObject {
  if (profile === undefined) return document
  if (typeof profile !== 'string' || !isProfile(profile)) {
    throw new ConfigError('invalid_value', 'an unknown profile', {
      path: ['profile'],
      allowed: PROFILE_NAMES,
      suggestion: typeof profile === 'string' ? nearest(profile, PROFILE_NAMES) : undefined,
    })
  }
  const { workMode, ...rest } = PROFILES[profile]
  // Both keys state the one set.
  const statesSet = 'workMode' in document || 'capabilities' in document
  return { ...(statesSet || workMode === undefined ? {} : { workMode }), ...rest, ...document }
}

function isProfile(name: string): name is ProfileName {
  return Object.hasOwn(PROFILES, name)
}
