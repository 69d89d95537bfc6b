import { describe, expect, it } from 'vitest'
import { headReader, MOST_HEAD_BYTES, type Head } from './request-head.js'

/** What a reader says of a text that comes in pieces. */
function read(text: string, size = text.length): Head {
  const reader = headReader()
  const bytes = Buffer.from(text, 'latin1')
  let head: Head = { status: 'incomplete' }
  for (let at = 0; at < bytes.length && head.status === 'incomplete'; at += size) {
    head = reader(bytes.subarray(at, at + size))
  }
  return head
}

/** A request for `target` with fields, ended as it should be. */
function connect(target: string, ...fields: readonly string[]): string {
  return [`CONNECT ${target} HTTP/1.1`, ...fields, '', ''].join('\r\n')
}

const GRANTED = { status: 'connect', host: 'a.example', port: 443 }

describe('the head of a request', () => {
  it.each([
    connect('a.example:443'),
    connect('A.EXAMPLE.:443', 'Host: a.example.:443', 'User-Agent: x'),
    connect('a.example:443', 'Host: a.example', 'Proxy-Authorization: Basic eDp5', 'X:'),
    connect('a.example:443', 'Host:\ta.example:443 '),
    'CONNECT a.example:443 HTTP/1.0\r\n\r\n',
  ])('is understood: %j', (text) => {
    expect(read(text)).toEqual(GRANTED)
  })

  it('is understood in whatever pieces it comes', () => {
    const text = connect('a.example:443', 'Host: a.example:443')

    for (let size = 1; size <= text.length; size += 1) expect(read(text, size)).toEqual(GRANTED)
  })

  it.each([
    ['[::1]:80', '::1'],
    ['[0:0::1]:80', '::1'],
    ['[::ffff:127.0.0.1]:80', '::ffff:7f00:1'],
    ['127.0.0.1:80', '127.0.0.1'],
    ['0x7f.1:80', '127.0.0.1'],
    ['2130706433:80', '127.0.0.1'],
    ['xn--bcher-kva.example:80', 'xn--bcher-kva.example'],
  ])('names %s by one canonical host', (target, host) => {
    expect(read(connect(target))).toEqual({ status: 'connect', host, port: 80 })
  })

  it.each([
    ['GET http://a.example/ HTTP/1.1\r\n\r\n', 405],
    ['GET / HTTP/1.1\r\n\r\n', 405],
    ['OPTIONS * HTTP/1.1\r\n\r\n', 405],
    ['connect a.example:443 HTTP/1.1\r\n\r\n', 400],
    ['CONNECT  a.example:443 HTTP/1.1\r\n\r\n', 400],
    ['CONNECT a.example:443 HTTP/2.0\r\n\r\n', 400],
    ['CONNECT a.example:443\r\n\r\n', 400],
    ['\r\n\r\n', 400],
    ['\0', 400],
    ['\x16\x03\x01', 400],
    ['CONNECT a.example:443 HTTP/1.1\n\n', 400],
    ['CONNECT a.example:443 HTTP/1.1\r\nX: a\rb\r\n\r\n', 400],
    ['CONNECT a.ex\u00e4mple:443 HTTP/1.1\r\n\r\n', 400],
  ])('is refused: %j', (text, code) => {
    expect(read(text)).toEqual({ status: 'refused', code })
    expect(read(text, 1)).toEqual({ status: 'refused', code })
  })

  it.each([
    ...['a.example', 'a.example:', 'a.example:0', 'a.example:0443', 'a.example:65536', ':443'],
    ...['a.example:443:443', 'u@a.example:443', 'u:p@a.example:443', 'a.example:443/', '*:443'],
    ...['http://a.example:443', 'https://a.example:443/', '//a.example:443', 'a.example%2e:443'],
    ...['a%2eexample:443', 'a.example#:443', 'a.example?:443', '::1:443', '[::1:443', '::1]:443'],
    ...['[::1%25lo]:443', '[v1.x]:443', '.:443', 'a..:443', 'a\\b:443', '256.256.256.256:443'],
  ])('does not name a host by %s', (target) => {
    expect(read(connect(target))).toEqual({ status: 'refused', code: 400 })
  })

  it.each([
    'Content-Length: 5',
    'Transfer-Encoding: chunked',
    'transfer-encoding : chunked',
    'Expect: 100-continue',
    'Upgrade: h2c',
    ' folded: x',
    'no colon',
    ': no name',
    'Host: b.example:443',
    'Host: a.example:80',
  ])('smuggles nothing in by the field %j', (field) => {
    expect(read(connect('a.example:443', field))).toEqual({ status: 'refused', code: 400 })
  })

  it('names its host at most once', () => {
    const text = connect('a.example:443', 'Host: a.example', 'Host: a.example')

    expect(read(text)).toEqual({ status: 'refused', code: 400 })
  })

  it.each(['x', '\r\n', connect('a.example:443')])('has nothing behind it: %j', (more) => {
    expect(read(connect('a.example:443') + more)).toEqual({ status: 'refused', code: 400 })
  })

  it('is at most 16 KiB long, ended or not', () => {
    const room = MOST_HEAD_BYTES - connect('a.example:443', 'X: ').length
    const [full, over] = [room, room + 1].map((length) =>
      connect('a.example:443', `X: ${'x'.repeat(length)}`),
    )

    expect(read(full ?? '')).toEqual(GRANTED)
    expect(read(over ?? '')).toEqual({ status: 'refused', code: 431 })
    expect(read('x'.repeat(MOST_HEAD_BYTES + 1), 7)).toEqual({ status: 'refused', code: 431 })
    expect(read('x'.repeat(1 << 20))).toEqual({ status: 'refused', code: 431 })
  })

  it('has at most 100 fields', () => {
    const fields = Array.from({ length: 101 }, (_, index) => `X-${index}: x`)

    expect(read(connect('a.example:443', ...fields))).toEqual({ status: 'refused', code: 400 })
    expect(read(connect('a.example:443', ...fields.slice(1)))).toEqual(GRANTED)
  })
})
