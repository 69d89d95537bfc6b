/** The word that was probably meant: the nearest of a closed list, for suggestions. */

/** The allowed word within two edits, one in short words, case aside; `undefined` when none is near. */
export function nearest(text: string, allowed: readonly string[]): string | undefined {
  if (text.length > LONGEST) return undefined
  const asked = text.toLowerCase()
  let best: string | undefined
  let least = asked.length < 4 ? 2 : 3
  for (const word of allowed) {
    const distance = isPart(asked, word) ? 1 : edits(asked, word.toLowerCase())
    if (distance < least) {
      best = word
      least = distance
    }
  }
  return best
}

const LONGEST = 64

/** `fetch` is meant as `web_fetch`, whatever short word is nearer. */
function isPart(asked: string, word: string): boolean {
  return asked.length >= 4 && word.toLowerCase().split('_').includes(asked)
}

/** Levenshtein distance, one row at a time. */
function edits(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index)
  for (let i = 1; i <= left.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= right.length; j += 1) {
      const swap = (row[j - 1] ?? 0) + (left[i - 1] === right[j - 1] ? 0 : 1)
      next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[right.length] ?? 0
}
