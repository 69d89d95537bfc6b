/** Dispatches between their first step and the start of their tool (pipeline.md §6): a session's end waits for them. */

export interface Starting {
  /** Registers one; the result says that it started or never will, as often as it likes. */
  readonly enter: () => () => void
  /** Resolves when nothing is starting any more. */
  readonly over: () => Promise<void>
}

export function starting(): Starting {
  const under = new Set<Promise<void>>()
  return {
    enter() {
      let leave: () => void = () => undefined
      const one = new Promise<void>((resolve) => {
        leave = resolve
      })
      under.add(one)
      return () => {
        under.delete(one)
        leave()
      }
    },
    async over() {
      while (under.size > 0) await Promise.all(under)
    },
  }
}
