/** Values that were worked out before, by a text; what is lost is worked out anew. */

/** Bounded: two generations, the older one of which is dropped whole. */
export class Memo<Value> {
  private readonly size: number
  private recent = new Map<string, Value>()
  private older = new Map<string, Value>()

  /** Keeps at least the last `size` values that were asked for, and at most twice as many. */
  constructor(size: number) {
    this.size = size
  }

  get(key: string): Value | undefined {
    const known = this.recent.get(key)
    if (known !== undefined) return known
    const old = this.older.get(key)
    if (old !== undefined) this.set(key, old)
    return old
  }

  set(key: string, value: Value): void {
    if (this.recent.size >= this.size) {
      this.older = this.recent
      this.recent = new Map()
    }
    this.recent.set(key, value)
  }
}
