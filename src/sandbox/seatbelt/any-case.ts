/** Regular expressions for names in any case spelling, in the dialect that Seatbelt reads (sandbox.md §3). */

/** `path` as it is written, and nothing else. */
export function exactly(path: string): string {
  return path.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&')
}

/**
 * `text` in every case spelling. Letters without a single other case are meant as they are: where a
 * file system takes more for the same, the kernel tells the name of the file that is there.
 */
export function inAnyCase(text: string): string {
  return Array.from(text, (letter) => {
    const [lower, upper] = casesOf(letter)
    // A group, not a bracket: what is not ASCII is more than one byte, and a bracket holds single bytes.
    return lower === upper ? exactly(letter) : `(${lower}|${upper})`
  }).join('')
}

/** The same text for every spelling that `inAnyCase` fits. */
export function withoutCase(text: string): string {
  return Array.from(text, (letter) => casesOf(letter)[0]).join('')
}

function casesOf(letter: string): readonly [lower: string, upper: string] {
  const [lower, upper] = [letter.toLowerCase(), letter.toUpperCase()]
  const isPair = upper.toLowerCase() === lower && lower.toUpperCase() === upper
  return isPair ? [lower, upper] : [letter, letter]
}
