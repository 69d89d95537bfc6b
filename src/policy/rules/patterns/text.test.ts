import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compileText, escapeText, matchesTokens, type Token } from './text.js'

describe('matching a pattern of text', () => {
  it.each([
    ['rm -rf*', 'rm -rf x', true],
    ['rm -rf*', 'rm -rf ./x/y', false],
    ['rm -rf**', 'rm -rf ./x/y', true],
    ['a*c', 'a\nc', false],
    ['a?c', 'a\nc', false],
    ['a?c', 'a/c', false],
    ['a**c', 'a\n/c', true],
    ['a\\*c', 'a*c', true],
    ['a\\*c', 'abc', false],
    ['a\\?', 'a?', true],
    ['\\(a\\)', '(a)', true],
    ['a\\\\b', 'a\\b', true],
    ['a\\b', 'a\\b', true],
    ['?', '😀', true],
    ['', '', true],
    ['*', '', true],
    ['abc', 'abcd', false],
  ])('`%s` and %j: %s', (pattern, text, expected) => {
    expect(matchesTokens(compileText(pattern), text)).toBe(expected)
  })

  it('agrees with trying every way', () => {
    const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '/', '*', '?'), maxLength: 10 })
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '/', '\n'), maxLength: 12 })
    fc.assert(
      fc.property(pattern, text, (given, subject) => {
        const tokens = compileText(given)

        expect(matchesTokens(tokens, subject)).toBe(triesEveryWay(tokens, subject))
      }),
      { numRuns: 3000 },
    )
  })

  it('agrees with trying every way where whole folders are skipped', () => {
    const token = fc.constantFrom<Token>(
      { kind: 'literal', text: 'a' },
      { kind: 'literal', text: '/' },
      { kind: 'literal', text: 'ab/' },
      { kind: 'run' },
      { kind: 'all' },
      { kind: 'one' },
    )
    const segmentwise = fc
      .array(token, { maxLength: 8 })
      .map((tokens) =>
        tokens.flatMap((one): readonly Token[] =>
          one.kind === 'literal' && one.text.endsWith('/') ? [one, { kind: 'folders' }] : [one],
        ),
      )
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '/'), maxLength: 14 })
    fc.assert(
      fc.property(segmentwise, text, (tokens, subject) => {
        expect(matchesTokens(tokens, subject)).toBe(triesEveryWay(tokens, subject))
      }),
      { numRuns: 3000 },
    )
  })

  it('reads escaped text back literally', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', '*', '?', '\\', '(', ')') }), (text) => {
        expect(matchesTokens(compileText(escapeText(text)), text)).toBe(true)
      }),
    )
  })

  it.each([
    ['*a*a*a*a*a*a*b', 'a'.repeat(65_536)],
    ['**a*a*b', 'a'.repeat(65_536)],
    ['**a**a*a*b**c', 'a'.repeat(65_536)],
    ['**a*ba*c', `${'a'.repeat(65_000)}ba`],
    ['**a*b/**a*c', 'a/'.repeat(32_768)],
    ['**?*?*?*x', 'a'.repeat(65_536)],
  ])('`%s` ends soon on hostile text', (pattern, text) => {
    const start = performance.now()

    expect(matchesTokens(compileText(pattern), text)).toBe(false)
    expect(performance.now() - start).toBeLessThan(500)
  })
})

/** The meaning of each token, and nothing clever. */
function triesEveryWay(tokens: readonly Token[], text: string): boolean {
  const [first, ...rest] = tokens
  if (first === undefined) return text === ''
  switch (first.kind) {
    case 'literal':
      return text.startsWith(first.text) && triesEveryWay(rest, text.slice(first.text.length))
    case 'one':
      return /^[^/\n]/.test(text) && triesEveryWay(rest, text.slice(1))
    case 'any':
      return text !== '' && triesEveryWay(rest, text.slice(1))
    case 'run':
      return takes(text, /[^/\n]/, rest)
    case 'all':
      return takes(text, /[\s\S]/, rest)
    case 'folders': {
      const starts = [0, ...[...text.matchAll(/\//g)].map((match) => match.index + 1)]
      return starts.some((start) => triesEveryWay(rest, text.slice(start)))
    }
  }
}

function takes(text: string, able: RegExp, rest: readonly Token[]): boolean {
  for (let end = 0; end <= text.length; end += 1) {
    if (triesEveryWay(rest, text.slice(end))) return true
    if (!able.test(text.charAt(end))) return false
  }
  return false
}
