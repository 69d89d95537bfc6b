/** Patterns of one kind, found by the texts that they may match: exact, by head, by tail, and the rest. */

import { AffixTree } from './affix-tree.js'
import { fits, type Anchor, type Place } from './anchor.js'

/** Holds values under anchors. What it finds is a superset of what matches, never less. */
export class AnchorTable<Value> {
  private readonly exact = new Map<string, Value[]>()
  private readonly heads = new AffixTree<Anchored<Value>>('head')
  private readonly tails = new AffixTree<Anchored<Value>>('tail')
  private readonly open: Anchored<Value>[] = []
  private readonly always: Value[] = []
  private filled = false

  /** True when nothing can be found in it. */
  isEmpty(): boolean {
    return !this.filled
  }

  add(place: Place, value: Value): void {
    if (place === 'never') return
    this.filled = true
    if (place === 'always') this.always.push(value)
    else for (const anchor of place) this.addAnchor(anchor, value)
  }

  /** Adds what any of the texts may match; a value may come more than once. */
  find(texts: readonly string[], found: Value[]): void {
    for (const value of this.always) found.push(value)
    for (const text of texts) {
      const exact = this.exact.get(text)
      if (exact !== undefined) for (const value of exact) found.push(value)
      const take = ({ anchor, value }: Anchored<Value>): void => {
        if (fits(anchor, text)) found.push(value)
      }
      this.heads.visit(text, take)
      this.tails.visit(text, take)
      for (const entry of this.open) take(entry)
    }
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
