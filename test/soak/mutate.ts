/** Chance that can be repeated, and texts with a few things wrong. */

export interface Random {
  /** A whole number from 0 to below `limit`. */
  readonly below: (limit: number) => number
  readonly pick: <T>(values: readonly [T, ...T[]]) => T
}

/** The same numbers for the same seed (xorshift32). */
export function randomOf(seed: number): Random {
  let state = seed >>> 0 || 1
  const below = (limit: number): number => {
    state ^= state << 13
    state >>>= 0
    state ^= state >>> 17
    state ^= state << 5
    state >>>= 0
    return Math.floor((state / 2 ** 32) * limit)
  }
  return { below, pick: (values) => values[below(values.length)] ?? values[0] }
}

/** Zero to four edits: a cut, a copy of a part, a token put in, one unit changed. */
export function mutate(
  text: string,
  random: Random,
  tokens: readonly [string, ...string[]],
): string {
  let edited = text
  for (let edits = random.below(5); edits > 0; edits -= 1) edited = edit(edited, random, tokens)
  return edited
}

function edit(text: string, random: Random, tokens: readonly [string, ...string[]]): string {
  const at = random.below(text.length + 1)
  const end = at + random.below(12)
  switch (random.below(4)) {
    case 0:
      return text.slice(0, at) + text.slice(end)
    case 1:
      return text.slice(0, end) + text.slice(at)
    case 2:
      return text.slice(0, at) + random.pick(tokens) + text.slice(at)
    default:
      return text.slice(0, at) + String.fromCharCode(random.below(0x180)) + text.slice(at + 1)
  }
}
