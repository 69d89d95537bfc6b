/** Lists of folders as axes compare them: component by component, as spelt; a `..` proves nothing. */

import { commonEntries } from './text-lists.js'

/** True when `inner` is `outer` or lies below it. */
export function isAtOrBelow(inner: string, outer: string): boolean {
  if (inner === outer) return true
  const climbs = /(?:^|[\\/])\.\.(?:[\\/]|$)/
  if (climbs.test(inner) || climbs.test(outer)) return false
  return inner.startsWith(/[\\/]$/.test(outer) ? outer : `${outer}/`)
}

/** True when every folder of one list is at or below a folder of the other. */
export function areWithin(inner: readonly string[], outer: readonly string[]): boolean {
  return inner.every((folder) => outer.some((other) => isAtOrBelow(folder, other)))
}

/** Folders of one list at or below a folder of the other. */
export function commonFolders(
  left: readonly string[],
  right: readonly string[],
): readonly string[] {
  return commonEntries(left, right, (outer, inner) => isAtOrBelow(inner, outer))
}
