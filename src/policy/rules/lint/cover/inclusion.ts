/** Whether every text that one pattern matches is matched by others (rules.md §2): decided, never guessed. */

import type { Token } from '../../patterns/text.js'

/**
 * True when each text of `inner` is one of `outers`. False as well where that takes too long to tell.
 * Both are walked at once over every character that either holds and one that neither does: a pattern
 * without that character treats all such alike.
 */
export function includes(outers: readonly (readonly Token[])[], inner: readonly Token[]): boolean {
  const left = itemsOf(inner)
  const right = outers.map(itemsOf)
  if ([left, ...right].some((items) => items === null || items.length > LONGEST)) return false
  return walk(left ?? [], right as readonly (readonly Item[])[])
}

/** One character of a literal, or a token that stands for many. */
type Item = string

const LONGEST = 512
const MOST_PLACES = 20_000
/** Stands for every character that no pattern holds. */
const OTHER = '\u{f8ff}'

/** `null` for half a character, which patterns split in ways that this walk does not follow. */
function itemsOf(tokens: readonly Token[]): readonly Item[] | null {
  const items: Item[] = []
  for (const token of tokens) {
    if (token.kind !== 'literal') items.push(token.kind)
    else if (!token.text.isWellFormed() || token.text.includes(OTHER)) return null
    // A character is an item of length one or two, and no kind is that short.
    else items.push(...token.text)
  }
  return items
}

function walk(inner: readonly Item[], outers: readonly (readonly Item[])[]): boolean {
  const alphabet = alphabetOf([inner, ...outers])
  const seen = new Set<string>()
  const open: { readonly at: number; readonly reached: readonly (readonly number[])[] }[] = []
  const add = (at: number, reached: readonly (readonly number[])[]): void => {
    const key = `${at};${reached.map((places) => places.join()).join('|')}`
    if (seen.has(key)) return
    seen.add(key)
    open.push({ at, reached })
  }
  const start = outers.map((items) => settled([0], items))
  for (const at of settled([0], inner)) add(at, start)
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { at, reached } = next
    if (seen.size > MOST_PLACES) return false
    if (isEnd(at, inner) && !reached.some((places, n) => hasEnd(places, outers[n] ?? []))) {
      return false
    }
    for (const char of alphabet) {
      const further = settled(stepsFrom(at, char, inner), inner)
      if (further.length === 0) continue
      const then = reached.map((places, n) => stepAll(places, char, outers[n] ?? []))
      for (const place of further) add(place, then)
    }
  }
  return true
}

function alphabetOf(lists: readonly (readonly Item[])[]): readonly string[] {
  const chars = lists.flat().filter((item) => !isKind(item))
  return [...new Set([...chars, '/', '\n', OTHER])]
}

function isKind(item: Item): boolean {
  return item.length > 2
}

/** Places are even in front of an item, and odd within folders that have begun. */
function isEnd(place: number, items: readonly Item[]): boolean {
  return place === 2 * items.length
}

function hasEnd(places: readonly number[], items: readonly Item[]): boolean {
  return places.some((place) => isEnd(place, items))
}

function stepAll(
  places: readonly number[],
  char: string,
  items: readonly Item[],
): readonly number[] {
  return settled(
    places.flatMap((place) => stepsFrom(place, char, items)),
    items,
  )
}

function stepsFrom(place: number, char: string, items: readonly Item[]): readonly number[] {
  const index = place >> 1
  const after = 2 * (index + 1)
  const inSegment = char !== '/' && char !== '\n'
  const item = items[index]
  switch (item) {
    case undefined:
      return []
    case 'one':
      return inSegment ? [after] : []
    case 'any':
      return [after]
    case 'run':
      return inSegment ? [place] : []
    case 'all':
      return [place]
    case 'folders':
      return char === '/' ? [2 * index + 1, after] : [2 * index + 1]
    default:
      return item === char ? [after] : []
  }
}

/** With everything that is reached without a character; sorted, each once. */
function settled(places: readonly number[], items: readonly Item[]): readonly number[] {
  const found = new Set(places)
  for (const place of found) {
    const item = items[place >> 1]
    if (place % 2 === 0 && (item === 'run' || item === 'all' || item === 'folders')) {
      found.add(place + 2)
    }
  }
  return [...found].sort((left, right) => left - right)
}
