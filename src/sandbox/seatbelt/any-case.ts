/** Regular expressions for names in any case spelling, in the dialect that Seatbelt reads (sandbox.md §3). */

/** What a file system without case takes for the same letter beyond two cases: long s, Kelvin sign. */
const FOLDED = [
  ['s', '\u017f'],
  ['k', '\u212a'],
] as const

/** `path` as it is written, and nothing else. */
export function exactly(path: string): string {
  return path.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&')
}

/** `text` in every case spelling. */
export function inAnyCase(text: string): string {
  return Array.from(text, (letter) => {
    const lower = letter.toLowerCase()
    const fold = FOLDED.find((same) => same.some((one) => one === lower))
    const all = [...new Set([lower, letter.toUpperCase(), letter, ...(fold ?? [])])]
    // Groups, not brackets: what is not ASCII is more than one byte, and a bracket holds single bytes.
    return all.length === 1 ? exactly(letter) : `(${all.join('|')})`
  }).join('')
}

/** The same text for every spelling that `inAnyCase` fits. */
export function withoutCase(text: string): string {
  return FOLDED.reduce(
    (folded, [letter, same]) => folded.replaceAll(same, letter),
    text.toLowerCase(),
  )
}
