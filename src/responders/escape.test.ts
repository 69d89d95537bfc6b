import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CONFUSABLES } from './confusables.js'
import { untrusted } from './escape.js'

const shown = (text: string): string => untrusted('model', text).text

/** Written apart from the code under test: what may ever reach a terminal. */
const SAFE_CHARACTER =
  /^(?!\p{Default_Ignorable_Code_Point})[\x20-\x7e\p{L}\p{Nd}\p{Mn}\p{Mc}〇¡¿§©®€£、。「」『』【】“”‘’—–…·\uff01-\uff5e]$/u
const REORDERS_OR_COMBINES =
  /[\u0300-\u036f\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefe\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u
const isSafe = (text: string): boolean =>
  Array.from(text).every((one) => SAFE_CHARACTER.test(one)) && !REORDERS_OR_COMBINES.test(text)

const anyText = fc.string({ unit: 'binary', maxLength: 60 })
const surrogates = fc
  .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 40 })
  .map((units) => String.fromCharCode(...units))
const hostile = fc
  .array(
    fc.constantFrom(
      ...['\u202e', '\u2066', '\u200b', '\u00ad', '\ufe0f', '\u{e0061}', '\\', '\\u{202e}', '\n'],
      ...['\r', '\u001b[2J', '\u0085', '\u2028', '\ud800', 'а', 'a', 'ａ', '𝐚', '\u3000', '\u0301'],
      ...['中', 'п', 'ñ', 'rm -rf /', '{3 characters hidden}', '\u05d0', '\u0627', '\u3164'],
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''))

describe('untrusted text', () => {
  test.each([
    ['a bidirectional override', '\u202e', '\\u{202e}'],
    ['an isolate', '\u2066x', '\\u{2066}x'],
    ['a zero-width space', 'a\u200bb', 'a\\u{200b}b'],
    ['a zero-width joiner', 'a\u200db', 'a\\u{200d}b'],
    ['a tag character', 'a\u{e0041}', 'a\\u{e0041}'],
    ['a variation selector', 'a\ufe0f', 'a\\u{fe0f}'],
    ['a supplementary variation selector', 'a\u{e0100}', 'a\\u{e0100}'],
    ['a soft hyphen', 'a\u00adb', 'a\\u{ad}b'],
    ['a Hangul filler', '\u3164', '\\u{3164}'],
    ['a byte order mark', '\ufeffa', '\\u{feff}a'],
    ['an escape sequence', '\u001b[31m', '\\u{1b}[31m'],
    ['a C1 control', '\u009b31m', '\\u{9b}31m'],
    ['a line feed', 'a\nb', 'a\\u{a}b'],
    ['a carriage return', 'a\rb', 'a\\u{d}b'],
    ['a line separator', 'a\u2028b', 'a\\u{2028}b'],
    ['a tab', 'a\tb', 'a\\u{9}b'],
    ['a lone surrogate', 'a\ud800', 'a\\u{d800}'],
    ['a no-break space', 'a\u00a0b', 'a\\u{a0}b'],
    ['an ideographic space', 'a\u3000b', 'a\\u{3000}b'],
    ['a combining mark', 'e\u0301', 'e\\u{301}'],
    ['a private character', '\ue000', '\\u{e000}'],
    ['right-to-left letters', '\u05d0\u05d1', '\\u{5d0}\\u{5d1}'],
  ])('[H-10] %s is escaped', (_, text, expected) => {
    const result = shown(text)

    expect(result).toBe(expected)
  })

  test.each([
    ['Cyrillic', 'p\u0430ypal.com', 'p\\u{430}ypal.com'],
    ['wholly Cyrillic', '\u0441\u043e\u0440\u0443', '\\u{441}\\u{43e}\\u{440}\\u{443}'],
    ['Greek', '\u039fpen', '\\u{39f}pen'],
    ['fullwidth', 'etc\uff0fpasswd', 'etc\\u{ff0f}passwd'],
    ['wholly fullwidth', '\uff52\uff4d', '\\u{ff52}\\u{ff4d}'],
    ['mathematical', '\u{1d42b}m', '\\u{1d42b}m'],
    ['Cherokee', '\u13a0\u13a1', '\\u{13a0}\\u{13a1}'],
    ['dotless', 'f\u0131le', 'f\\u{131}le'],
    ['division slash', 'etc\u2215passwd', 'etc\\u{2215}passwd'],
    ['curly quotes', '\u201crm\u201d', '\\u{201c}rm\\u{201d}'],
    ['Arabic-Indic digit', '1\u0660', '1\\u{660}'],
    ['Devanagari digit', 'a\u0966', 'a\\u{966}'],
    ['Katakana slash', 'etc\u30cepasswd', 'etc\\u{30ce}passwd'],
    ['Cyrillic among accented Latin', '\u0441\u043e\u00f1\u043e', '\\u{441}\\u{43e}\u00f1\\u{43e}'],
  ])('[H-10] a %s twin of an ASCII character is escaped', (_, text, expected) => {
    const result = shown(text)

    expect(result).toBe(expected)
  })

  test.each([
    ['Spanish', '¿Dónde está el niño? ¡Aquí!'],
    ['German', 'Größe ändern'],
    ['Chinese', '运行测试，然后提交。'],
    ['a Chinese year', '二〇二六年'],
    ['Chinese quotes', '他说：“你好”'],
    ['Japanese', 'サーバーを再起動する'],
    ['Korean', '파일 삭제'],
    ['Russian', 'Привет, друзья'],
    ['Greek', 'Καλημέρα'],
    ['Hindi', 'हिन्दी में'],
    ['Thai', 'สวัสดี'],
    ['a path with a Russian name', '/srv/файлы/list.txt'],
    ['a command', `git commit -m 'fix: $x' && echo "done" | tee a.log`],
  ])('%s text stays readable', (_, text) => {
    const result = shown(text)

    expect(result).toBe(text)
  })

  test('[H-10] an escape that was typed differs from the character it names', () => {
    const typed = shown('\\u{202e}')

    expect(typed).toBe('\\\\u{202e}')
    expect(typed).not.toBe(shown('\u202e'))
  })

  test('[H-10] nothing outside the safe set is ever shown', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, surrogates, hostile), fc.integer({ min: 0, max: 50 }), (t, n) =>
        isSafe(untrusted('tool', t, n).text),
      ),
      { numRuns: 3000 },
    )
  })

  test.each([
    ['alone', ''],
    ['beside Latin letters', 'a'],
    ['beside Chinese ones', '中'],
    ['beside Cyrillic ones', 'ж'],
  ])('[H-10] no single character of Unicode, %s, is shown unsafely', (_, beside) => {
    const unsafe: string[] = []
    for (let code = 0; code <= 0x10ffff; code += 1) {
      const text = beside + String.fromCodePoint(code) + beside
      if (!isSafe(shown(text))) unsafe.push(code.toString(16))
    }

    expect(unsafe).toEqual([])
  })

  test('[H-10] a twin never stands beside an ASCII letter', () => {
    for (const twin of CONFUSABLES) {
      expect(shown(`a${twin}b`)).toMatch(/^a\\u\{[0-9a-f]+\}b$/)
      expect(shown(twin)).toMatch(/^\\u\{[0-9a-f]+\}$/)
    }
  })

  test.each([
    [
      'Cyrillic capitals',
      'ABEIJKMHOPSCTXY3',
      [
        0x410, 0x412, 0x415, 0x406, 0x408, 0x41a, 0x41c, 0x41d, 0x41e, 0x420, 0x405, 0x421, 0x422,
        0x425, 0x4ae, 0x417,
      ],
    ],
    [
      'Cyrillic small letters',
      'aceijopsxyhdqwvl',
      [
        0x430, 0x441, 0x435, 0x456, 0x458, 0x43e, 0x440, 0x455, 0x445, 0x443, 0x4bb, 0x501, 0x51b,
        0x51d, 0x475, 0x4cf,
      ],
    ],
    [
      'Greek capitals',
      'ABEZHIKMNOPTYX',
      [
        0x391, 0x392, 0x395, 0x396, 0x397, 0x399, 0x39a, 0x39c, 0x39d, 0x39f, 0x3a1, 0x3a4, 0x3a5,
        0x3a7,
      ],
    ],
    ['Greek small letters', 'aivopuyn', [0x3b1, 0x3b9, 0x3bd, 0x3bf, 0x3c1, 0x3c5, 0x3b3, 0x3b7]],
    ['Armenian letters', 'ouhgq', [0x585, 0x57d, 0x570, 0x581, 0x566]],
  ])('[H-10] %s that read as `%s` are twins', (_, ascii, codes) => {
    const missing = codes.filter((code) => !CONFUSABLES.has(String.fromCodePoint(code)))

    expect(missing).toEqual([])
    expect(codes).toHaveLength(ascii.length)
  })

  test('[H-10] two different texts that are shown in full are never shown alike', () => {
    fc.assert(
      fc.property(
        fc.oneof(hostile, anyText, surrogates),
        fc.oneof(hostile, anyText, surrogates),
        (a, b) => a === b || shown(a) !== shown(b),
      ),
      { numRuns: 3000 },
    )
  })

  test('[H-10] what is shown in full can be read back to the text that was given', () => {
    const readBack = (text: string): string =>
      text.replace(/\\\\|\\u\{([0-9a-f]+)\}/g, (_, code: string | undefined) =>
        code === undefined ? '\\' : String.fromCodePoint(Number.parseInt(code, 16)),
      )

    fc.assert(
      fc.property(fc.oneof(hostile, anyText, surrogates), (text) => readBack(shown(text)) === text),
      { numRuns: 3000 },
    )
  })

  test('[H-10] a long text shows head, tail and the exact number of hidden characters', () => {
    const result = untrusted('model', `start${'x'.repeat(100)}end`, 12)

    expect(result).toEqual({
      author: 'model',
      text: 'startxxx\\{96 characters hidden}xend',
      hidden: 96,
    })
  })

  test('[H-10] characters beyond the basic plane are counted once and never cut in two', () => {
    const result = untrusted('model', '\u{20000}'.repeat(10), 3)

    expect(result.text).toBe('\u{20000}\u{20000}\\{7 characters hidden}\u{20000}')
    expect(result.hidden).toBe(7)
  })

  test('[H-10] a text cannot spell the gap that stands for hidden characters', () => {
    const result = shown('a\\{96 characters hidden}b')

    expect(result).toBe('a\\\\{96 characters hidden}b')
  })

  test('[H-10] a text of several megabytes is cut, not shown', () => {
    const result = untrusted('model', '\u202e'.repeat(4_000_000))

    expect(result.hidden).toBe(3_998_000)
  })
})
