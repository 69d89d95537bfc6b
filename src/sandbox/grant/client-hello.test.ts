import { describe, expect, it } from 'vitest'
import { helloMessage, helloWith, inRecords, namedHello } from '../../../test/grant/hello.js'
import { MOST_HELLO_BYTES, readHello } from './client-hello.js'

const HELLO = namedHello('a.example')

describe('the first message of a TLS client', () => {
  it('names the host that the client wants', () => {
    expect(readHello(namedHello('a.example'))).toEqual({ status: 'hello', name: 'a.example' })
  })

  it('names nobody without the extension', () => {
    const bare = helloMessage(null)

    expect(readHello(helloWith([]))).toEqual({ status: 'hello', name: null })
    expect(readHello(inRecords(bare))).toEqual({ status: 'hello', name: null })
  })

  it.each([1, 2, 3, 4, 5, 40, 100])('is read out of records of %i bytes', (size) => {
    const bytes = namedHello('a.example', size)

    expect(readHello(bytes)).toEqual({ status: 'hello', name: 'a.example' })
  })

  it('is not judged before it is complete, however it is cut', () => {
    const bytes = namedHello('a.example', 50)

    for (let length = 0; length < bytes.length; length += 1) {
      const hello = readHello(bytes.subarray(0, length))
      expect(hello).toMatchObject({ status: 'incomplete' })
      if (hello.status === 'incomplete') expect(hello.needed).toBeGreaterThan(length)
    }
  })

  it('is told apart from SSL 2 as soon as it can be', () => {
    const old = Buffer.from([0x80, 0x2e, 1, 3, 1])

    expect([1, 2, 3, 4].map((length) => readHello(old.subarray(0, length)))).toEqual(
      [3, 3, 5, 5].map((needed) => ({ status: 'incomplete', needed })),
    )
  })

  it('may be followed by other records', () => {
    const early = Buffer.concat([namedHello('a.example'), Buffer.from([20, 3, 3, 0, 1, 1, 23, 3])])

    expect(readHello(early)).toEqual({ status: 'hello', name: 'a.example' })
  })

  it.each([
    ['the beginning of plain text', 'GET / HTTP/1.1'],
    ['something with the first bit set', '\x80\x2e\x02'],
    ['something that looks like an old greeting at first', '\x80\x2e\x01\x09\x01'],
    ['nothing of TLS', '\0'],
  ])('is not %s', (_, text) => {
    expect(readHello(Buffer.from(text, 'latin1'))).toEqual({ status: 'other' })
  })

  it.each([
    ['two names', [[0, name('a.example', 'b.example')]]],
    ['an empty name', [[0, name('')]]],
    ['a name with a blank', [[0, name('a example')]]],
    ['a list that says less than it holds', [[0, Buffer.from([0, 3, 0, 0, 1, 97])]]],
    ['another kind of name', [[0, Buffer.from([0, 4, 1, 0, 1, 97])]]],
    [
      'a hidden name beside the shown one',
      [
        [0, name('a.example')],
        [0xfe0d, Buffer.alloc(9)],
      ],
    ],
    [
      'the older hidden name',
      [
        [0, name('a.example')],
        [0xffce, Buffer.alloc(9)],
      ],
    ],
  ] as const)('names nobody with %s', (_, extensions) => {
    expect(readHello(helloWith(extensions))).toEqual({ status: 'hello', name: null })
  })

  it.each([
    [
      'an extension twice',
      helloWith([
        [0, name('a.example')],
        [0, name('a.example')],
      ]),
    ],
    ['an extension that reaches beyond the end', mangled(-4)],
    ['bytes behind its extensions', inRecords(Buffer.concat([helloMessage([]), Buffer.of(1)]))],
    ['another message', inRecords(Buffer.from([2, 0, 0, 1, 0]))],
    ['a message of two bytes', inRecords(Buffer.from([1, 0, 0, 2, 3, 3]))],
    ['an empty record', Buffer.from([22, 3, 1, 0, 0])],
    ['a record of another version', Buffer.from([22, 2, 0, 0, 1, 1])],
    ['another record in between', Buffer.from([22, 3, 1, 0, 1, 1, 21, 3, 1, 0, 2])],
    ['a warning before it', Buffer.concat([Buffer.from([21, 3, 1, 0, 2, 1, 90]), HELLO])],
    ['a change of cipher before it', Buffer.concat([Buffer.from([20, 3, 1, 0, 1, 1]), HELLO])],
    ['data before it', Buffer.from([23, 3, 3, 0, 1, 0])],
    ['the form of SSL 2', Buffer.from([0x80, 0x2e, 1, 3, 1])],
    ['SSL 2 itself', Buffer.from([0x80, 0x2e, 1, 0, 2])],
    ['a length beyond all use', Buffer.from([22, 3, 1, 0x3f, 0xfc, 1, 255, 255, 255])],
  ])('is malformed with %s', (_, bytes) => {
    expect(readHello(bytes)).toEqual({ status: 'malformed' })
  })

  it('ends where a record ends', () => {
    const message = Buffer.concat([whole(namedHello('a.example')), Buffer.from([1, 0, 0, 0])])

    expect(readHello(inRecords(message))).toEqual({ status: 'malformed' })
  })

  it('is at most 16 KiB long', () => {
    const long = helloWith([[21, Buffer.alloc(MOST_HELLO_BYTES)]])

    expect(readHello(long)).toEqual({ status: 'malformed' })
  })
})

/** The content of a server_name extension. */
function name(...names: readonly string[]): Buffer {
  const entries = Buffer.concat(
    names.map((one) => Buffer.concat([Buffer.from([0, 0, one.length]), Buffer.from(one)])),
  )
  return Buffer.concat([Buffer.from([0, entries.length]), entries])
}

/** A hello whose last extension is cut while its lengths stay. */
function mangled(cut: number): Buffer {
  const message = helloMessage([[0, name('a.example')]]).subarray(0, cut)
  const shorter = Buffer.from(message)
  shorter.writeUIntBE(shorter.length - 4, 1, 3)
  return inRecords(shorter)
}

function whole(records: Buffer): Buffer {
  return records.subarray(5)
}
