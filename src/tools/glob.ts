/** Path patterns of the `search` tool: `*` and `?` stay within a name, `**` spans names. Never backtracks more than one star. */

/** True when the whole path matches. Both use `/`; every other character stands for itself. */
export function matchesGlob(pattern: string, path: string): boolean {
  return matchesSequence(pattern.split('/'), path.split('/'), {
    isStar: (part) => part === '**',
    matchesOne: matchesName,
  })
}

/** One name against one part of a pattern. */
function matchesName(pattern: string, name: string): boolean {
  return matchesSequence([...pattern], [...name], {
    isStar: (part) => part === '*',
    matchesOne: (part, char) => part === '?' || part === char,
  })
}

interface Wildcards {
  readonly isStar: (part: string) => boolean
  readonly matchesOne: (part: string, item: string) => boolean
}

/** Two pointers: on a mismatch only the last star takes one more, so the cost is the product of both lengths. */
function matchesSequence(
  pattern: readonly string[],
  items: readonly string[],
  { isStar, matchesOne }: Wildcards,
): boolean {
  let at = 0
  let item = 0
  let star = -1
  let starItem = 0
  while (item < items.length) {
    const part = pattern[at]
    if (part !== undefined && isStar(part)) {
      star = at
      starItem = item
      at += 1
    } else if (part !== undefined && matchesOne(part, items[item] ?? '')) {
      at += 1
      item += 1
    } else if (star !== -1) {
      at = star + 1
      starItem += 1
      item = starItem
    } else {
      return false
    }
  }
  return pattern.slice(at).every(isStar)
}
