/** What the text itself must not hold, whatever a parser makes of it (rules.md §5 item 3). */

import type { RefusalCode } from '../../core/need.js'

/** Control, format, private, unassigned and invisible characters, and every blank but the ASCII one. */
const HIDDEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/gu

interface Fault {
  readonly code: RefusalCode
  readonly at: number
}

/** The first fault of each kind. */
export function guardText(text: string): readonly Fault[] {
  const hidden = firstHidden(text)
  const negated = NEGATED_GLOB.exec(text)
  return [
    ...(hidden === -1 ? [] : [{ code: 'control_character', at: hidden } as const]),
    ...(endsOpen(text) ? [{ code: 'syntax', at: text.length - 1 } as const] : []),
    ...splitTokens(text),
    ...(negated === null ? [] : [{ code: 'extglob', at: negated.index } as const]),
  ]
}

/** The text as a reader takes it: `g<invisible>it` is `git`, and a carriage return ends a line. */
export function visibleText(text: string): string {
  // A name that the parser does not see as one: the words around it are told as bash joins them.
  const whole = SPLIT_EXPANSION.test(text) ? text.replaceAll('\\\n', '') : text
  return whole
    .replace(/\r\n?/g, '\n')
    .replace(HIDDEN, (char) => (isLayout(char) ? char : BLANK.test(char) ? ' ' : ''))
}

/** How deep brackets may be nested at most; quotes are not looked at, so this errs upwards. */
export function nestingOf(text: string): number {
  let depth = 0
  let deepest = 0
  for (let index = 0; index < text.length; index += 1) {
    const char = text.charCodeAt(index)
    if (char === OPEN_ROUND || char === OPEN_CURLY) deepest = Math.max(deepest, (depth += 1))
    else if ((char === CLOSE_ROUND || char === CLOSE_CURLY) && depth > 0) depth -= 1
  }
  return deepest
}

/** Bytes as bash counts them. */
export function utf8Length(text: string): number {
  let bytes = 0
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    bytes += unit < 0x80 ? 1 : unit < 0x800 ? 2 : unit >= 0xd800 && unit < 0xe000 ? 2 : 3
  }
  return bytes
}

/** Bash joins lines that go on before it reads a token, the parser behind it: `(\\\n(` is `((`. */
function splitTokens(text: string): readonly Fault[] {
  if (!text.includes('\\\n')) return []
  const expansion = SPLIT_EXPANSION.exec(text)
  const quote = SPLIT_QUOTE.exec(text)
  const bracket =
    SPLIT_OPENING.exec(text) ?? (text.includes('((') ? SPLIT_CLOSING.exec(text) : null)
  return [
    ...(expansion === null ? [] : [{ code: 'hidden_opener', at: expansion.index } as const]),
    ...(quote === null ? [] : [{ code: 'ansi_c', at: quote.index } as const]),
    ...(bracket === null ? [] : [{ code: 'arithmetic', at: bracket.index } as const]),
  ]
}

/** A backslash at the end stands for itself, but behind a line end in single quotes bash drops it. */
function endsOpen(text: string): boolean {
  let start = text.length
  while (text.charAt(start - 1) === '\\') start -= 1
  return (text.length - start) % 2 === 1 && text.includes('\n')
}

function firstHidden(text: string): number {
  for (const match of text.matchAll(HIDDEN)) {
    if (!isLayout(match[0])) return match.index
  }
  return -1
}

function isLayout(char: string): boolean {
  return char === '\t' || char === '\n'
}

const BLANK = /\p{Z}|[\v\f]/u
const NEGATED_GLOB = /(?<=^|[\s;&|(){}])!\(/
const SPLIT_EXPANSION = /\$(?:\\\n)+[\w{@*#?!$-]/
const SPLIT_QUOTE = /\$(?:\\\n)+['"]/
const SPLIT_OPENING = /\((?:\\\n)+\(/
const SPLIT_CLOSING = /\)(?:\\\n)+\)/
const OPEN_ROUND = 0x28
const CLOSE_ROUND = 0x29
const OPEN_CURLY = 0x7b
const CLOSE_CURLY = 0x7d
