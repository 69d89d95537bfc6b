/** Hosts: one canonical spelling, exact patterns and `*.example.com` (rules.md §1, pipeline.md §2). */

import { canonicalHost } from '../../core/names/host.js'
import type { HostSubject } from '../../core/subject.js'
import type { NetworkAxis } from '../effective-policy.js'
import { foldDots } from './path-forms.js'
import { compileText, matchesTokens, type Token } from './patterns/text.js'

/** `*.example.com` or a host, in canonical spelling; `null` for anything else. */
export function canonicalHostPattern(text: string): string | null {
  if (!text.startsWith('*.')) return canonicalHost(text)
  const parent = canonicalHost(text.slice(2))
  return parent === null || IP_LITERAL.test(parent) ? null : `*.${parent}`
}

/** True when a canonical pattern names a canonical host; `*.example.com` names subdomains only. */
export function matchesHost(pattern: string, host: string): boolean {
  if (!pattern.startsWith('*.')) return pattern === host
  return host.length > pattern.length - 1 && host.endsWith(pattern.slice(1))
}

/** True when every host that `inner` names is named by `outer`. */
export function coversHost(outer: string, inner: string): boolean {
  if (outer === inner) return true
  if (!outer.startsWith('*.')) return false
  return matchesHost(outer, inner.startsWith('*.') ? inner.slice(2) : inner)
}

/** What layer 2 asks: whether the policy lets a call reach this host at all. */
export function permitsHost(network: NetworkAxis, host: string | null): boolean {
  if (network.mode === 'off') return false
  if (host === null) return network.allow === null && network.deny === null
  const canonical = canonicalHost(host)
  if (canonical === null) return false
  if (network.deny?.some((pattern) => matchesHost(pattern, canonical)) === true) return false
  return network.allow === null || network.allow.some((pattern) => matchesHost(pattern, canonical))
}

/** The pattern of a `web_fetch(…)` rule: a host, and where given the path of the URL. */
export interface HostPattern {
  readonly host: string
  readonly path: readonly Token[] | null
}

/** Reads `host` or `host/pattern`; `null` when the host part is no host pattern. */
export function parseHostPattern(text: string): HostPattern | null {
  const slash = text.indexOf('/')
  const hostText = slash === -1 ? text : text.slice(0, slash)
  const host = /^\*+$/.test(hostText) ? ANY : canonicalHostPattern(hostText)
  if (host === null) return null
  return { host, path: slash === -1 ? null : compileText(text.slice(slash)) }
}

/** The pattern that a URL, a port or a leading dot was probably written for. */
export function hostMeantBy(text: string): string | undefined {
  const bare = text
    .trim()
    .replace(/^[a-z][a-z0-9+.-]*:\/\//i, '')
    .replace(/^[^/@]*@/, '')
    .replace(/^([^/:]*):\d+(?=\/|$)/, '$1')
    .replace(/^\.(?=[^.])/, '*.')
    .replace(/^\*(?=[^.*/])/, '*.')
  return bare !== text && parseHostPattern(bare) !== null ? bare : undefined
}

/** Proof: host and path are known and match, in every spelling of the path. */
export function provesHost(pattern: HostPattern, subject: HostSubject): boolean {
  const { path } = pattern
  if (!matchesHostPart(pattern, subject)) return false
  if (path === null) return true
  return (
    subject.path !== null &&
    pathSpellings(subject.path).every((spelling) => matchesTokens(path, spelling))
  )
}

/** Suspicion: a path that nobody knows may be the one that the pattern means. */
export function suspectsHost(pattern: HostPattern, subject: HostSubject): boolean {
  const { path } = pattern
  if (!matchesHostPart(pattern, subject)) return false
  if (path === null || subject.path === null) return true
  return pathSpellings(subject.path).some((spelling) => matchesTokens(path, spelling))
}

const ANY = '*'
const IP_LITERAL = /^[0-9.]+$|:/

function matchesHostPart(pattern: HostPattern, subject: HostSubject): boolean {
  if (subject.host === null) return false
  const host = canonicalHost(subject.host)
  return host !== null && (pattern.host === ANY || matchesHost(pattern.host, host))
}

/** A server may decode what the rule's author wrote plainly, more than once, and walk up afterwards. */
function pathSpellings(path: string): readonly string[] {
  const spellings = new Set([path])
  let text = path
  for (let round = 0; round < DECODED_AT_MOST; round += 1) {
    const decoded = decodedOnce(text)
    if (decoded === text) break
    spellings.add(decoded)
    text = decoded
  }
  const plain = text.replace(/[\\/]+/g, '/')
  if (plain !== text || /\/\.{1,2}(?:\/|$)/.test(plain)) {
    spellings.add(foldDots(plain) + (/[^/]\/$/.test(plain) ? '/' : ''))
  }
  return [...spellings]
}

const DECODED_AT_MOST = 3

function decodedOnce(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // Not decodable: only the spelling as given is met, and an allow needs that one as well.
    return text
  }
}
