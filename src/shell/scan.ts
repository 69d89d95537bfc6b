/**
 * Cuts shell text into words the way bash does, and notes everything that is more than plain words
 * (rules.md §5 item 3). It goes on after a refusal, so that deny and ask rules see what can be told.
 */

import type { Refusal, RefusalCode } from '../core/need.js'

/** One word without its quotes, and where it begins. */
export interface Word {
  readonly text: string
  readonly at: number
}

/** What a text holds. Without refusals, `commands` is exactly what bash would run, word for word. */
export interface Scan {
  readonly commands: readonly (readonly Word[])[]
  readonly refusals: readonly Refusal[]
  /** Texts that bash would read as shell text again: double-quoted ones with a substitution. */
  readonly nested: readonly string[]
}

/** Scans a text in one pass, until it has more than `limit` commands; never throws. */
export function scan(text: string, limit: number): Scan {
  return new Scanner(text, limit).run()
}

/** Control, format, private, unassigned and invisible characters, and every blank but the ASCII one. */
const HIDDEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/u
const ALL_HIDDEN = new RegExp(HIDDEN, 'gu')
const PLAIN = /[A-Za-z0-9_./:=@%+,^-]/
const ASCII = /^[\x20-\x7e]$/

class Scanner {
  readonly #text: string
  readonly #limit: number
  readonly #commands: (readonly Word[])[] = []
  readonly #refusals = new Map<RefusalCode, number>()
  readonly #nested: string[] = []
  #words: Word[] = []
  /** The word being read; `null` between words. */
  #word: string | null = null
  #wordAt = 0
  /** The next word is the target of a redirection, no argument. */
  #target = false
  /** The next character. */
  #at = 0
  /** The character that was consumed last. */
  #charAt = 0

  constructor(text: string, limit: number) {
    this.#text = text
    this.#limit = limit
  }

  run(): Scan {
    while (this.#at < this.#text.length && this.#commands.length <= this.#limit) this.#step()
    this.#endCommand()
    const refusals = [...this.#refusals].map(([code, at]) => ({ code, at }))
    return { commands: this.#commands, refusals, nested: this.#nested }
  }

  #step(): void {
    const char = this.#next()
    switch (char) {
      case ' ':
      case '\t':
        return this.#endWord()
      case "'":
        return this.#singleQuoted()
      case '"':
        return this.#doubleQuoted()
      case '\\':
        return this.#escaped()
      case '\n':
      case ';':
      case '&':
      case '|':
      case '(':
      case ')':
        this.#refuse('compound')
        return this.#endCommand()
      case '<':
      case '>':
        return this.#redirect()
      case '`':
        this.#refuse('expansion')
        return this.#endCommand()
      default:
        return this.#plain(char)
    }
  }

  /** One code point, consumed. */
  #next(): string {
    const char = String.fromCodePoint(this.#text.codePointAt(this.#at) ?? 0)
    this.#charAt = this.#at
    this.#at += char.length
    return char
  }

  /** Notes the first refusal of each code, by default at the character that was consumed last. */
  #refuse(code: RefusalCode, at: number = this.#charAt): void {
    if (!this.#refusals.has(code)) this.#refusals.set(code, at)
  }

  #append(text: string): void {
    this.#beginWord()
    this.#word = (this.#word ?? '') + text
  }

  #beginWord(): void {
    if (this.#word !== null) return
    this.#word = ''
    this.#wordAt = this.#charAt
  }

  #plain(char: string): void {
    if (!ASCII.test(char)) {
      // Dropped from the word: `g<invisible>it` is to meet a deny of `git`.
      if (HIDDEN.test(char)) return this.#refuse('control_character')
      // Some locales take bytes of it for blanks; quoted it is plain.
      this.#refuse('quoting')
    } else if (char === '#') {
      if (this.#word === null) this.#refuse('unanalysed')
    } else if (char === '~') {
      if (!/[A-Za-z0-9]/.test(this.#before())) this.#refuse('expansion')
    } else if (!PLAIN.test(char)) {
      this.#refuse('expansion')
    }
    this.#append(char)
  }

  /** The character of the same word before the one consumed last; empty at its start. */
  #before(): string {
    return this.#word === null ? '' : (this.#text[this.#at - 2] ?? '')
  }

  #escaped(): void {
    const afterWide = !ASCII.test(this.#before() || ' ')
    if (this.#at >= this.#text.length) return this.#refuse('quoting')
    const char = this.#next()
    if (char === '\n') return this.#refuse('quoting')
    if (HIDDEN.test(char)) return this.#refuse('control_character')
    if (afterWide || !ASCII.test(char)) this.#refuse('quoting')
    this.#append(char)
  }

  #singleQuoted(): void {
    this.#beginWord()
    const end = this.#text.indexOf("'", this.#at)
    if (end === -1) this.#refuse('quoting')
    const stop = end === -1 ? this.#text.length : end
    const content = this.#text.slice(this.#at, stop)
    const hidden = HIDDEN.exec(content)
    if (hidden !== null) this.#refuse('control_character', this.#at + hidden.index)
    this.#append(hidden === null ? content : content.replace(ALL_HIDDEN, ''))
    this.#at = end === -1 ? stop : stop + 1
  }

  #doubleQuoted(): void {
    this.#beginWord()
    const start = this.#at
    let end = this.#text.length
    let expands = false
    let wide = false
    for (;;) {
      if (this.#at >= this.#text.length) {
        this.#refuse('quoting')
        break
      }
      const char = this.#next()
      if (char === '"') {
        end = this.#charAt
        break
      }
      if (char === '$' || char === '`') {
        expands = true
        this.#refuse('expansion')
      }
      // In a locale of two-byte characters the byte before a backslash may be half of one with it.
      if (char === '\\' && wide) this.#refuse('quoting')
      wide = !ASCII.test(char)
      if (wide && HIDDEN.test(char)) this.#refuse('control_character')
      else this.#append(char === '\\' ? this.#escapedInside() : char)
    }
    if (expands) this.#nested.push(this.#text.slice(start, end))
  }

  /** Inside double quotes a backslash stands for itself except before four characters and a newline. */
  #escapedInside(): string {
    const char = this.#text[this.#at]
    if (char === undefined) return ''
    if (char === '\n') {
      this.#at += 1
      this.#refuse('quoting')
      return ''
    }
    if (!'$`"\\'.includes(char)) return '\\'
    this.#at += 1
    return char
  }

  #redirect(): void {
    this.#refuse('redirect')
    // `2>` names a descriptor, no argument.
    if (this.#word !== null && /^\d+$/.test(this.#word)) this.#word = null
    this.#endWord()
    while ('<>&|'.includes(this.#text[this.#at] ?? ' ')) this.#at += 1
    this.#target = true
  }

  #endWord(): void {
    if (this.#word === null) return
    if (!this.#target) this.#words.push({ text: this.#word, at: this.#wordAt })
    this.#target = false
    this.#word = null
  }

  #endCommand(): void {
    this.#endWord()
    this.#target = false
    if (this.#words.length > 0) this.#commands.push(this.#words)
    this.#words = []
  }
}
