import { expect, it } from 'vitest'
import { exactly, inAnyCase, withoutCase } from './any-case.js'

const fits = (pattern: string, text: string): boolean => new RegExp(`^${pattern}$`, 'su').test(text)

it.each(['.git', '.GIT', '.gIt'])('fits `%s` as a spelling of .git', (name) => {
  expect(fits(inAnyCase('.git'), name)).toBe(true)
})

it.each(['agit', '.git2', '.g', 'x.git', '.gi'])('does not fit `%s` as .git', (name) => {
  expect(fits(inAnyCase('.git'), name)).toBe(false)
})

it('pairs letters beyond ASCII, and leaves alone what has no single other case', () => {
  expect(fits(inAnyCase('café'), 'CAFÉ')).toBe(true)
  expect(withoutCase('CaFÉ')).toBe('café')
  for (const letter of ['\u017f', '\u212a', 'ß', 'İ']) {
    expect(inAnyCase(letter)).toBe(letter)
    expect(withoutCase(letter)).toBe(letter)
  }
})

it.each(['/a.b', '/a b', '/(x)[y]{z}', '/$^|*+?', '/\\d', '/"q"', '/é'])(
  'takes `%s` for itself alone',
  (path) => {
    expect(fits(exactly(path), path)).toBe(true)
    expect(fits(exactly(path), path.replace(/.$/, 'Q'))).toBe(false)
    expect(fits(inAnyCase(path), path)).toBe(true)
  },
)

it('uses nothing that only one of two pattern languages knows', () => {
  expect(inAnyCase('.a-b_1')).toBe('\\.(a|A)-(b|B)_1')
})
