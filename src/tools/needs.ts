/** How a tool states what one call needs (pipeline.md §3, api.md "tools"). Loads no shell parser. */

import { isCapability } from '../core/capability.js'
import { ConfigError } from '../core/errors.js'
import type { Need } from '../core/need.js'

/** One read need a path. */
export function reads(...paths: readonly string[]): Need[] {
  return paths.map((path) => ({ kind: 'path', access: 'read', path }))
}

/** One write need a path. */
export function writes(...paths: readonly string[]): Need[] {
  return paths.map((path) => ({ kind: 'path', access: 'write', path }))
}

/** One need a capability; a name that is none throws `ConfigError`, which denies the call. */
export function requires(...capabilities: readonly string[]): Need[] {
  return capabilities.map((name) => {
    if (isCapability(name)) return { kind: 'capability', name }
    throw new ConfigError('unknown_capability', `\`${name}\` is no capability`)
  })
}
