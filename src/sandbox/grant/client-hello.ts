/** Whom a TLS client says it wants to reach: the first message of the protocol, read strictly (sandbox.md §7). Pure. */

/** What the first bytes of a client are. */
export type Hello =
  /** Nothing more can be said before this many bytes are there. */
  | { readonly status: 'incomplete'; readonly needed: number }
  /** The first byte begins neither a TLS record nor an old TLS greeting. */
  | { readonly status: 'other' }
  | { readonly status: 'malformed' }
  /** `name` is `null` when the client names nobody, or hides whom it means. */
  | { readonly status: 'hello'; readonly name: string | null }

/** A first message that needs more is malformed: real ones have a tenth of it. */
export const MOST_HELLO_BYTES = 16_384

const HANDSHAKE_RECORD = 22
/** From a change of cipher to an acknowledgement. */
const FIRST_RECORD = 20
const LAST_RECORD = 26
const CLIENT_HELLO = 1
const SERVER_NAME = 0

/** Encrypted ClientHello and its forerunner: the name that counts would be another one than the one shown. */
const HIDING: readonly number[] = [0xfe0d, 0xffce]

const MALFORMED: Hello = { status: 'malformed' }

/** Reads the beginning of a client's bytes, in as many records as the message was cut into. */
export function readHello(bytes: Uint8Array): Hello {
  if (bytes.length === 0) return { status: 'incomplete', needed: 1 }
  if (bytes[0] !== HANDSHAKE_RECORD) return otherThanRecord(bytes)
  const message: number[] = []
  let at = 0
  while (bytes.length >= at + 5) {
    const [type, major, minor = 5, high = 0, low = 0] = bytes.subarray(at, at + 5)
    const length = high * 256 + low
    if (type !== HANDSHAKE_RECORD || major !== 3 || minor > 4 || length === 0) return MALFORMED
    at += 5 + length
    if (at > MOST_HELLO_BYTES) return MALFORMED
    if (bytes.length < at) return { status: 'incomplete', needed: at }
    for (const byte of bytes.subarray(at - length, at)) message.push(byte)
    if (message[0] !== CLIENT_HELLO) return MALFORMED
    const size = message.length < 4 ? Infinity : 4 + new Cursor(message.slice(1, 4)).number(3)
    // The message ends where its record ends: nothing rides along.
    if (message.length > size) return MALFORMED
    if (message.length === size) return named(new Cursor(message.slice(4)))
  }
  return { status: 'incomplete', needed: at + 5 }
}

/**
 * Servers skip a warning that stands before the greeting, and some still take the greeting of SSL 2, which
 * names nobody: neither may pass for another protocol.
 */
function otherThanRecord(bytes: Uint8Array): Hello {
  const [first = 0, , kind, major, minor] = bytes
  if (first >= FIRST_RECORD && first <= LAST_RECORD) return MALFORMED
  if (first < 0x80 || (kind !== undefined && kind !== CLIENT_HELLO)) return { status: 'other' }
  if (minor === undefined) return { status: 'incomplete', needed: kind === undefined ? 3 : 5 }
  return major === 3 || (major === 0 && minor === 2) ? MALFORMED : { status: 'other' }
}

function named(body: Cursor): Hello {
  body.skip(2 + 32) // version and random
  body.skip(body.number(1)) // session
  body.skip(body.number(2)) // cipher suites
  body.skip(body.number(1)) // compression
  const names: (string | null)[] = []
  const seen = new Set<number>()
  // A message without extensions is one of the time before names.
  const extensions = body.isAtEnd() ? new Cursor([]) : body.part(2)
  while (!extensions.isAtEnd() && !extensions.isBroken()) {
    const type = extensions.number(2)
    const content = extensions.part(2)
    if (seen.has(type)) return MALFORMED
    seen.add(type)
    if (HIDING.includes(type)) names.push(null)
    if (type === SERVER_NAME) names.push(onlyName(content))
    if (content.isBroken()) return MALFORMED
  }
  if (body.isBroken() || !body.isAtEnd() || extensions.isBroken()) return MALFORMED
  return { status: 'hello', name: names.length === 1 ? (names[0] ?? null) : null }
}

/** A list of one name, of the only kind there is. */
function onlyName(content: Cursor): string | null {
  const list = content.part(2)
  const kind = list.number(1)
  const name = list.part(2)
  const text = name.text()
  const isWhole = content.isAtEnd() && list.isAtEnd() && !list.isBroken() && !content.isBroken()
  return isWhole && kind === 0 && /^[\x21-\x7e]{1,255}$/.test(text) ? text : null
}

/** Reads forward; what reaches beyond the end breaks it, and everything after is 0. */
class Cursor {
  private readonly bytes: readonly number[]
  private at = 0

  constructor(bytes: readonly number[]) {
    this.bytes = bytes
  }

  isAtEnd(): boolean {
    return this.at === this.bytes.length
  }

  isBroken(): boolean {
    return this.at > this.bytes.length
  }

  number(size: number): number {
    const found = this.bytes.slice(this.at, this.at + size)
    this.at += size
    return this.isBroken() ? 0 : found.reduce((sum, byte) => sum * 256 + byte, 0)
  }

  skip(size: number): void {
    this.at += size
  }

  /** What follows a length of `size` bytes. */
  part(size: number): Cursor {
    const length = this.number(size)
    const from = this.at
    this.at += length
    return new Cursor(this.isBroken() ? [] : this.bytes.slice(from, from + length))
  }

  text(): string {
    return String.fromCharCode(...this.bytes)
  }
}
