/** What the mediator says to a client inside, as HTTP. */

/** The tunnel is open. */
export const OPENED = 'HTTP/1.1 200 Connection Established\r\n\r\n'

export type Refusal = 400 | 403 | 405 | 408 | 431 | 502

const LINES: { readonly [C in Refusal]: readonly [reason: string, why: string] } = {
  400: ['Bad Request', 'not understood as one plain CONNECT request'],
  403: ['Forbidden', 'this call was granted another host, port or kind of address'],
  405: ['Method Not Allowed', 'only CONNECT: plain http needs a tunnel as well'],
  408: ['Request Timeout', 'the request did not come to its end in time'],
  431: ['Request Header Fields Too Large', 'the request is longer than 16 KiB'],
  502: ['Bad Gateway', 'the granted host could not be reached'],
}

/** A whole answer; the connection ends with it. Names nothing of the host. */
export function refusal(code: Refusal): string {
  const [reason, why] = LINES[code]
  const body = `sixgate: ${why}\n`
  const allow = code === 405 ? 'Allow: CONNECT\r\n' : ''
  return (
    `HTTP/1.1 ${code} ${reason}\r\n${allow}Connection: close\r\n` +
    `Content-Type: text/plain\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  )
}
