/** A radix tree over the heads, or the tails, of texts: which of many literals does a text begin or end with. */

/** The end of a text at which the literals stand. */
export type Side = 'head' | 'tail'

/** Entries under literals. A look-up costs the length of the text's own path through the tree, not the number of entries. */
export class AffixTree<Entry> {
  private readonly side: Side
  private readonly root: TreeNode<Entry> = newNode('')

  constructor(side: Side) {
    this.side = side
  }

  add(literal: string, entry: Entry): void {
    let node = this.root
    let rest = literal
    while (rest !== '') {
      const first = this.unit(rest, 0)
      const child = node.children.get(first)
      if (child === undefined) {
        const leaf: TreeNode<Entry> = newNode(rest)
        node.children.set(first, leaf)
        node = leaf
        break
      }
      const shared = this.sharedLength(child.label, rest)
      node = shared === child.label.length ? child : this.split(node, child, shared)
      rest = this.behind(rest, shared)
    }
    node.entries.push(entry)
  }

  /** Calls back for every entry whose literal the text begins, or ends, with. */
  visit(text: string, found: (entry: Entry) => void): void {
    let node = this.root
    for (let at = 0; ;) {
      for (const entry of node.entries) found(entry)
      if (at >= text.length) return
      const child = node.children.get(this.unit(text, at))
      if (child === undefined || !this.stands(child.label, text, at)) return
      at += child.label.length
      node = child
    }
  }

  /** Puts a node for the shared part between a node and its child. */
  private split(node: TreeNode<Entry>, child: TreeNode<Entry>, shared: number): TreeNode<Entry> {
    const between: TreeNode<Entry> = newNode(this.front(child.label, shared))
    node.children.set(this.unit(child.label, 0), between)
    child.label = this.behind(child.label, shared)
    between.children.set(this.unit(child.label, 0), child)
    return between
  }

  private unit(text: string, at: number): number {
    return text.charCodeAt(this.side === 'head' ? at : text.length - 1 - at)
  }

  private stands(label: string, text: string, at: number): boolean {
    return this.side === 'head'
      ? text.startsWith(label, at)
      : text.endsWith(label, text.length - at)
  }

  private sharedLength(left: string, right: string): number {
    const most = Math.min(left.length, right.length)
    let shared = 0
    while (shared < most && this.unit(left, shared) === this.unit(right, shared)) shared += 1
    return shared
  }

  private front(text: string, length: number): string {
    return this.side === 'head' ? text.slice(0, length) : text.slice(text.length - length)
  }

  private behind(text: string, length: number): string {
    return this.side === 'head' ? text.slice(length) : text.slice(0, text.length - length)
  }
}

interface TreeNode<Entry> {
  /** What stands between the parent and here; only the root's is empty. */
  label: string
  readonly entries: Entry[]
  readonly children: Map<number, TreeNode<Entry>>
}

function newNode<Entry>(label: string): TreeNode<Entry> {
  return { label, entries: [], children: new Map() }
}
