/**
 * One web page as text, from the host that was judged and no other: redirects are followed by hand
 * (rules.md §3 `web_fetch`). Bounded in bytes, time and redirects.
 */

import { ToolError } from '../core/errors.js'

export interface FetchOptions {
  readonly signal: AbortSignal
  /** Asked before each redirect is followed; absent: only within the host of the URL. */
  readonly permits?: ((next: URL) => Promise<boolean>) | undefined
  /** Of the decoded body; what comes after it is dropped. Default 1 MiB. */
  readonly maximumBytes?: number | undefined
  /** For everything together; default 30 s. */
  readonly timeoutMs?: number | undefined
}

/** What a server answered, an error status included. */
export interface FetchedText {
  /** After redirects, without fragment. */
  readonly url: string
  readonly status: number
  readonly contentType: string
  readonly text: string
  /** True when the body was longer than the limit. */
  readonly truncated: boolean
}

export const FETCH_LIMITS: {
  readonly bytes: number
  readonly timeoutMs: number
  readonly redirects: number
} = { bytes: 1024 * 1024, timeoutMs: 30_000, redirects: 10 }

/**
 * Fetches with GET and without credentials. Rejects with `ToolError`: a redirect that is not permitted, a
 * step down from https, an eleventh redirect, a body that is no text, no answer in time.
 */
export async function fetchText(url: string, options: FetchOptions): Promise<FetchedText> {
  const timeout = AbortSignal.timeout(options.timeoutMs ?? FETCH_LIMITS.timeoutMs)
  const signal = AbortSignal.any([options.signal, timeout])
  let target = parseTarget(url)
  try {
    for (let hop = 0; hop <= FETCH_LIMITS.redirects; hop += 1) {
      const response = await fetch(target, { redirect: 'manual', signal, headers: HEADERS })
      const location = response.headers.get('location')
      if (!REDIRECTS.has(response.status) || location === null) {
        return await readText(response, target, options.maximumBytes ?? FETCH_LIMITS.bytes)
      }
      await response.body?.cancel()
      target = await redirected(target, location, options.permits ?? noOther(target))
    }
  } catch (error) {
    // Denied: nothing of the answer is handed on.
    throw failure(error, target.host, { timeout, call: options.signal })
  }
  throw new ToolError('unreachable', `more than ${FETCH_LIMITS.redirects} redirects`)
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
const HEADERS: Readonly<Record<string, string>> = {
  accept: 'text/*, application/json, application/xml;q=0.9, */*;q=0.1',
}

function parseTarget(url: string): URL {
  const target = URL.canParse(url) ? new URL(url) : null
  if (target === null || !/^https?:$/.test(target.protocol)) {
    throw new ToolError('invalid_input', 'only http and https URLs can be fetched')
  }
  if (target.username !== '' || target.password !== '') {
    throw new ToolError('invalid_input', 'a URL with user information is not fetched')
  }
  target.hash = ''
  return target
}

/** The next hop, if it is permitted. The error names the host alone: a query may hold a secret. */
async function redirected(
  from: URL,
  location: string,
  permits: (next: URL) => Promise<boolean>,
): Promise<URL> {
  if (!URL.canParse(location, from.href)) {
    throw new ToolError('unreachable', 'the server redirects to something that is no URL')
  }
  const next = parseTarget(new URL(location, from.href).href)
  const isStepDown = from.protocol === 'https:' && next.protocol === 'http:'
  if (!isStepDown && (await permits(next))) return next
  throw new ToolError(
    'cross_host_redirect',
    `the server redirects to \`${next.protocol}//${next.host}\`, which this call may not reach`,
  )
}

/** True within one host: the same origin, and the step up to https that nearly every site makes. */
export function isSameHost(from: URL, next: URL): boolean {
  if (next.host !== from.host) return false
  return next.protocol === from.protocol || (from.port === '' && next.protocol === 'https:')
}

function noOther(from: URL): (next: URL) => Promise<boolean> {
  return (next) => Promise.resolve(isSameHost(from, next))
}

async function readText(response: Response, url: URL, maximumBytes: number): Promise<FetchedText> {
  const contentType = response.headers.get('content-type') ?? ''
  if (!isText(contentType)) {
    await response.body?.cancel()
    throw new ToolError('not_text', 'the server answers with something that is no text')
  }
  const { bytes, truncated } = await readAtMost(response, maximumBytes)
  const text = decoder(contentType).decode(bytes)
  return { url: url.href, status: response.status, contentType, text, truncated }
}

/** A server that states no type is read as text; wrong bytes show as such. */
function isText(contentType: string): boolean {
  const type = (contentType.split(';', 1)[0] ?? '').trim().toLowerCase()
  if (type === '' || type.startsWith('text/')) return true
  return /^application\/(?:[\w.-]+\+)?(?:json|xml|yaml|javascript|ecmascript|toml|x-ndjson)$/.test(
    type,
  )
}

function decoder(contentType: string): InstanceType<typeof TextDecoder> {
  const label = /;\s*charset="?([\w:-]+)/i.exec(contentType)?.[1] ?? 'utf-8'
  try {
    return new TextDecoder(label)
  } catch {
    // Nothing to deny: an unknown name of an encoding is read as UTF-8, wrong bytes show as such.
    return new TextDecoder()
  }
}

async function readAtMost(
  response: Response,
  maximumBytes: number,
): Promise<{ readonly bytes: Uint8Array; readonly truncated: boolean }> {
  const chunks: Uint8Array[] = []
  let total = 0
  const reader = response.body?.getReader()
  while (reader !== undefined) {
    const { done, value } = (await reader.read()) as { done: boolean; value?: Uint8Array }
    if (done || value === undefined) break
    chunks.push(value)
    total += value.length
    if (total <= maximumBytes) continue
    await reader.cancel()
    return { bytes: Buffer.concat(chunks).subarray(0, maximumBytes), truncated: true }
  }
  return { bytes: Buffer.concat(chunks), truncated: false }
}

function failure(
  error: unknown,
  host: string,
  { timeout, call }: { readonly timeout: AbortSignal; readonly call: AbortSignal },
): unknown {
  if (error instanceof ToolError) return error
  if (call.aborted) return call.reason
  if (timeout.aborted) return new ToolError('timeout', `\`${host}\` did not answer in time`)
  return new ToolError('unreachable', `\`${host}\` could not be reached`, error)
}
