/** First messages of TLS clients, byte by byte, honest and not. */

/** An extension: its type and its content. */
export type Extension = readonly [type: number, content: Buffer]

/** The message alone; with `null` it is of the time before extensions. */
export function helloMessage(extensions: readonly Extension[] | null): Buffer {
  const listed = Buffer.concat(
    (extensions ?? []).map(([type, content]) => {
      const head = Buffer.alloc(4)
      head.writeUInt16BE(type, 0)
      head.writeUInt16BE(content.length, 2)
      return Buffer.concat([head, content])
    }),
  )
  const length = Buffer.alloc(2)
  length.writeUInt16BE(listed.length)
  const body = Buffer.concat([
    Buffer.from([3, 3]),
    Buffer.alloc(32, 7),
    Buffer.from([0, 0, 2, 0x13, 0x01, 1, 0]),
    ...(extensions === null ? [] : [length, listed]),
  ])
  const head = Buffer.from([1, 0, 0, 0])
  head.writeUIntBE(body.length, 1, 3)
  return Buffer.concat([head, body])
}

/** A message cut into records of at most `size` bytes. */
export function inRecords(message: Buffer, size = 16_384): Buffer {
  const records: Buffer[] = []
  for (let at = 0; at < message.length; at += size) {
    const part = message.subarray(at, at + size)
    records.push(Buffer.from([22, 3, 1, part.length >> 8, part.length & 0xff]), part)
  }
  return Buffer.concat(records)
}

export function helloWith(extensions: readonly Extension[]): Buffer {
  return inRecords(helloMessage(extensions))
}

/** What an ordinary client sends that wants to reach `host`. */
export function namedHello(host: string, size?: number): Buffer {
  const name = Buffer.from(host, 'latin1')
  const content = Buffer.concat([Buffer.from([0, name.length + 3, 0, 0, name.length]), name])
  const others: readonly Extension[] = [[43, Buffer.from([2, 3, 4])]]
  return inRecords(helloMessage([[0, content], ...others]), size)
}
