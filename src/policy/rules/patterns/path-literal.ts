/** A path as a pattern that means exactly this path (rules.md §1). */

/** Stars and question marks stand in brackets; parentheses and backslashes are escaped. */
export function pathLiteral(path: string): string {
  return path.replace(/[()\\]/g, '\\$&').replace(/[*?]/g, '[$&]')
}
