/** What clients of the mediator send, with a few things wrong: each is one of the known answers, and soon. */

import { readHello, MOST_HELLO_BYTES } from '../../src/sandbox/grant/client-hello.js'
import { canonicalHost } from '../../src/core/names/host.js'
import { headReader, MOST_HEAD_BYTES, type Head } from '../../src/sandbox/grant/request-head.js'
import { namedHello } from '../grant/hello.js'
import { fuzz, type Fuzzed } from './fuzz.js'
import { mutate, type Random } from './mutate.js'

/** Half of the cases are heads, half are first messages of TLS. */
export function fuzzMediator(cases: number, seed: number): Fuzzed {
  const heads = fuzz<Uint8Array>({
    cases: Math.ceil(cases / 2),
    seed,
    input: aHead,
    read: (bytes, index) => holdHead(bytes, (index % 13) + 1),
    isRefusal: (fault) => fault === REFUSED,
  })
  const hellos = fuzz<Uint8Array>({
    cases: Math.floor(cases / 2),
    seed: seed + 1,
    input: aHello,
    read: holdHello,
    isRefusal: (fault) => fault === REFUSED,
  })
  return {
    failures: [...heads.failures, ...hellos.failures],
    refused: heads.refused + hellos.refused,
    slowestMs: Math.max(heads.slowestMs, hellos.slowestMs),
  }
}

/** Thrown for what the mediator refuses; anything else that is thrown is a mistake. */
const REFUSED = new RangeError('refused')

const HEADS: readonly [string, ...string[]] = [
  'CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\nUser-Agent: curl/8\r\n\r\n',
  'CONNECT [2606:4700::1111]:443 HTTP/1.1\r\n\r\n',
  'CONNECT 127.0.0.1:8080 HTTP/1.0\r\nProxy-Connection: keep-alive\r\n\r\n',
  'GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n',
]

const TOKENS: readonly [string, ...string[]] = [
  ...(['\r\n', '\n', '\r', '\r\n\r\n', '\0', ' ', '\t', ':', '@', '[', ']', '%', '#'] as const),
  ...['Host: b.example\r\n', 'Content-Length: 0\r\n', 'Transfer-Encoding: chunked\r\n', 'CONNECT '],
  ...[
    'xn--',
    '..',
    '%2e',
    '0x7f.1',
    '::',
    'HTTP/1.1',
    '\u00e4',
    '65536',
    '0443',
    'u:p@',
    'http://',
  ],
]

function aHead(random: Random): Uint8Array {
  const text = mutate(random.pick(HEADS), random, TOKENS)
  if (random.below(2000) > 0) return Buffer.from(text, 'latin1')
  return Buffer.from(text + `X: ${'x'.repeat(random.below(40_000))}`, 'latin1')
}

/** The answer is the same in one piece and in many, and a host that is told is canonical and was written there. */
function holdHead(bytes: Uint8Array, size: number): void {
  const whole = headReader()(bytes)
  const pieces = inPieces(bytes, size)
  if (whole.status === 'connect') {
    if (JSON.stringify(pieces) !== JSON.stringify(whole)) throw new TypeError('read two ways')
    if (canonicalHost(whole.host) !== whole.host) throw new TypeError('not canonical')
    if (!Number.isInteger(whole.port) || whole.port < 1 || whole.port > 65_535) {
      throw new TypeError('no port')
    }
    if (bytes.length > MOST_HEAD_BYTES) throw new TypeError('too long')
    return
  }
  // In pieces the first head may be taken before what follows it is seen: that is refused when it comes.
  if (pieces.status === 'connect' && whole.status === 'incomplete') throw new TypeError('made up')
  throw REFUSED
}

function inPieces(bytes: Uint8Array, size: number): Head {
  const read = headReader()
  let head: Head = { status: 'incomplete' }
  for (let at = 0; at < bytes.length && head.status === 'incomplete'; at += size) {
    head = read(bytes.subarray(at, at + size))
  }
  return head
}

function aHello(random: Random): Uint8Array {
  const hello = namedHello(random.pick(['a.example', 'b.example', '']), 1 + random.below(300))
  for (let edits = random.below(4); edits > 0; edits -= 1) {
    hello[random.below(hello.length)] = random.below(256)
  }
  const end = random.below(8) === 0 ? random.below(hello.length) : hello.length
  const tail = random.below(8) === 0 ? Buffer.alloc(random.below(20_000), random.below(256)) : []
  return Buffer.concat([hello.subarray(0, end), Buffer.from(tail)])
}

/** What is told of a message does not depend on what follows it, and asks for more only within its bound. */
function holdHello(bytes: Uint8Array): void {
  const hello = readHello(bytes)
  if (hello.status === 'incomplete') {
    const isBounded = hello.needed > bytes.length && hello.needed <= MOST_HELLO_BYTES + 5
    if (!isBounded) throw new TypeError('waits for ever')
    throw REFUSED
  }
  const again = readHello(Buffer.concat([bytes, Buffer.from([23, 3, 3, 0, 1, 0])]))
  if (JSON.stringify(again) !== JSON.stringify(hello)) throw new TypeError('read two ways')
  if (hello.status !== 'hello' || hello.name === null) throw REFUSED
  if (!/^[\x21-\x7e]{1,255}$/.test(hello.name)) throw new TypeError('no name')
}
