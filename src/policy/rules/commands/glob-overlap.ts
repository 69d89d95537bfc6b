/** Whether a glob of shell text and a path pattern can name the same file (rules.md §5 item 6). */

import { foldLetters } from '../compare.js'
import type { Token } from '../patterns/text.js'

/** True when some path is matched by both; true as well where that takes too long to tell. */
export function overlaps(pattern: readonly Token[], glob: string): boolean {
  const folded = foldLetters(glob)
  const right = globElements(folded)
  if (right.length > LONGEST) return true
  return variants(pattern).some((left) => left.length > LONGEST || meet(left, right))
}

/** True for text with a wildcard of the shell. */
export function isGlob(path: string): boolean {
  return /[*?[]/.test(path)
}

/** One character, or with `repeats` any number of them. */
interface Element {
  readonly accepts: 'any' | 'inner' | 'visible' | { readonly char: string }
  readonly repeats: boolean
}

const LONGEST = 512
const MOST_VARIANTS = 16

/** A crossing star with its separator is nothing, or some folders. */
function variants(tokens: readonly Token[]): readonly (readonly Element[])[] {
  let lists: readonly (readonly Element[])[] = [[]]
  for (const token of tokens) {
    const choices = elementsOf(token)
    lists = lists
      .flatMap((list) => choices.map((choice) => [...list, ...choice]))
      .slice(0, MOST_VARIANTS)
  }
  return lists
}

function elementsOf(token: Token): readonly (readonly Element[])[] {
  switch (token.kind) {
    case 'literal':
      return [[...foldLetters(token.text)].map(literal)]
    case 'one':
      return [[{ accepts: 'inner', repeats: false }]]
    case 'any':
      return [[{ accepts: 'any', repeats: false }]]
    case 'run':
      return [[{ accepts: 'inner', repeats: true }]]
    case 'all':
      return [[{ accepts: 'any', repeats: true }]]
    case 'folders':
      return [[{ accepts: 'any', repeats: true }, literal('/')], []]
  }
}

function literal(char: string): Element {
  return { accepts: { char }, repeats: false }
}

/** Brackets stand for any character; what begins a name and is a wildcard is no dot. */
function globElements(glob: string): readonly Element[] {
  const elements: Element[] = []
  const chars = [...glob]
  for (let at = 0; at < chars.length; at += 1) {
    const char = chars[at] ?? ''
    const starts = at === 0 || chars[at - 1] === '/'
    if (char === '*') {
      const crosses = chars[at + 1] === '*'
      while (chars[at + 1] === '*') at += 1
      // No star at the start of a name is empty before a dot: `*.env` is not `.env`.
      if (starts && !crosses && chars[at + 1] === '.')
        elements.push({ accepts: 'visible', repeats: false })
      elements.push({ accepts: crosses ? 'any' : starts ? 'visible' : 'inner', repeats: true })
    } else if (char === '?')
      elements.push({ accepts: starts ? 'visible' : 'inner', repeats: false })
    else if (char === '[' && chars.indexOf(']', at + 2) !== -1) {
      at = chars.indexOf(']', at + 2)
      elements.push({ accepts: 'inner', repeats: false })
    } else elements.push(literal(char))
  }
  return elements
}

/** Walks both at once; each pair of places is looked at once. */
function meet(left: readonly Element[], right: readonly Element[]): boolean {
  const seen = new Set<number>()
  const open: (readonly [number, number, boolean])[] = [[0, 0, false]]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [at, other, inside] = next
    const key = (at * (LONGEST + 1) + other) * 2 + (inside ? 1 : 0)
    if (seen.has(key)) continue
    seen.add(key)
    const one = left[at]
    const two = right[other]
    if (one === undefined && two === undefined) return true
    if (one?.repeats === true) open.push([at + 1, other, inside])
    if (two?.repeats === true) open.push([at, other + 1, false])
    if (one === undefined || two === undefined || !share(one, two, inside)) continue
    open.push([one.repeats ? at : at + 1, two.repeats ? other : other + 1, two.repeats])
  }
  return false
}

/** `inside`: the glob's star has taken a character of this name already, so a dot is fine. */
function share(one: Element, two: Element, inside: boolean): boolean {
  const { accepts } = two
  if (typeof accepts === 'object') {
    if (typeof one.accepts === 'object') return one.accepts.char === accepts.char
    return one.accepts === 'any' || accepts.char !== '/'
  }
  if (typeof one.accepts !== 'object' || accepts === 'any') return true
  const { char } = one.accepts
  return char !== '/' && (accepts !== 'visible' || inside || char !== '.')
}
