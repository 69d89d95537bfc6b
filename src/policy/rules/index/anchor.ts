/** What a text must hold for a pattern to match it: a necessary condition, cheaper than the match itself. */

import type { Token } from '../patterns/text.js'

/** A text that does not fit cannot match; one that fits may. */
export interface Anchor {
  /** The pattern has no wildcard: only `head` itself matches. */
  readonly exact: boolean
  readonly head: string
  readonly tail: string
  /** The longest literal in between. */
  readonly inner: string
}

/** Where a pattern stands in a table: nowhere when no text can match it, everywhere when any may. */
export type Place = readonly Anchor[] | 'always' | 'never'

/** The anchor of one token list; `fold` is what the matcher does to its literals. */
export function anchorOf(tokens: readonly Token[], fold: (literal: string) => string): Anchor {
  const [first] = tokens
  if (first === undefined) return { exact: true, head: '', tail: '', inner: '' }
  const last = tokens.at(-1)
  const isOne = tokens.length === 1
  return {
    exact: isOne && first.kind === 'literal',
    head: first.kind === 'literal' ? fold(first.text) : '',
    tail: !isOne && last?.kind === 'literal' ? fold(last.text) : '',
    inner: longestInner(tokens, fold),
  }
}

function longestInner(tokens: readonly Token[], fold: (literal: string) => string): string {
  let longest = ''
  for (let at = 1; at < tokens.length - 1; at += 1) {
    const token = tokens[at]
    if (token?.kind !== 'literal') continue
    const text = fold(token.text)
    if (text.length > longest.length) longest = text
  }
  return longest
}
