/** Where text between `${` and `}` is read alike by the parser and by every bash (rules.md §5 item 3). */

import type { WordPart } from '../parse.js'

/**
 * Where `${ list; }` ends depends on the shell: at its first brace, or at one that closes a list. Only
 * without nested braces, quotes, comments and here-documents, and behind `;` or a line end, all agree.
 */
export function isPlainlyClosed(text: string): boolean {
  const inner = text.slice(2, -1)
  const kept = inner.trimEnd()
  const isEnded = kept.endsWith(';') || inner.slice(kept.length).includes('\n')
  return text.endsWith('}') && isEnded && !/[{}"'`\\#(<]/.test(inner)
}

/**
 * Of `${name/pattern/replacement}` the parser parts the two at the first slash, be it within a
 * substitution, and loses what that runs behind it.
 */
export function isPlainlyReplaced(text: string): boolean {
  const inner = text.slice(2, -1)
  return !OPENER.test(inner) || PLAIN_SUBSTITUTIONS.test(inner)
}

const OPENER = /\$[({[]|`|[<>]\(/
const PLAIN_SUBSTITUTIONS = /^(?:[^'"\\`$(){}<>]|\$[\w@*#?!-]|\$\{\w+\}|\$\([^'"\\`$(){}<>#/]*\))*$/

/**
 * In a default, between double quotes and in here-documents, bash takes the quotes of `'…'` and `$'…'`
 * for text and runs what stands between them; the parser does not in all of these places.
 */
export function quotesSpecial(parts: readonly WordPart[] | undefined): boolean {
  return (
    parts?.some((part) => {
      if (part.type === 'BraceExpansion') return quotesSpecial(part.parts)
      const isQuoted = part.type === 'SingleQuoted' || part.type === 'AnsiCQuoted'
      return isQuoted && SPECIAL.test(part.text.replace(/^\$/, ''))
    }) ?? false
  )
}

const SPECIAL = /[$`}"]/
