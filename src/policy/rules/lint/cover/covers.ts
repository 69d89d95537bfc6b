/**
 * Whether one match text covers another (rules.md §2): every subject that `inner` meets is met by
 * `outer`. True only where it is proved; links, spellings and secrets that no wildcard reaches included.
 */

import { hasWildcard, coversNames, isMcp } from '../../tool-names.js'
import { coversHost } from '../../hosts.js'
import type { CompiledMatch } from '../../match.js'
import type { Token } from '../../patterns/text.js'
import type { Claim } from './claim.js'
import { coversPaths, isExact } from './covers-paths.js'
import { includes } from './inclusion.js'

/** True when `outer` is proved to meet everything that `inner` meets. */
export function coversMatch(outer: CompiledMatch, inner: CompiledMatch, claim: Claim): boolean {
  if (!coversTool(outer.parsed.tool, inner.parsed.tool, claim)) return false
  if (claim === 'proof_in_proof' && isWhole(inner) && !isWhole(outer)) return false
  if (outer.parsed.pattern === null) {
    // No wildcard reaches a secret, and the exact path does.
    return claim !== 'proof_in_proof' || !reachesSecrets(inner)
  }
  if (inner.parsed.pattern === null || outer.parsed.kind !== inner.parsed.kind) return false
  const isSame = outer.parsed.pattern === inner.parsed.pattern
  if (isSame && claim !== 'proof_in_suspicion') return true
  switch (outer.parsed.kind) {
    case 'path':
      return coversPaths(outer, inner, claim)
    case 'host':
      return coversHosts(outer, inner)
    case 'text':
      return coversTexts(outer, inner)
    case 'command':
      if (claim === 'proof_in_suspicion' && !(outer.text ?? []).every(isRobust)) return false
      return coversTexts(outer, inner)
    case 'any':
      // The same pattern is read as a path, a host and a text; only equal ones are compared.
      return isSame && !outer.parsed.pattern.includes('?')
  }
}

/** Tools whose every call has a path of this access, which a deny or an ask for it meets (rules.md §3). */
const REACHED: { readonly [T in string]?: readonly string[] } = {
  read: ['ls'],
  write: ['edit', 'patch', 'download'],
}

function coversTool(outer: string, inner: string, claim: Claim): boolean {
  if (claim !== 'proof_in_proof') {
    return (REACHED[outer] ?? []).includes(inner) || names(outer, inner)
  }
  // A `write` allow also covers redirections, a `web_fetch` allow also the host of a download.
  if (inner === 'write') return outer === inner
  if (inner === 'web_fetch') return outer === inner || outer === '*'
  return names(outer, inner)
}

/** `mcp__server` is every tool of the server. */
function names(outer: string, inner: string): boolean {
  const isServer = isMcp(inner) && !inner.slice('mcp__'.length).includes('__')
  return coversNames(outer, isServer ? `${inner}__*` : inner)
}

/** Covers redirections as well (rules.md §5 item 6). */
function isWhole({ parsed }: CompiledMatch): boolean {
  const runs = parsed.tool === 'bash' || hasWildcard(parsed.tool)
  return runs && (parsed.pattern === null || parsed.text.endsWith('(**)'))
}

function reachesSecrets({ path }: CompiledMatch): boolean {
  if (path === null) return false
  if (path.kind === 'class') return path.name === '@credentials' || path.name === '@kernel'
  return path.globs.some(isExact)
}

function coversTexts(outer: CompiledMatch, inner: CompiledMatch): boolean {
  const lists = outer.text ?? []
  return (inner.text ?? []).every((tokens) => includes(lists, tokens))
}

/**
 * An allow is proved on words in which blanks and unknown parts are held together; a deny meets them
 * as written. Where only `**` stretches over such a part, both readings stay within the pattern.
 */
function isRobust(tokens: readonly Token[]): boolean {
  return tokens.every((token) => {
    // A lone slash may be one that stands for an unknown part.
    if (token.kind === 'literal') return token.text !== '/'
    return token.kind !== 'one' && token.kind !== 'any'
  })
}

function coversHosts({ host: outer }: CompiledMatch, { host: inner }: CompiledMatch): boolean {
  if (outer === null || inner === null) return false
  if (outer.host !== '*' && !coversHost(outer.host, inner.host)) return false
  if (outer.path === null) return true
  return inner.path !== null && includes([outer.path], inner.path)
}
