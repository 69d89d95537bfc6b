/** Patterns of one kind, found by the texts that they may match: exact, by head, by tail, and the rest. */

import { AffixTree } from './affix-tree.js'
import type { Anchor, Place } from './anchor.js'

/** Holds values under anchors. What it finds is a superset of what matches, never less. */
export class AnchorTable<Value> {
  private readonly exact = new Map<string, Value[]>()
  private readonly heads = new AffixTree<Anchored<Value>>('head')
  private readonly tails = new AffixTree<Anchored<Value>>('tail')
  private readonly open: Anchored<Value>[] = []
  private readonly always: Value[] = []

  add(place: Place, value: Value): void {
    if (place === 'never') return
    if (place === 'always') this.always.push(value)
    else for (const anchor of place) this.addAnchor(anchor, value)
  }

  /** What any of the texts may match; a value may come more than once. */
  find(texts: readonly string[]): Value[] {
    const found = [...this.always]
    for (const text of texts) {
      const exact = this.exact.get(text)
      if (exact !== undefined) found.push(...exact)
      const take = ({ anchor: { head, tail, inner }, value }: Anchored<Value>): void => {
        if (text.startsWith(head) && text.endsWith(tail) && text.includes(inner)) found.push(value)
      }
      this.heads.visit(text, take)
      this.tails.visit(text, take)
      for (const entry of this.open) take(entry)
    }
    return found
  }

  private addAnchor(anchor: Anchor, value: Value): void {
    if (anchor.exact) {
      const known = this.exact.get(anchor.head)
      if (known === undefined) this.exact.set(anchor.head, [value])
      else known.push(value)
    } else if (anchor.head !== '') this.heads.add(anchor.head, { anchor, value })
    else if (anchor.tail !== '') this.tails.add(anchor.tail, { anchor, value })
    else this.open.push({ anchor, value })
  }
}

interface Anchored<Value> {
  readonly anchor: Anchor
  readonly value: Value
}
