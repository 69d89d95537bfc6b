/** Makes text that somebody else wrote safe to show to a person (pipeline.md §5, H-10). */

import type { UntrustedText } from '../contract/approval.js'
import { CONFUSABLES, NEVER_SHOWN, PLAIN_SIGNS, SHOWN_LETTER, SHOWN_MARK } from './confusables.js'

/** How many characters of one text are shown when the caller does not say. */
export const SHOWN_CHARACTERS = 2000

/**
 * Labels a text with its author and escapes it. What is shown holds printable ASCII and ordinary
 * letters of other scripts; everything else stands as `\u{…}`, a backslash as `\\`. A text longer
 * than `limit` shows head and tail, and between them `\{n characters hidden}`, which no text can spell.
 */
export function untrusted(
  author: UntrustedText['author'],
  text: string,
  limit: number = SHOWN_CHARACTERS,
): UntrustedText {
  const length = offsets(text, Number.POSITIVE_INFINITY).characters
  if (length <= limit) return Object.freeze({ author, text: escapeText(text), hidden: 0 })
  const tailLength = Math.floor(limit / 3)
  const hidden = length - limit
  const head = text.slice(0, offsets(text, limit - tailLength).offset)
  const tail = text.slice(offsets(text, length - tailLength).offset)
  const gap = `\\{${hidden} characters hidden}`
  return Object.freeze({ author, text: escapeText(head) + gap + escapeText(tail), hidden })
}

/** Where the n-th character ends, in UTF-16 units; a lone surrogate counts as a character. */
function offsets(text: string, count: number): { characters: number; offset: number } {
  let characters = 0
  let offset = 0
  while (offset < text.length && characters < count) {
    offset += (text.codePointAt(offset) ?? 0) > 0xffff ? 2 : 1
    characters += 1
  }
  return { characters, offset }
}

/** Words, in which a twin is judged by its neighbours; and the single ASCII signs that are escaped. */
const WORDS = /[0-9a-z\u{80}-\u{10ffff}]+|[\p{Cc}\\]/giu
const ASCII_WORD = /^[0-9a-z]+$/i

function escapeText(text: string): string {
  return text.replace(WORDS, (word) => {
    if (word === '\\') return '\\\\'
    return ASCII_WORD.test(word) ? word : escapeWord(word)
  })
}

/** `twin`: shown only where the word around it cannot be taken for one in Latin letters. */
type Class = 'ascii' | 'plain' | 'twin' | 'mark' | 'escaped'

function escapeWord(word: string): string {
  const characters = Array.from(word)
  const classes: Class[] = []
  for (const [index, character] of characters.entries()) {
    classes.push(settleMark(classify(character), classes, characters[index - 1]))
  }
  const deceives = readsAsLatin(characters, classes)
  const shown = characters.map((character, index) => {
    const kind = classes[index]
    const hides = kind === undefined || kind === 'escaped' || (kind === 'twin' && deceives)
    return hides ? escapeCharacter(character) : character
  })
  return shown.join('')
}

function classify(character: string): Class {
  if (/^\p{ASCII}$/u.test(character)) return ASCII_WORD.test(character) ? 'ascii' : 'escaped'
  if (CONFUSABLES.has(character) || /^[\uff01-\uff5e]$/.test(character)) return 'twin'
  if (PLAIN_SIGNS.has(character)) return 'plain'
  if (/^\p{Default_Ignorable_Code_Point}$/u.test(character)) return 'escaped'
  if (isNeverShown(character) || character.normalize('NFKC') !== character) return 'escaped'
  if (/^\p{Nd}$/u.test(character)) return SHOWN_LETTER.test(character) ? 'twin' : 'escaped'
  if (/^[\p{Mn}\p{Mc}]$/u.test(character)) return SHOWN_MARK.test(character) ? 'mark' : 'escaped'
  if (/^\p{L}$/u.test(character)) return SHOWN_LETTER.test(character) ? 'plain' : 'escaped'
  return 'escaped'
}

function isNeverShown(character: string): boolean {
  const code = character.codePointAt(0) ?? 0
  return NEVER_SHOWN.some(([from, to]) => code >= from && code <= to)
}

/** Marks stack on letters of their own kind only, and not endlessly. */
function settleMark(kind: Class, before: readonly Class[], base: string | undefined): Class {
  if (kind !== 'mark') return kind
  const follows = base !== undefined && SHOWN_MARK.test(base) && before.at(-1) !== 'escaped'
  const stack = before.slice(-MARKS_IN_A_ROW)
  const full = stack.length === MARKS_IN_A_ROW && stack.every((earlier) => earlier === 'mark')
  return follows && !full ? 'mark' : 'escaped'
}

const MARKS_IN_A_ROW = 3

/** A word with a Latin letter in it, or one in which nothing but twins would be shown. */
function readsAsLatin(characters: readonly string[], classes: readonly Class[]): boolean {
  let foreign = false
  for (const [index, character] of characters.entries()) {
    const kind = classes[index]
    if ((kind === 'ascii' || kind === 'plain') && /^\p{Script=Latin}$/u.test(character)) return true
    if (kind === 'plain') foreign = true
  }
  return !foreign
}

function escapeCharacter(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
}
