import { describe, expect, it } from 'vitest'
import { joinBatches, joinLines, MAX_LINE, splitLines } from './lines.js'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

async function split(chunks: readonly Uint8Array[]): Promise<readonly string[]> {
  const lines: string[] = []
  for await (const line of splitLines(chunks)) lines.push(new TextDecoder().decode(line))
  return lines
}

describe('lines', () => {
  it('are the same wherever the chunks are cut', async () => {
    const all = bytes('first\n\nthïrd\nlast')

    for (let one = 0; one <= all.length; one += 1) {
      for (let two = one; two <= all.length; two += 1) {
        const chunks = [all.subarray(0, one), all.subarray(one, two), all.subarray(two)]
        expect(await split(chunks)).toEqual(['first', '', 'thïrd'])
      }
    }
  })

  it('are joined with an LF after each', () => {
    const joined = joinBatches([joinLines([bytes('a'), bytes('b')]), joinLines([bytes('c')])])

    expect(new TextDecoder().decode(joined)).toBe('a\nb\nc\n')
  })

  it('may be as long as 1 MiB and no longer, wherever the LF is', async () => {
    const longest = new Uint8Array(MAX_LINE).fill(0x61)
    const half = longest.subarray(MAX_LINE / 2)

    expect(await split([half, half, bytes('\n')])).toHaveLength(1)
    await expect(split([half, half, bytes('a\n')])).rejects.toMatchObject({
      code: 'malformed_record',
    })
    await expect(split([half, half, bytes('a')])).rejects.toMatchObject({
      code: 'malformed_record',
    })
  })
})
