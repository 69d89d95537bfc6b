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

/**
 * The host of an http or https URL, with port and path. Of anything else nobody knows what it reaches:
 * the need is an unknown host, and beside it any host that the text may mean, so that a deny finds it.
 */
export function reaches(url: string): Need[] {
  const parsed = parse(url)
  const known = parsed === null ? [] : hostNeeds(parsed)
  if (parsed !== null && parsed.protocol in DEFAULT_PORTS && known.length > 0) return known
  const guessed = known.length > 0 ? known : hostNeeds(parse(`http://${url}`))
  return [{ kind: 'host', host: null }, ...guessed]
}

/** One need a capability; a name that is none throws `ConfigError`, which denies the call. */
export function requires(...capabilities: readonly string[]): Need[] {
  return capabilities.map((name) => {
    if (isCapability(name)) return { kind: 'capability', name }
    throw new ConfigError('unknown_capability', `\`${name}\` is no capability`)
  })
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 }

function parse(url: string): URL | null {
  return URL.canParse(url) ? new URL(url) : null
}

function hostNeeds(url: URL | null): Need[] {
  // `example.com.` reaches the same server as `example.com`: one spelling, or a deny would miss it.
  const host = withoutDots(url?.hostname.toLowerCase() ?? '')
  if (url === null || host === '') return []
  const port = url.port === '' ? DEFAULT_PORTS[url.protocol] : Number(url.port)
  const need = { kind: 'host', host, path: url.pathname } as const
  return [port === undefined ? need : { ...need, port }]
}

function withoutDots(host: string): string {
  let end = host.length
  while (host.charAt(end - 1) === '.') end -= 1
  return host.slice(0, end)
}
