/** What another parser makes of a bash text: the second opinions that the analysis is compared with. */

export interface Opinion {
  /** It parses as bash. */
  readonly accepted: boolean
  /** The fixed program names of all simple commands, nested ones included, quotes removed; none if refused. */
  readonly names: readonly string[]
}

export interface Parser {
  readonly name: ParserName
  readonly read: (text: string) => Opinion
}

export const PARSER_NAMES = ['mvdan-sh', 'tree-sitter-bash'] as const
export type ParserName = (typeof PARSER_NAMES)[number]

export const REFUSED: Opinion = { accepted: false, names: [] }

/** A name as bash sees it outside of quotes: `\x` is `x`, and a line goes on behind a backslash at its end. */
export function unescaped(text: string): string {
  return text.replace(/\\\n/g, '').replace(/\\(.)/gs, '$1')
}

/** The same between double quotes, where a backslash counts before few characters. */
export function unescapedInQuotes(text: string): string {
  return text.replace(/\\\n/g, '').replace(/\\(["$\\`])/g, '$1')
}
