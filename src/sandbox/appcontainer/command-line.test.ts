import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { commandLine } from './command-line.js'

/**
 * CommandLineToArgvW as its manual tells it, written from the manual alone: the first word by other
 * rules, 2n backslashes before a quote are n, 2n+1 are n and a quote, two quotes inside quotes are one.
 */
function argvOf(line: string): readonly string[] {
  const words: string[] = []
  let at = 0
  if (line.startsWith('"')) {
    const end = line.indexOf('"', 1)
    words.push(line.slice(1, end === -1 ? undefined : end))
    at = end === -1 ? line.length : end + 1
  } else {
    while (at < line.length && line.charAt(at) > ' ') at += 1
    words.push(line.slice(0, at))
  }
  for (;;) {
    while (line.charAt(at) === ' ' || line.charAt(at) === '\t') at += 1
    if (at >= line.length) return words
    let [word, isQuoted] = ['', false]
    while (
      at < line.length &&
      (isQuoted || (line.charAt(at) !== ' ' && line.charAt(at) !== '\t'))
    ) {
      const run = /^\\*/.exec(line.slice(at))?.[0].length ?? 0
      const isBeforeQuote = line.charAt(at + run) === '"'
      if (run > 0) {
        word += '\\'.repeat(isBeforeQuote ? run >> 1 : run)
        at += run
        if (isBeforeQuote && run % 2 === 1) {
          word += '"'
          at += 1
        }
      } else if (line.charAt(at) === '"') {
        if (isQuoted && line.charAt(at + 1) === '"') {
          word += '"'
          at += 1
        } else isQuoted = !isQuoted
        at += 1
      } else {
        word += line.charAt(at)
        at += 1
      }
    }
    words.push(word)
  }
}

const AWKWARD = fc.constantFrom(
  '\\',
  '"',
  ' ',
  '\t',
  'a',
  '%',
  '^',
  '&',
  '|',
  '\n',
  '\v',
  'é',
  '𝔸',
  "'",
)
const WORD = fc.oneof(
  fc.array(AWKWARD, { maxLength: 12 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\0', '')),
)

describe('a command line', () => {
  it('[S1-16] gives every program exactly the words that went in', () => {
    fc.assert(
      fc.property(fc.array(WORD, { maxLength: 6 }), (words) => {
        const argv = ['C:\\Program Files\\a b\\tool.exe', ...words]

        expect(argvOf(commandLine(argv))).toEqual(argv)
      }),
      { numRuns: 5000 },
    )
  })

  it.each([
    [['a.exe', 'x y'], '"a.exe" "x y"'],
    [['a.exe', ''], '"a.exe" ""'],
    [['a.exe', 'a\\'], '"a.exe" a\\'],
    [['a.exe', 'a b\\'], '"a.exe" "a b\\\\"'],
    [['a.exe', 'a\\"b'], '"a.exe" "a\\\\\\"b"'],
    [['a.exe', '%PATH%'], '"a.exe" "%PATH%"'],
  ])('of %j is %s', (argv, line) => {
    expect(commandLine(argv)).toBe(line)
  })

  it.each([[[]], [['']], [['a"b.exe']], [['a.exe', 'x\0y']], [['a.exe', '\ud800']]])(
    'is refused for %j',
    (argv) => {
      expect(() => commandLine(argv)).toThrowError(
        expect.objectContaining({ code: 'setup_failed' }),
      )
    },
  )

  it('is refused when Windows cannot hold it', () => {
    expect(commandLine(['a.exe', 'x'.repeat(32_757)])).toHaveLength(32_765)
    expect(() => commandLine(['a.exe', 'x'.repeat(32_760)])).toThrowError(
      expect.objectContaining({ code: 'setup_failed' }),
    )
  })
})
