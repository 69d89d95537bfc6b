/** Matching and scopes, written naively from rules.md §2–3 for the reference model. */

import type { Call, Policy, RuleText, Subject } from './inputs.js'

/** Whether a rule meets one subject: an allow by proof, a deny or an ask by suspicion. */
export function matches(rule: RuleText, call: Call, subject: Subject): boolean {
  const { name, pattern } = partsOf(rule.match)
  const [kind] = subject
  const isAllow = rule.effect === 'allow'
  // `download(p)` covers the path only; its host needs an allow of `web_fetch`.
  const isLent = isAllow
    ? call.tool === 'download' && kind === 'host' && name === 'web_fetch'
    : name === (kind === 'host' ? 'web_fetch' : kind)
  if (!namesTool(name, call.tool) && !isLent) return false
  if (isAllow && isSecret(subject) && !namesSecret(rule.match)) return false
  if (pattern !== undefined && !patternMatches(pattern, subject, isAllow)) return false
  // A way out of a deny or an ask is a loosening and needs proof; a way out of an allow does not.
  const isOut = (except: string): boolean =>
    (isAllow || !isSecret(subject) || namesSecret(except)) &&
    patternMatches(partsOf(except).pattern ?? '', subject, !isAllow)
  const exceptions = rule.except ?? []
  // Without a subject nothing shows that an allow is meant beside its exceptions.
  return kind === 'call' ? !isAllow || exceptions.length === 0 : !exceptions.some(isOut)
}

/** What deny and ask rules look at; a call without any is looked at as a whole. */
export function subjectsOf(call: Call): readonly Subject[] {
  const reads = call.reads.map((path): Subject => ['read', path])
  const writes = call.writes.map((path): Subject => ['write', path])
  const all = [...reads, ...writes, ...call.hosts.map((host): Subject => ['host', host])]
  return all.length > 0 ? all : [['call', '']]
}

/** What an allow must cover: an unknown host meets denies and asks only. */
export function provable(call: Call): readonly Subject[] {
  return subjectsOf({ ...call, hosts: call.hosts.filter((host) => host !== '?') })
}

export function namesTool(name: string, tool: string): boolean {
  const [pattern, given] = [name.toLowerCase(), tool.toLowerCase()]
  const isServer = pattern.startsWith('mcp__') && given.startsWith(`${pattern}__`)
  return pattern === '*' || pattern === given || isServer
}

export function inScope({ tools }: Pick<Policy, 'tools'>, tool: string): boolean {
  const isIn = (names: readonly string[]): boolean => names.some((name) => namesTool(name, tool))
  return tools.every(({ only, exclude = [] }) => (only ? isIn(only) : true) && !isIn(exclude))
}

export function permitsHost(policy: Policy, host: string): boolean {
  const isIn = (patterns: readonly string[]): boolean =>
    patterns.some((pattern) => hostMatches(pattern, host))
  return policy.hosts.every(({ allow, deny }) => {
    if (host === '?') return allow === undefined && deny === undefined
    return (allow === undefined || isIn(allow)) && !isIn(deny ?? [])
  })
}

export const isBare = (match: string): boolean => !match.includes('(')

export const isInside = (folder: string, path: string): boolean =>
  path === folder || path.startsWith(`${folder}/`)

export const isProtected = (path: string): boolean =>
  isInside('/ws', path) && path.toLowerCase().split('/').includes('.git')

export const isSecret = ([kind, text]: Subject): boolean =>
  (kind === 'read' || kind === 'write') && text.toLowerCase() === '/ws/.env'

export const namesSecret = (match: string): boolean =>
  ['@credentials', '/ws/.env'].includes((partsOf(match).pattern ?? '').toLowerCase())

function patternMatches(pattern: string, subject: Subject, needsProof: boolean): boolean {
  const [kind, text] = subject
  if (kind === 'call' || text === '?') return false
  if (kind === 'host') return hostMatches(pattern, text)
  if (pattern === '@workspace') return isInside('/ws', text)
  if (pattern === '@credentials') return isSecret(subject)
  const [wanted, path] = needsProof ? [pattern, text] : [pattern.toLowerCase(), text.toLowerCase()]
  if (!wanted.endsWith('/**')) return wanted === path
  return path.startsWith(wanted.slice(0, -2)) || (!needsProof && path === wanted.slice(0, -3))
}

function hostMatches(pattern: string, host: string): boolean {
  if (!pattern.startsWith('*.')) return pattern === host
  return host.endsWith(pattern.slice(1)) && host.length >= pattern.length
}

function partsOf(match: string): { readonly name: string; readonly pattern?: string } {
  const open = match.indexOf('(')
  if (open < 0) return { name: match.toLowerCase() }
  return { name: match.slice(0, open).toLowerCase(), pattern: match.slice(open + 1, -1) }
}
