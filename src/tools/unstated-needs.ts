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
  if (URL_START.test(text)) return urlNeeds(text)
  return isPath(text) ? pathNeeds(text) : []
}

const URL_START = /^[a-z][a-z0-9+.-]+:\/\//i

/** Nobody knows whether the tool would read it or write it. */
function pathNeeds(path: string): readonly Need[] {
  const derived = { origin: 'argument' } as const
  return [
    { kind: 'path', access: 'read', path, derived },
    { kind: 'path', access: 'write', path, derived },
  ]
}

function urlNeeds(url: string): readonly Need[] {
  if (/^file:/i.test(url)) return filePath(url).flatMap(pathNeeds)
  return reaches(url).flatMap((need) =>
    need.kind === 'host' && need.host !== null ? [{ ...need, derived: true as const }] : [],
  )
}

function filePath(url: string): readonly string[] {
  if (!URL.canParse(url)) return []
  const { pathname } = new URL(url)
  try {
    return [...new Set([pathname, decodeURIComponent(pathname)])].filter(isPath)
  } catch {
    // Not decodable: the spelling as given is what rules meet.
    return isPath(pathname) ? [pathname] : []
  }
}

/**
 * Begins as only paths begin, or is one word with a separator or an ending. A sentence that mentions a
 * path is not one; a lone word such as `main` may be anything.
 */
function isPath(text: string): boolean {
  if (text.length > LONGEST || /[\0\r\n]/.test(text)) return false
  if (ABSOLUTE.test(text)) return true
  return !/\s/.test(text) && (/[\\/]/.test(text) || /^\.[^.]|[^.]\.[A-Za-z0-9_-]{1,16}$/.test(text))
}

const LONGEST = 4096
const ABSOLUTE =
  /^(?:[\\/]|~(?:$|[\\/])|\.{1,2}(?:$|[\\/])|[A-Za-z]:[\\/]|\$(?:HOME|PWD|TMPDIR|\{))/
