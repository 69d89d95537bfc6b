/** Which addresses a grant may lead to (sandbox.md §7): what is not plainly public needs the host's word. */

/**
 * `public`: reachable by everybody. `private`: this machine, this network, or an address that stands for
 * another one; only for hosts that the composition names. `never`: no origin at all, or not understood.
 */
export type AddressClass = 'public' | 'private' | 'never'

/** The class of an IPv4 or IPv6 address in any spelling of a resolver or of a URL. */
export function classOfAddress(address: string): AddressClass {
  const four = bytesOfFour(address)
  if (four !== null) return classIn(FOUR, four) ?? 'public'
  const six = bytesOfSix(address)
  if (six === null) return 'never'
  const inner = INNER.find(({ bytes, bits }) => begins(six, bytes, bits))
  // An address in another one's clothes is at best as private as a private one.
  if (inner !== undefined) {
    return classIn(FOUR, six.slice(inner.at, inner.at + 4)) === 'never' ? 'never' : 'private'
  }
  return classIn(SIX, six) ?? (begins(six, [0x20], 3) ? 'public' : 'never')
}

interface Range {
  readonly bytes: readonly number[]
  readonly bits: number
  readonly class: AddressClass
}

/** This machine and network, shared (CGNAT), link-local, documentation, benchmarks, relays; multicast and reserved. */
const FOUR: readonly Range[] = [
  ...(['0.0.0.0/8', '224.0.0.0/4', '240.0.0.0/4'] as const).map((text) => four(text, 'never')),
  ...(
    [
      ...['10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
      ...['192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15'],
      ...['198.51.100.0/24', '203.0.113.0/24'],
    ] as const
  ).map((text) => four(text, 'private')),
]

/** Unspecified, multicast; loopback, unique local, link-local, site-local, documentation, protocol assignments. */
const SIX: readonly Range[] = [
  ...(['::/128', 'ff00::/8'] as const).map((text) => six(text, 'never')),
  ...(
    [
      ...['::1/128', 'fc00::/7', 'fe80::/10', 'fec0::/10'],
      ...['2001::/23', '2001:db8::/32', '3fff::/20'],
    ] as const
  ).map((text) => six(text, 'private')),
]

/** Prefixes behind which an IPv4 address stands, and where: mapped, translated, 6to4. */
const INNER: readonly (Range & { readonly at: number })[] = [
  { ...six('::ffff:0:0/96', 'private'), at: 12 },
  { ...six('64:ff9b::/96', 'private'), at: 12 },
  { ...six('2002::/16', 'private'), at: 2 },
]

function classIn(ranges: readonly Range[], address: readonly number[]): AddressClass | undefined {
  return ranges.find(({ bytes, bits }) => begins(address, bytes, bits))?.class
}

function begins(address: readonly number[], prefix: readonly number[], bits: number): boolean {
  return prefix.slice(0, Math.ceil(bits / 8)).every((byte, index) => {
    const mask = (0xff << Math.max(0, 8 - (bits - index * 8))) & 0xff
    return ((address[index] ?? 0) & mask) === (byte & mask)
  })
}

function four(text: string, name: AddressClass): Range {
  const [address = '', bits = ''] = text.split('/')
  return { bytes: bytesOfFour(address) ?? [], bits: Number(bits), class: name }
}

function six(text: string, name: AddressClass): Range {
  const [address = '', bits = ''] = text.split('/')
  return { bytes: bytesOfSix(address) ?? [], bits: Number(bits), class: name }
}

function bytesOfFour(text: string): readonly number[] | null {
  if (!/^(?:\d{1,3}\.){3}\d{1,3}$/.test(text)) return null
  const bytes = text.split('.').map(Number)
  return bytes.every((byte) => byte <= 255) ? bytes : null
}

/** Eight groups, at most one `::`, the last two perhaps as IPv4; a zone (`%eth0`) is not understood. */
function bytesOfSix(given: string): readonly number[] | null {
  const tail = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(given)
  const embedded = tail === null ? [] : bytesOfFour(tail[2] ?? '')
  if (embedded === null || (tail !== null && embedded.length === 0)) return null
  const text = tail === null ? given : `${tail[1] ?? ''}${hexadecimal(embedded)}`
  const halves = text.split('::')
  if (halves.length > 2) return null
  const [head = [], rest] = halves.map((half) => (half === '' ? [] : half.split(':')))
  const missing = 8 - head.length - (rest?.length ?? 0)
  if (rest === undefined ? missing !== 0 : missing < 1) return null
  const groups = [
    ...head,
    ...Array<string>(rest === undefined ? 0 : missing).fill('0'),
    ...(rest ?? []),
  ]
  if (!groups.every((group) => /^[0-9A-Fa-f]{1,4}$/.test(group))) return null
  return groups.flatMap((group) => [parseInt(group, 16) >> 8, parseInt(group, 16) & 0xff])
}

function hexadecimal([a = 0, b = 0, c = 0, d = 0]: readonly number[]): string {
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
}
