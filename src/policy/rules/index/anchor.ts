/** What a text must hold for a pattern to match it: a necessary condition, cheaper than the match itself. */

import type { Token } from '../patterns/text.js'

/** A text that does not fit cannot match; one that fits may. */
export interface Anchor {
  /** The pattern has no wildcard: only `head` itself matches. */
  readonly exact: boolean
  readonly head: string
  readonly tail: string
  /** The literals in between, in their order. */
  readonly inner: readonly string[]
}

/** Where a pattern stands in a table: nowhere when no text can match it, everywhere when any may. */
export type Place = readonly Anchor[] | 'always' | 'never'

/** The anchor of one token list; `fold` is what the matcher does to its literals. */
export function anchorOf(tokens: readonly Token[], fold: (literal: string) => string): Anchor {
  const [first] = tokens
  if (first === undefined) return { exact: true, head: '', tail: '', inner: [] }
  const last = tokens.at(-1)
  const isOne = tokens.length === 1
  return {
    exact: isOne && first.kind === 'literal',
    head: first.kind === 'literal' ? fold(first.text) : '',
    tail: !isOne && last?.kind === 'literal' ? fold(last.text) : '',
    inner: tokens
      .slice(1, -1)
      .flatMap((token) => (token.kind === 'literal' ? [fold(token.text)] : [])),
  }
}

/** True when head, inner literals and tail stand in the text one behind the other. */
export function fits({ head, tail, inner }: Anchor, text: string): boolean {
  if (!text.endsWith(tail) || !text.startsWith(head)) return false
  let at = head.length
  for (const literal of inner) {
    const found = text.indexOf(literal, at)
    if (found === -1) return false
    at = found + literal.length
  }
  return at + tail.length <= text.length
}
