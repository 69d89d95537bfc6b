/** What a client inside asks of the mediator: one CONNECT, read strictly (sandbox.md §7). Pure. */

import { canonicalHost } from '../../core/names/host.js'

/** The longest head that is read. */
export const MOST_HEAD_BYTES = 16_384

/** Where a client stands; `code` is the answer's status. */
export type Head =
  | { readonly status: 'incomplete' }
  | { readonly status: 'refused'; readonly code: 400 | 405 | 431 }
  /** The host is canonical. */
  | { readonly status: 'connect'; readonly host: string; readonly port: number }

/**
 * Reads a head piece by piece; ask no more once the answer is not `incomplete`. Only authority-form is
 * taken, no other method, no body, nothing behind the head: whatever could be read in two ways is refused.
 */
export function headReader(): (chunk: Uint8Array) => Head {
  let text = ''
  return (chunk) => {
    // What was looked at before needs no second look, but for an end that straddles the pieces.
    const seen = Math.max(0, text.length - 3)
    text += LATIN.decode(chunk.subarray(0, MOST_HEAD_BYTES + 1))
    const added = text.slice(seen)
    const end = added.indexOf('\r\n\r\n')
    if (!isPlain(end === -1 ? added : added.slice(0, end))) return refused(400)
    if (end === -1) return text.length > MOST_HEAD_BYTES ? refused(431) : { status: 'incomplete' }
    const length = seen + end
    if (length + 4 > MOST_HEAD_BYTES) return refused(431)
    // Bytes before the answer belong to nothing that was agreed to.
    return length + 4 === text.length ? parseHead(text.slice(0, length)) : refused(400)
  }
}

/** One byte, one character. */
const LATIN = new TextDecoder('latin1')

const MOST_FIELDS = 100

/** Visible ASCII, blanks, tabs; line feeds only behind carriage returns, and those only before line feeds. */
function isPlain(text: string): boolean {
  return !/[^\t\r\n\x20-\x7e]/.test(text) && !/[^\r]\n/.test(text) && !/\r[^\n]/.test(text)
}

function parseHead(head: string): Head {
  const [line = '', ...fields] = head.split('\r\n')
  const request = /^([A-Z]{1,20}) ([\x21-\x7e]+) HTTP\/1\.[01]$/.exec(line)
  if (request === null || fields.length > MOST_FIELDS) return refused(400)
  const [, method = '', target = ''] = request
  if (method !== 'CONNECT') return refused(405)
  const authority = AUTHORITY.exec(target)
  const host = canonicalHost(authority?.[1] ?? '')
  const port = Number(authority?.[2])
  if (host === null || !(port <= 65_535)) return refused(400)
  return areHarmless(fields, target) ? { status: 'connect', host, port } : refused(400)
}

const AUTHORITY = /^(\[[0-9A-Fa-f:.]{2,45}\]|[0-9A-Za-z._-]{1,255}):([1-9]\d{0,4})$/

const FIELD = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):([\t\x20-\x7e]*)$/

/** They announce a body or another protocol: CONNECT has neither. */
const SMUGGLING: readonly string[] = [
  'content-length',
  'transfer-encoding',
  'expect',
  'upgrade',
  'trailer',
  'te',
]

function areHarmless(fields: readonly string[], target: string): boolean {
  let hosts = 0
  return fields.every((field) => {
    const parts = FIELD.exec(field)
    if (parts === null) return false
    const [, name = '', value = ''] = parts
    if (name.toLowerCase() !== 'host') return !SMUGGLING.includes(name.toLowerCase())
    hosts += 1
    return hosts === 1 && isTarget(value.trim().toLowerCase(), target.toLowerCase())
  })
}

/** Some clients leave the port out. */
function isTarget(value: string, target: string): boolean {
  return value === target || value === target.slice(0, target.lastIndexOf(':'))
}

function refused(code: 400 | 405 | 431): Head {
  return { status: 'refused', code }
}
