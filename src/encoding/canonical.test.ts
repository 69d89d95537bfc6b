import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import vectors from '../../test/cases/vectors/jcs.json' with { type: 'json' }
import { canonicalBytes, canonicalLeaf, canonicalText } from './canonical.js'
import { digestsEqual, leafDigest, portable, sha256 } from './digest.js'

describe('canonical bytes', () => {
  it.each(vectors.files.map((file) => [file.name, file] as const))(
    'agree with the public vector `%s` of RFC 8785',
    (_, file) => {
      const input: unknown = JSON.parse(Buffer.from(file.input_utf8_b64, 'base64').toString('utf8'))

      const bytes = canonicalBytes(input as object)

      expect(Buffer.from(bytes).toString('hex')).toBe(file.output_hex)
    },
  )

  it.each(vectors.numbers.map((row) => [row[0], row[1]] as const))(
    'write the number with bits %s as %s',
    (bits, text) => {
      const value = Buffer.from(String(bits).padStart(16, '0'), 'hex').readDoubleBE()

      expect(canonicalText(value)).toBe(text)
    },
  )
})

describe('digests', () => {
  it('are the same from the fast and from the portable implementation', () => {
    for (const text of ['', 'abc', 'ü€😀', 'x'.repeat(10_000)]) {
      expect(sha256(text)).toBe(portable(text))
      expect(sha256(text)).toBe(createHash('sha256').update(text).digest('hex'))
    }
  })

  it('of a record are those of its Merkle leaf', () => {
    const bytes = new TextEncoder().encode('{"a":1}')
    const expected = createHash('sha256').update(Uint8Array.of(0)).update(bytes).digest('hex')

    expect(leafDigest(bytes)).toBe(expected)
  })

  it('and lines of a record come from one encoding', () => {
    const record = { b: 'ü', a: [1, null] }

    const { line, digest } = canonicalLeaf(record)

    expect(line).toEqual(canonicalBytes(record))
    expect(digest).toBe(leafDigest(line))
  })

  it('compare by their whole text', () => {
    expect(digestsEqual('ab', 'ab')).toBe(true)
    expect(digestsEqual('ab', 'ac')).toBe(false)
    expect(digestsEqual('ab', 'abc')).toBe(false)
  })
})
