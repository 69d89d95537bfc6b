/** `parallel command ::: a b`, as far as its text is plain; it hands every line to a shell. */

import { fixedWord, type ShellWord } from '../unfold/word.js'
import { readOptions } from './options.js'
import { unreadable, type Inner, type Unwrapped } from './unwrapped.js'

const PLAIN = /^[A-Za-z0-9_./:=@%+,-]+$/
const MOST = 64

export function unwrapParallel(words: readonly ShellWord[]): Unwrapped {
  const options = readOptions(words, 1, {
    flags: 'kv',
    valued: 'j',
    longFlags: ['keep-order', 'verbose'],
    longValued: ['jobs'],
  })
  const marks = words.flatMap(({ text }, index) => (/^:{3,4}\+?$/.test(text) ? [index] : []))
  const [mark, ...more] = marks
  if (options === null || mark === undefined || more.length > 0) return unreadable('wrapper_option')
  const template = words.slice(options.end, mark)
  const inputs = words.slice(mark + 1)
  const texts = [
    ...template.map(({ text }) => text.replaceAll('{}', '')),
    ...inputs.map(({ text }) => text),
  ]
  const isPlain =
    words.every((word) => !word.dynamic && !word.pattern) &&
    words[mark]?.text === ':::' &&
    template.length > 0 &&
    inputs.length <= MOST &&
    texts.every((text) => text === '' || PLAIN.test(text))
  if (!isPlain) return unreadable('wrapper_option')
  return {
    transparent: false,
    runs: inputs.map((input) => filledIn(template, input.text)),
    refusals: [],
  }
}

function filledIn(template: readonly ShellWord[], input: string): Inner {
  const hasMark = template.some(({ text }) => text.includes('{}'))
  const words = template.map(({ text, at }) => fixedWord(text.replaceAll('{}', input), at))
  return {
    kind: 'words',
    words: hasMark ? words : [...words, fixedWord(input, template[0]?.at ?? 0)],
  }
}
