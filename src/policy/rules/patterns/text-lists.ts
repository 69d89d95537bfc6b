/** Lists of texts that stand for sets, where one entry can cover another. */

/** Each once, in code unit order: the canonical form of a set. */
export function sortedTexts(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].sort()
}

/** Entries of one list that an entry of the other covers; what overlaps only in part is left out. */
export function commonEntries(
  left: readonly string[],
  right: readonly string[],
  covers: (outer: string, inner: string) => boolean,
): readonly string[] {
  return sortedTexts([
    ...left.filter((entry) => right.some((other) => covers(other, entry))),
    ...right.filter((entry) => left.some((other) => covers(other, entry))),
  ])
}

/** The same where `null` stands for a list that leaves nothing out. */
export function commonOf(
  left: readonly string[] | null,
  right: readonly string[] | null,
  covers: (outer: string, inner: string) => boolean,
): readonly string[] | null {
  if (left === null) return right
  return right === null ? left : commonEntries(left, right, covers)
}
