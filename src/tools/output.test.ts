import { describe, expect, it } from 'vitest'
import { cleanOutput } from './output.js'

describe('cleanOutput', () => {
  it.each([
    ['colours', '\x1b[1;31mred\x1b[0m', 'red'],
    ['titles', '\x1b]0;evil\x07text\x1b]8;;http://x\x1b\\link', 'textlink'],
    ['device strings', '\x1bPq#0\x1b\\a\x9b2Jb', 'ab'],
    ['single escapes', '\x1bcx\x1b(By', 'xy'],
    ['controls', 'a\x00b\x08c\x7fd\x85e', 'abcde'],
    ['direction', 'a\u202eb\u2066c', 'abc'],
    ['hidden tags', 'a\u{e0041}\u{e0042}b', 'ab'],
    ['line ends', 'a\r\nb\rc', 'a\nb\nc'],
  ])('removes %s', (_name, given, clean) => {
    expect(cleanOutput(given)).toEqual({ text: clean, truncated: false })
  })

  it('keeps newlines, tabs and every script', () => {
    const text = 'a\n\tb é 日本 🙂 👩‍💻 עברית'

    expect(cleanOutput(text).text).toBe(text)
  })

  it('hides no text behind a sequence that never ends', () => {
    expect(cleanOutput('a\x1b]0;kept').text).toContain('kept')
  })

  it('masks known secrets, also where a control sequence splits one', () => {
    const secrets = ['hunter2', 'hunter2-long', 'ab', '$&']

    const { text } = cleanOutput('x hun\x1b[0mter2 hunter2-long ab', { secrets })

    expect(text).toBe('x [masked] [masked] ab')
  })

  it('keeps head and tail of a long text and says how much is missing', () => {
    const { text, truncated } = cleanOutput(`head${'x'.repeat(100)}tail`, { maximumLength: 8 })

    expect(truncated).toBe(true)
    expect(text).toBe('head\n[... 100 characters cut ...]\ntail')
  })

  it('cuts no character in two', () => {
    const { text } = cleanOutput('🙂'.repeat(10), { maximumLength: 2 })

    expect(text.isWellFormed()).toBe(true)
  })

  it('shows no part of a secret at the cut', () => {
    const { text } = cleanOutput(`${'x'.repeat(6)}topsecret${'x'.repeat(6)}`, {
      maximumLength: 10,
      secrets: ['topsecret'],
    })

    expect(text).not.toMatch(/tops|cret/)
  })

  it.each(['\x9d', '\x90', '\x1b]', '\x1bP', '\x1b[', '\x9b0'])(
    'does not hang on 1 MiB of openings that never end: %j',
    (opening) => {
      const start = performance.now()

      cleanOutput(opening.repeat((1024 * 1024) / opening.length))

      expect(performance.now() - start).toBeLessThan(3000)
    },
  )
})
