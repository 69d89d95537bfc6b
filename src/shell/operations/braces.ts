/** The words that an unquoted `{a,b}` or `{1..3}` stands for, as far as deny and ask need them. */

const MOST = 128

/** Steps of one word: groups with a single choice are as many as fit in it. */
const STEPS = 512

/** Every alternative, the text itself when it has none; `null` for more than anybody looks at. */
export function expandBraces(text: string): readonly string[] | null {
  const done: string[] = []
  const open = [text]
  let steps = 0
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    // The innermost group first; in the order of the text, so that the first choice is the next one.
    const group = INNERMOST.exec(next)
    const choices = group === null ? [] : (group[1]?.split(',') ?? rangeOf(group))
    steps += 1
    if (done.length + open.length + choices.length > MOST || steps > STEPS) return null
    if (group === null) done.push(next)
    const before = next.slice(0, group?.index)
    const after = next.slice((group?.index ?? 0) + (group?.[0].length ?? 0))
    open.push(...choices.toReversed().map((choice) => before + choice + after))
  }
  return released(text) === text ? done : done.map(released)
}

/** Text in which no letter is part of a brace: it was quoted, or is filled in later. */
export function held(text: string): string {
  return text.replace(/[{},]|\.(?=\.)/g, (letter) => HELD.charAt(LETTERS.indexOf(letter)))
}

/** The same text with its own letters again. */
export function released(text: string): string {
  return text.replace(/[\uFDD0-\uFDD3]/g, (letter) => LETTERS.charAt(HELD.indexOf(letter)))
}

const LETTERS = '{},.'
/** No characters of any text: one that holds them proves nothing. */
const HELD = '\uFDD0\uFDD1\uFDD2\uFDD3'

/** A long range is any text: a glob meets whatever its numbers would. So is one that bash may leave as it is. */
function rangeOf([, , from = '', to = '']: RegExpExecArray): readonly string[] {
  const isNumber = /^-?\d+$/.test(from)
  const [first, last] = isNumber
    ? [Number(from), Number(to)]
    : [from.charCodeAt(0), to.charCodeAt(0)]
  const isSafe = Number.isSafeInteger(first) && Number.isSafeInteger(last)
  const [low, high] = [Math.min(first, last), Math.max(first, last)]
  if (!isSafe || isNumber !== /^-?\d+$/.test(to) || high - low >= MOST / 2) return ['*']
  const width = /^-?0\d/.test(from) || /^-?0\d/.test(to) ? Math.max(from.length, to.length) : 0
  return Array.from({ length: high - low + 1 }, (_, step) =>
    isNumber ? padded(low + step, width) : String.fromCharCode(low + step),
  )
}

function padded(number: number, width: number): string {
  const digits = String(Math.abs(number))
  return number < 0 ? `-${digits.padStart(width - 1, '0')}` : digits.padStart(width, '0')
}

const INNERMOST =
  /\{(?:([^{},]*(?:,[^{},]*)+)|(-?\d+|[A-Za-z])\.\.(-?\d+|[A-Za-z])(?:\.\.-?\d+)?)\}/
