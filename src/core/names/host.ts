/** The one spelling in which hosts are compared, by rules, by layer 2 and by the mediator of grants (rules.md §1, sandbox.md §7). */

import { Memo } from '../memory/memo.js'

/**
 * Lower case, A-labels, canonical IP literals without brackets, no trailing dot. `null` for what is no
 * host: a port, blanks, wildcards, slashes.
 */
export function canonicalHost(text: string): string | null {
  const known = KNOWN.get(text)
  if (known !== undefined) return known
  const host = canonicalised(text)
  if (text.length <= LONGEST_KEPT) KNOWN.set(text, host)
  return host
}

/** A call asks for the same host once a rule. */
const KNOWN = new Memo<string | null>(256)
const LONGEST_KEPT = 256

function canonicalised(text: string): string | null {
  const isBracketed = text.startsWith('[') && text.endsWith(']')
  const literal = isBracketed ? text.slice(1, -1) : text
  const url = isBracketed || literal.includes(':') ? addressUrl(literal) : nameUrl(literal)
  if (url === null || !URL.canParse(url)) return null
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  return host === '' || host.startsWith('.') || host.endsWith('.') ? null : host
}

function addressUrl(text: string): string | null {
  return /^[0-9A-Fa-f:.]+$/.test(text) ? `http://[${text}]/` : null
}

/** What the URL parser takes away, or reads as another part of the URL, is no host. */
function nameUrl(text: string): string | null {
  return text === '' || /[\s/\\@?#%*[\]]/.test(text) ? null : `http://${text}/`
}
