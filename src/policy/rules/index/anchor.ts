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

/** The anchor of one token list, as the matcher has it. */
export function anchorOf(tokens: readonly Token[]): Anchor {
  const [first] = tokens
  if (first === undefined) return { exact: true, head: '', tail: '', inner: [] }
  const isOne = tokens.length === 1
  return {
    exact: isOne && first.kind === 'literal',
    head: literalOf(first),
    tail: isOne ? '' : literalOf(tokens.at(-1)),
    inner: tokens.slice(1, -1).map(literalOf),
  }
}

/** What a token fixes; nothing where it is a wildcard. */
function literalOf(token: Token | undefined): string {
  return token?.kind === 'literal' ? token.text : ''
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
