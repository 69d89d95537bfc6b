/** What a call needs whose tool does not say so: tools of connected servers, and any other tool (H-05). */

import { reaches, type Need } from '../core/need.js'
import type { Json } from '../core/json.js'
import { canonicalText } from '../encoding/canonical.js'

/**
 * For `needs` of a tool that nobody described: an effect outside, a host that nobody knows, and the
 * arguments as canonical JSON, which is what a rule's pattern is held against. Every argument that as
 * a whole is a path or a URL is met by deny and ask rules as well; no allow has to cover it.
 */
export function unstatedNeeds(args: unknown): Need[] {
  return [
    { kind: 'capability', name: 'external.effect' },
    { kind: 'host', host: null },
    { kind: 'text', text: canonicalText(args as Json) },
    ...leavesOf(args).flatMap(suspicions),
  ]
}

/** Every text in the arguments once, keys aside. */
function leavesOf(args: unknown): readonly string[] {
  const leaves = new Set<string>()
  const waiting: unknown[] = [args]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next === 'string') leaves.add(next)
    // One by one: a spread of a long list would not fit on the stack.
    else for (const value of Object.values(next ?? {})) waiting.push(value)
  }
  return [...leaves]
}

function suspicions(leaf: string): readonly Need[] {
  const text = leaf.trim()
  const url = text.replace(UNREAD, '')
  if (URL_START.test(url)) return urlNeeds(url)
  // Below the protocol of whoever reads it; or a share, or a path with a doubled separator.
  const hosts = HOST_START.test(url) ? urlNeeds(`https:${url}`) : []
  return isPath(text) ? [...pathNeeds(text), ...hosts] : hosts
}

/** Whoever reads a URL passes over these. */
const UNREAD = /^[\p{Cc} ]+|[\t\n\r]/gu
/** The protocols of the web need no slash, or take any; others are told by theirs. */
const URL_START = /^(?:[a-z][a-z0-9+.-]+:\/\/|(?:https?|wss?|ftp|file):\S)/i
const HOST_START = /^[\\/]{2}[^\\/\s?]/

/** Nobody knows whether the tool would read it or write it. */
function pathNeeds(path: string): readonly Need[] {
  const derived = { origin: 'argument' } as const
  return [
    { kind: 'path', access: 'read', path, derived },
    { kind: 'path', access: 'write', path, derived },
  ]
}

function urlNeeds(url: string): readonly Need[] {
  if (/^file:/i.test(url)) return filePaths(url).flatMap(pathNeeds)
  return reaches(url).flatMap((need) =>
    need.kind === 'host' && need.host !== null ? [{ ...need, derived: true as const }] : [],
  )
}

/** As the standard reads it, on a share where it names a host; and relative, as many tools do without slashes. */
function filePaths(url: string): readonly string[] {
  const relative = /^file:(?![\\/]{2})([^?#]+)/i.exec(url)?.[1]
  const parsed = URL.canParse(url) ? new URL(url) : null
  const absolute = parsed === null ? [] : [parsed.pathname]
  const shared = parsed === null || parsed.host === '' ? [] : [`//${parsed.host}${parsed.pathname}`]
  const spelt = [...absolute, ...shared, ...(relative === undefined ? [] : [relative])]
  return [...new Set(spelt.flatMap((path) => [path, decoded(path)]))].filter(
    (path) => path === relative || isPath(path),
  )
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    // Not decodable: the spelling as given is what rules meet.
    return path
  }
}

/**
 * Begins as only paths begin, or is one word with a separator or an ending; with blanks it needs both, the
 * separator in its first word. A sentence that mentions a path is not one; a lone word may be anything.
 */
function isPath(text: string): boolean {
  if (text.length > LONGEST || text.includes('\0')) return false
  if (ABSOLUTE.test(text) && !/[\r\n]/.test(text)) return true
  if (!/\s/.test(text)) return /[\\/]/.test(text) || /^\.[^.]/.test(text) || ENDING.test(text)
  if (/^\S*[\\/]/.test(text) && ENDING.test(text) && !/[\r\n]/.test(text)) return true
  // Whoever folds it as text drops what stands before a step up, blanks and line ends too.
  const folded = withoutSteps(text)
  return folded !== text && !/\s/.test(folded)
}

function withoutSteps(text: string): string {
  const kept: string[] = []
  for (const name of text.split(/[\\/]/)) {
    if (name === '..' && kept.length > 0 && kept.at(-1) !== '..') kept.pop()
    else kept.push(name)
  }
  return kept.join('/')
}

const LONGEST = 4096
const ENDING = /[^.]\.[A-Za-z0-9_-]{1,16}$/
const ABSOLUTE =
  /^(?:[\\/]|~(?:$|[\\/])|\.{1,2}(?:$|[\\/])|[A-Za-z]:[\\/]|\$(?:HOME|PWD|TMPDIR|\{))/
