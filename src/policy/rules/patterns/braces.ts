/** Alternatives of a path pattern, `{a,b}`, written out (rules.md §1); at most 64 results. */

import { malformedPattern, type PatternPlace } from './malformed.js'

/** Every pattern that the braces stand for, in order. Braces without a comma are literal. */
export function expandBraces(pattern: string, place: PatternPlace): readonly string[] {
  const done: string[] = []
  const open = [pattern]
  while (open.length > 0) {
    const next = open.shift() ?? ''
    const group = firstGroup(next)
    if (group === null) done.push(next)
    else {
      const before = next.slice(0, group.start)
      const after = next.slice(group.end + 1)
      open.unshift(...group.parts.map((part) => before + part + after))
    }
    if (done.length + open.length > MAXIMUM) {
      throw malformedPattern(place, `more than ${MAXIMUM} alternatives`, {
        at: pattern.indexOf('{'),
        allowed: [`\`{a,b}\` with at most ${MAXIMUM} results in one pattern`],
      })
    }
  }
  return done
}

const MAXIMUM = 64

interface Group {
  readonly start: number
  readonly end: number
  readonly parts: readonly string[]
}

/** The first outermost group that has a comma of its own. */
function firstGroup(text: string): Group | null {
  for (let start = text.indexOf('{'); start !== -1; start = text.indexOf('{', start + 1)) {
    const group = groupAt(text, start)
    if (group !== null && group.parts.length > 1) return group
  }
  return null
}

function groupAt(text: string, start: number): Group | null {
  const parts: string[] = []
  let depth = 0
  let from = start + 1
  for (let at = start; at < text.length; at += 1) {
    const char = text.charAt(at)
    if (char === '{') depth += 1
    if (char === ',' && depth === 1) {
      parts.push(text.slice(from, at))
      from = at + 1
    }
    if (char === '}') depth -= 1
    if (depth === 0) return { start, end: at, parts: [...parts, text.slice(from, at)] }
  }
  return null
}
